import type { TextRange } from './privateText';

/** A secret in a text. */
export interface FoundSecret extends TextRange {
  readonly kind: string;
}

/** Characters of a value without quotes: a backslash belongs to it, unless it writes the end of a line or a quote. */
const BARE = /(?:[^\s"'`<>\\]|\\(?![nrtu"'`\\])){1,300}/y;
const LIST =
  /[;&,](?=[\w.$%-]{1,40}[=:])|[,;)\]}](?=[,;)\]}.]{0,20}$)|[&|;]{1,2}$|[,;](?=[,;{}[\]()])|\)\.|[.:!?]{1,20}$/;

/** Where a value without quotes ends: at a space, or where the next of a list begins. */
export function bareEnd(text: string, at: number): number {
  BARE.lastIndex = at;
  const run = BARE.exec(text)?.[0] ?? '';
  if (/^\$?[{(<[]/.test(run)) return at + run.length;
  return at + (LIST.exec(run)?.index ?? run.length);
}

/** Whether what begins here is one of a list of `name=value`, as in addresses and connection strings. */
export function isListed(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return before === '?' || before === '&' || before === ';' || before === '#';
}
