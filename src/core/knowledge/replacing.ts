import alternatives from '../text/alternatives.json';
import { hasPhrase, phrasesIn, placedWords, type FoundPhrase, type PhraseKind } from '../text/phrases';
import { quotedValues } from '../text/terms';
import { NEGATION, wordsOf } from '../text/words';

/** Something named, of which a project mostly has one, and whether it is ruled out. */
interface Value {
  readonly name: string;
  /** Those that stand in one row stand for each other; a class stands for all of its row. */
  readonly rows: ReadonlySet<number>;
  readonly isClass: boolean;
  readonly isDenied: boolean;
}

/** What a statement says, in the form in which it is compared with others. */
export interface Reading {
  /** The question that it answers, as a key; '' where there was none. */
  readonly about: string;
  readonly values: readonly Value[];
  /** Names and quoted pieces that are meant to the letter. */
  readonly literals: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Numbers that hold no more: `not 6`, `replaces the 10 minutes`. */
  readonly leftNumbers: ReadonlySet<string>;
  /** Stems of what it is about: neither values, nor how rules are put. */
  readonly subject: ReadonlySet<string>;
  readonly isDenied: boolean;
  readonly isAllowed: boolean;
  /** Says that something is no longer as it was. */
  readonly isChange: boolean;
  /** Tells what to run for something else: `format with `npm run format`` chooses no package manager. */
  readonly isCommand: boolean;
  /** What alone is ruled out, where that is one word: `axios`, in `don't use axios`. */
  readonly forbidden: ReadonlySet<string>;
}

