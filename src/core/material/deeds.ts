import { singleSpaced } from '../text/cleanText';
import type { SourceMessage } from './types';

/** Something that left a working copy, in the words of the record: a commit, a push, a pull request, a release. */
export interface Deed {
  readonly text: string;
  readonly uuid: string;
}

const GIVES_AWAY = /\b(?:git\s[^|;&\n]{0,80}\b(?:commit|push)|gh (?:pr|release) create|(?:npm|pnpm|yarn) publish)\b/;
const COMMITTED = /^\[[^\]\n]{1,120} ([0-9a-f]{7,40})\] (\S.{0,200})$/gm;
const PUSHED = /^ {1,3}(?:\* \[new (?:branch|tag)\]|\+? ?[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}) +(\S{1,120}) +-> \S/gm;
const OPENED = /^https:\/\/\S{1,200}\/(?:pull|merge_requests|releases\/tag)\/\S{1,80}$/gm;
const PUBLISHED = /^\+ (@?[\w./-]{1,120}@\d\S{0,40})$/gm;

/** What was committed, pushed, opened and published, in order. */
export function deedsOf(messages: readonly SourceMessage[]): Deed[] {
  return messages.flatMap(({ uuid, tools }) =>
    tools.flatMap(({ input: { command }, result, isError }) =>
      isError || typeof command !== 'string' || !GIVES_AWAY.test(command)
        ? []
        : toldIn(result).map((text) => ({ text: singleSpaced(text), uuid })),
    ),
  );
}

function toldIn(result: string): string[] {
  return [
    ...[...result.matchAll(COMMITTED)].map(([, hash = '', subject = '']) => `commit ${hash.slice(0, 7)} “${subject}”`),
    ...[...result.matchAll(PUSHED)].map(([, ref = '']) => `pushed ${ref}`),
    ...[...result.matchAll(OPENED)].map(([url]) => `opened ${url}`),
    ...[...result.matchAll(PUBLISHED)].map(([, name = '']) => `published ${name}`),
  ];
}
