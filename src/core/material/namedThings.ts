import alternatives from '../text/alternatives.json';
import type { FoundPhrase } from '../text/phrases';

/** Something in a text of which there are others: a tool, a language, an environment. */
export interface NamedThing extends FoundPhrase {
  readonly name: string;
  /** Those that stand in one row stand for each other. */
  readonly rows: ReadonlySet<number>;
  /** What kind of place it is, where statements may hold for it alone: a system, a language; else ''. */
  readonly place: string;
}

const LONGEST_NAME = 3;
const NAME = /[\p{L}\p{N}@][\p{L}\p{N}+#@./:_-]*/gu;
/** Something is always said of an environment; it never takes the place of another one. */
export const ENVIRONMENT = 'environment';

const rowsOf = new Map<string, Set<number>>();
const classes = new Set<string>();
for (const [row, { class: kind, names }] of alternatives.rows.entries()) {
  if (kind !== '') classes.add(kind);
  for (const name of kind === '' ? names : [...names, kind]) rowsOf.set(name, (rowsOf.get(name) ?? new Set()).add(row));
}
const environments = new Map(
  alternatives.environments.flatMap(([first = '', ...others]) => [first, ...others].map((name) => [name, first])),
);
/** Also plain words: they are names only where they are written as names are. */
const plain = new Set(alternatives.plain);

/** The things in a text for which there are others; the longest names count: `Google Meet`, and not `Meet`. */
export function namesIn(text: string): NamedThing[] {
  const written = [...text.matchAll(NAME)].map(({ 0: word, index }) => {
    return { word: word.replace(/(?<![.:/-])[.:/-]+$/, ''), start: index };
  });
  const found: NamedThing[] = [];
  for (let at = 0; at < written.length; at++) {
    for (let length = LONGEST_NAME; length > 0; length--) {
      const words = written.slice(at, at + length);
      const [first, last] = [words[0], words.at(-1)];
      const name = singular(
        words
          .map(({ word }) => word)
          .join(' ')
          .toLowerCase(),
      );
      const thing = words.length === length ? thingOf(name) : undefined;
      if (first === undefined || last === undefined || thing === undefined) continue;
      if (plain.has(name) && written.length > 2 && (at === 0 || !/^\p{Lu}/u.test(first.word))) continue;
      found.push({ ...thing, start: first.start, end: last.start + last.word.length });
      at += length - 1;
      break;
    }
  }
  return found;
}

function thingOf(name: string): Omit<NamedThing, keyof FoundPhrase> | undefined {
  const environment = environments.get(name);
  if (environment !== undefined) return { name: environment, rows: new Set(), place: ENVIRONMENT };
  const rows = rowsOf.get(name);
  const [place = ''] = [...(rows ?? [])].map((row) => alternatives.rows[row]?.place ?? '');
  return rows && { name, rows, place };
}

function singular(name: string): string {
  return rowsOf.has(name) ? name : name.replace(/s$/, '');
}

/** Whether a name stands for all of its row: `ORM`. */
export function isClass(name: string): boolean {
  return classes.has(name);
}

/** The rows of a name that stand for a class of things, of which a project uses one. */
export function classRowsOf(name: string): Set<number> {
  return new Set([...(rowsOf.get(name) ?? [])].filter((row) => alternatives.rows[row]?.class !== ''));
}