/** A statement's first sentences say what it is about. */
const LONGEST = 600;
const LONGEST_NAME = 3;
/** As much of the smaller subject both have, to be about the same. */
const SAME = 0.6;
/** The same sentence but for a value. */
const NEARLY_ALL = 0.75;
/** As many words of both subjects as show that a number which is given up is that of the other statement. */
const LEAST_SHARED = 2;
const LEAST_STEM = 4;
/** A number so few words behind a denial is what is denied: `replaces the 10 minutes`, and not `no push for 20 minutes`. */
const NEAR_WORDS = 1;
const COMMAND = /`[\w./-]{2,40} [^`]{1,200}`/;
const NAME = /[\p{L}\p{N}@][\p{L}\p{N}+#@./:_-]*/gu;
const CLAUSE_END = /[,;.:!?()—–](?:\s|$)|\s(?:but|aber|mais|pero|mas|ma|но|لكن)\s/gu;
const NUMBER_WORDS = new Map(
  ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((word, at) => [word, String(at + 1)]),
);
const MANNER: readonly PhraseKind[] = [
  'opener',
  'remember',
  'henceforth',
  'always',
  'here',
  'denies',
  'allows',
  'changes',
  'manner',
];

const rowsOf = new Map<string, Set<number>>();
const classes = new Set<string>();
for (const [row, { class: kind, names }] of alternatives.rows.entries()) {
  if (kind !== '') classes.add(kind);
  for (const name of kind === '' ? names : [...names, kind]) rowsOf.set(name, (rowsOf.get(name) ?? new Set()).add(row));
}
/** Also plain words: they are names only where they are written as names are. */
const plain = new Set(alternatives.plain);
const meanings = new Map(
  alternatives.same.flatMap((words) => {
    const [first = '', ...others] = words.map(stemOf);
    return others.map((other): [string, string] => [other, first]);
  }),
);

/** Reads a statement; `about` is the question that it answers, where there was one. */
export function readStatement(content: string, about = ''): Reading {
  const text = content.slice(0, LONGEST);
  const denials = phrasesIn('denies', text);
  const isAllowed = hasPhrase('allows', text);
  const all = namesIn(text);
  const found = all.map((one): Value & NamedValue => {
    const isDenied = isDeniedAt(one.start, text, { denials, named: all });
    return { ...one, isClass: classes.has(one.name), isDenied };
  });
  // `For the cache` says what for; `no cache` rules out all of its kind.
  const isOnlyClass = found.every(({ isClass }) => isClass);
  const values = found.filter(({ isClass, isDenied }) => !isClass || isDenied || isAllowed || isOnlyClass);
  const rest = blanked(text, [...MANNER.flatMap((kind) => phrasesIn(kind, text)), ...values]);
  const words = wordsOf(rest).filter(({ weight, stem }) => weight > 0 && stem !== NEGATION);
  const placed = [...text.matchAll(/(?<![\p{L}\p{N}_.])\d+(?:[.,]\d+)*(?![\p{L}_])/gu)];
  const leaving = denials.map((denial) => ({ denial, number: placed.find((one) => isLeftBy(denial, one, text))?.[0] }));
  const left = new Set(leaving.flatMap(({ number }) => number ?? []));
  const numbers = placed.map(([number]) => number).filter((number) => !left.has(number));
  const spelled = placedWords(text).flatMap(({ word }) => NUMBER_WORDS.get(word) ?? []);
  const literals = [
    ...quotedValues(text),
    ...words.filter(({ weight, stem }) => weight === 2 && /\D/.test(stem)).map(({ stem }) => stem),
  ];
  const subject = words
    .filter(({ stem }) => !/^\d/.test(stem) && !NUMBER_WORDS.has(stem))
    .map(({ stem }) => meanings.get(stem) ?? stem);
  const own = new Set(subject.filter((stem) => !literals.includes(stem)));
  const denying = leaving.filter(({ number }) => number === undefined || numbers.length === 0).length;
  return {
    about: keyOf(about),
    values,
    literals: new Set(literals.map((literal) => literal.toLowerCase())),
    numbers: new Set([...numbers, ...spelled]),
    leftNumbers: left,
    subject: own,
    isDenied: values.length > 0 ? values.every(({ isDenied }) => isDenied) : denying % 2 === 1,
    isAllowed,
    isChange: hasPhrase('changes', text),
    isCommand: own.size >= LEAST_SHARED && COMMAND.test(text),
    forbidden: forbiddenIn(text, denials),
  };
}

/** Whether what was said later leaves nothing of what was said earlier. */
export function replaces(later: Reading, earlier: Reading): boolean {
  if (later.about !== '' && later.about === earlier.about) return true;
  if (later.values.length > 0 || earlier.values.length > 0) return replacesValues(later, earlier);
  return givesUpNumber(later, earlier) || replacesWords(later, earlier);
}

function replacesWords(later: Reading, earlier: Reading): boolean {
  const shared = sharedOf(later.subject, earlier.subject);
  const likeness = likenessOf(later.subject, earlier.subject);
  const isTurn = later.isChange || later.isAllowed || later.subject.size + earlier.subject.size === 2;
  if (likeness < SAME || (shared < 2 && !isTurn)) return false;
  if (later.isDenied || earlier.isDenied) return later.isDenied !== earlier.isDenied;
  if (isOther(later.numbers, earlier.numbers)) return true;
  return likeness >= NEARLY_ALL && shared > 1 && isOther(later.literals, earlier.literals);
}

/** Equal for statements of the same values on the same subject, however they are put. */
export function valueKey({ values, literals, numbers, subject, isDenied }: Reading): string {
  const named = values.map((value) => `${value.isDenied ? '-' : ''}${value.name}`);
  const parts = [named, [...literals], [...numbers], [...subject]].map((words) => [...new Set(words)].sort().join(' '));
  return parts.every((part) => part === '') ? '' : `${isDenied ? '-' : '+'} ${parts.join(' | ')}`;
}

/** The names that a statement rules out: by themselves, or because it names another one of their row. */
export function isAgainst({ values, forbidden }: Reading, name: string): boolean {
  if (forbidden.has(name) || values.some((value) => value.isDenied && value.name === name)) return true;
  const rows = new Set([...(rowsOf.get(name) ?? [])].filter((row) => alternatives.rows[row]?.class !== ''));
  const affirmed = values.filter((value) => !value.isDenied && !value.isClass);
  if (affirmed.some((value) => value.name === name)) return false;
  return affirmed.length === 1 && affirmed.some((value) => overlaps(value.rows, rows));
}

function replacesValues(later: Reading, earlier: Reading): boolean {
  if (earlier.values.length === 0 || later.values.length === 0) return false;
  const isLeft = (old: Value): boolean => later.values.some(({ name, isDenied }) => isDenied && name === old.name);
  if (later.isChange && earlier.values.some((old) => !old.isDenied && isLeft(old))) return true;
  if (!isCompatible(later, earlier)) return false;
  if (isOtherValue(later, earlier)) return true;
  const affirmed = later.values.filter(({ isDenied }) => !isDenied);
  const gone = earlier.values.filter((old) => {
    const same = later.values.filter(({ name, rows }) => name === old.name || standsFor({ name, rows }, old));
    if (same.length > 0) return same.some(({ isDenied }) => isDenied !== old.isDenied);
    return !old.isDenied && affirmed.some(({ rows }) => overlaps(rows, old.rows));
  });
  const counted = earlier.values.filter(({ isDenied }) => !isDenied);
  const needed = counted.length === 0 ? earlier.values.length : counted.length;
  return gone.length > 0 && (later.isChange || gone.length >= needed || gone.some(({ isDenied }) => isDenied));
}

/** Names a number of the earlier one as what holds no more. */
function givesUpNumber(later: Reading, earlier: Reading): boolean {
  if (sharedOf(later.leftNumbers, earlier.numbers) === 0) return false;
  // `Poll` and `polling`: a stem may be cut within its ending.
  const isSame = (one: string, other: string): boolean =>
    one === other ||
    (Math.min(one.length, other.length) >= LEAST_STEM && (one.startsWith(other) || other.startsWith(one)));
  const shared = [...later.subject].filter((one) => [...earlier.subject].some((other) => isSame(one, other)));
  return shared.length >= LEAST_SHARED;
}

/** Something else for the very same. */
function isOtherValue(later: Reading, earlier: Reading): boolean {
  const shared = sharedOf(later.subject, earlier.subject);
  if (shared < 2 || shared < NEARLY_ALL * Math.max(later.subject.size, earlier.subject.size)) return false;
  const names = new Set(later.values.map(({ name }) => name));
  return (
    ![...later.values, ...earlier.values].some(({ isDenied }) => isDenied) &&
    earlier.values.every(({ name }) => !names.has(name))
  );
}

/** A class and one of its kind: `no ORM`, and then `drizzle is fine`. */
function standsFor({ name, rows }: Pick<Value, 'name' | 'rows'>, old: Value): boolean {
  return classes.has(name) !== old.isClass && overlaps(rows, old.rows);
}

/** Of one use: what is said for one use alone makes an exception, and takes nothing back. */
function isCompatible(later: Reading, earlier: Reading): boolean {
  if (later.subject.size === 0) return true;
  if (earlier.subject.size === 0) return (later.isChange || later.isAllowed) && !later.isCommand;
  return likenessOf(later.subject, earlier.subject) > 0.5;
}

interface NamedValue extends FoundPhrase {
  readonly name: string;
  readonly rows: ReadonlySet<number>;
}

/** The things in a text for which there are others; the longest names count: `Google Meet`, and not `Meet`. */
function namesIn(text: string): NamedValue[] {
  const written = [...text.matchAll(NAME)].map(({ 0: word, index }) => {
    return { word: word.replace(/(?<![.:/-])[.:/-]+$/, ''), start: index };
  });
  const found: NamedValue[] = [];
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
      const rows = words.length === length ? rowsOf.get(name) : undefined;
      if (first === undefined || last === undefined || rows === undefined) continue;
      if (plain.has(name) && written.length > 2 && (at === 0 || !/^\p{Lu}/u.test(first.word))) continue;
      found.push({ name, rows, start: first.start, end: last.start + last.word.length });
      at += length - 1;
      break;
    }
  }
  return found;
}

function singular(name: string): string {
  return rowsOf.has(name) ? name : name.replace(/s$/, '');
}

/** Whether a denial stands before it in its clause, or after it with nothing else that it could be about. */
function isDeniedAt(
  at: number,
  text: string,
  { denials, named }: { denials: readonly FoundPhrase[]; named: readonly FoundPhrase[] },
): boolean {
  const { start, end } = clauseAt(at, text);
  const own = denials.filter((denial) => denial.start >= start && denial.start < end);
  // `Switch from one to the other` denies the one.
  const reaches = (denial: FoundPhrase): boolean => {
    const isFrom = text.slice(denial.start, denial.end).toLowerCase().endsWith(' from');
    return !(isFrom && /\sto\s/.test(text.slice(denial.end, at)));
  };
  if (own.some((denial) => denial.start < at && reaches(denial))) return true;
  return own.some(
    (denial) => denial.start > at && !named.some((other) => other.start > denial.start && other.start < end),
  );
}

function isLeftBy(denial: FoundPhrase, { index, 0: number }: RegExpExecArray, text: string): boolean {
  if (index < denial.end || index + number.length > clauseAt(denial.start, text).end) return false;
  return placedWords(text.slice(denial.end, index)).length <= NEAR_WORDS;
}

function clauseAt(at: number, text: string): { start: number; end: number } {
  let start = 0;
  for (const { 0: sign, index } of text.matchAll(CLAUSE_END)) {
    if (index >= at) return { start, end: index };
    start = index + sign.length;
  }
  return { start, end: text.length };
}

function forbiddenIn(text: string, denials: readonly FoundPhrase[]): Set<string> {
  const forbidden = denials.flatMap(({ start, end }) => {
    const clause = text.slice(end, clauseAt(start, text).end);
    const bare = blanked(
      clause,
      MANNER.flatMap((kind) => phrasesIn(kind, clause)),
    );
    const words = placedWords(bare).filter(({ word }) => word.length > 2);
    if (words.length === 1) return words.map(({ word }) => word);
    // `Never counts as "normal"` rules something else out than what is quoted.
    const quoted = quotedValues(bare);
    return words.length === quoted.flatMap((value) => placedWords(value)).length ? quoted : [];
  });
  return new Set(forbidden.map((word) => word.toLowerCase()));
}

function blanked(text: string, places: readonly FoundPhrase[]): string {
  let rest = text;
  for (const { start, end } of places) rest = `${rest.slice(0, start)}${' '.repeat(end - start)}${rest.slice(end)}`;
  return rest;
}

function isOther(later: ReadonlySet<string>, earlier: ReadonlySet<string>): boolean {
  return later.size > 0 && earlier.size > 0 && sharedOf(later, earlier) === 0;
}

function overlaps(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return [...one].some((row) => other.has(row));
}

function sharedOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((word) => other.has(word)).length;
}

/** How much of the smaller one both have. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return sharedOf(one, other) / Math.max(1, Math.min(one.size, other.size));
}

function keyOf(text: string): string {
  return wordsOf(text)
    .flatMap(({ stem, weight }) => (weight > 0 ? [stem] : []))
    .sort()
    .join(' ');
}

function stemOf(word: string): string {
  return wordsOf(word)[0]?.stem ?? word;
}
