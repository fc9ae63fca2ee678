import { phrasesIn } from '../../text/phrases';
import { relativePathsIn } from '../../material/paths';
import type { CoreLogicFact, FactsDocument, RuleFact } from '../../model/layers';
import { readStatement } from '../../material/replacing';

/**
 * What was found of the names that were asked for: '' for what is there, and the day on which git saw it go, with what a file is called since
 * behind an arrow. What could not be looked for is `UNSURE`; what is `NOWHERE`, or absent, is not there, and nobody knows since when.
 */
export type Whereabouts = ReadonlyMap<string, string>;

export const UNSURE = '?';
export const NOWHERE = '-';
export const RENAMED = ' → ';

type Anchored = RuleFact | CoreLogicFact;

/**
 * Notes for each fact that holds whether what it names is there: files, scripts, packages, ports, symbols. Only what git or an earlier check
 * has seen can be gone: other names may be plans, or a way of speaking.
 */
export async function withAnchors(
  document: FactsDocument,
  find: (names: readonly string[]) => Promise<Whereabouts>,
  today: string,
): Promise<FactsDocument> {
  const { rules, core_logic: core } = document.permanent;
  const names = new Map([...rules, ...core].map((fact) => [fact, namesIn(fact)]));
  const asked = [...new Set([...names.values()].flat())];
  if (asked.length === 0) return document;
  const found = await find(asked);
  const checked = <Fact extends Anchored>(fact: Fact): Fact => {
    return { ...fact, anchors: anchorsOf(fact.anchors ?? {}, names.get(fact) ?? [], { found, today }) };
  };
  return {
    ...document,
    permanent: { ...document.permanent, rules: rules.map(checked), core_logic: core.map(checked) },
  };
}

/** What a fact names and is gone, in words; undefined while all is there, and for what a person confirmed. */
export function outdatedNote({
  anchors = {},
  isConfirmed,
}: Pick<Anchored, 'anchors' | 'isConfirmed'>): string | undefined {
  const [gone] = Object.entries(anchors).filter(([, seen]) => seen !== '');
  if (gone === undefined || isConfirmed === true) return undefined;
  const [name, seen] = gone;
  const [day, renamed] = seen.split(RENAMED);
  const told = name.replace(':', ' ');
  return renamed === undefined
    ? `may be outdated: ${told} is gone since ${day}`
    : `may be outdated: ${told} is ${renamed} since ${day}`;
}

const SCRIPT = /\b(?:(?:npm|pnpm|yarn|bun) run|pnpm|yarn|npm(?= (?:test|start)\b)) ([a-z][\w:.-]{1,40})/g;
const PORT = /^(?:\s{1,3}|\s?[:：]\s?)(\d{2,5})\b/;
const HOST_PORT = /(?<=\w):(\d{4,5})\b/g;
const CODE = /`([^`\n]{2,80})`/g;
/** A name that nobody writes in plain words: `readAll()`, `retryCount`, `RETRY_COUNT`. */
const SYMBOL = /^(?=.*(?:[a-z\d][A-Z]|_|\(\)$))[A-Za-z_$][\w$]{3,60}(?:\(\))?$/;
const PACKAGE = /^(?:@[\w.-]{1,40}\/)?[a-z][\w.-]{1,40}$/;

/** All that a fact names and that could be looked for. */
function namesIn(fact: Anchored): string[] {
  if (fact.supersededBy !== undefined || fact.isRejected === true) return [];
  const text = isRule(fact) ? fact.content : fact.description;
  const codes = [...text.matchAll(CODE)].map(([, code = '']) => code);
  const values = readStatement(text).values.filter(({ isDenied, isClass }) => !isDenied && !isClass);
  return [
    ...relativePathsIn(text),
    ...[...text.matchAll(SCRIPT)].map(([, name = '']) => `script:${name}`),
    ...[...codes, ...values.map(({ name }) => name)]
      .filter((name) => PACKAGE.test(name))
      .map((name) => `package:${name}`),
    ...phrasesIn('ports', text)
      .flatMap(({ end }) => PORT.exec(text.slice(end, end + 12))?.[1] ?? [])
      .map((port) => `port:${port}`),
    ...[...text.matchAll(HOST_PORT)].map(([, port = '']) => `port:${port}`),
    ...codes.filter((code) => SYMBOL.test(code)).map((code) => `symbol:${code.replace('()', '')}`),
  ];
}

function isRule(fact: Anchored): fact is RuleFact {
  return typeof fact['content'] === 'string';
}

function anchorsOf(
  known: Readonly<Record<string, string>>,
  names: readonly string[],
  { found, today }: { readonly found: Whereabouts; readonly today: string },
): Record<string, string> | undefined {
  const before = new Map(Object.entries(known));
  const anchors = names.flatMap((name) => {
    const looked = found.get(name);
    const seen = looked === NOWHERE ? undefined : looked;
    const now = seen === UNSURE ? before.get(name) : (seen ?? (before.get(name) === '' ? today : before.get(name)));
    return now === undefined ? [] : [[name, now] as const];
  });
  return anchors.length === 0 ? undefined : Object.fromEntries(anchors);
}
