import { placesIn } from './paths';
import alternatives from '../text/alternatives.json';
import { hasPhrase, phrasesIn, placedWords, type FoundPhrase, type PhraseKind } from '../text/phrases';
import { quotedValues } from '../text/terms';
import { NEGATION, wordsOf } from '../text/words';
import { classRowsOf, ENVIRONMENT, isClass, namesIn, type NamedThing } from './namedThings';

/** Something named, of which a project mostly has one, and whether it is ruled out. */
interface Value {
  readonly name: string;
  /** Those that stand in one row stand for each other; a class stands for all of its row. */
  readonly rows: ReadonlySet<number>;
  readonly isClass: boolean;
  readonly isDenied: boolean;
}

type Said = Value & NamedThing;

/** What a statement says, in the form in which it is compared with others. */
export interface Reading {
  /** The question that it answers, as a key; '' where there was none. */
  readonly about: string;
  readonly values: readonly Value[];
  /** What it holds for: files, environments, systems, programming languages, by their kinds. */
  readonly places: ReadonlyMap<string, ReadonlySet<string>>;
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
  /** Says so in other words than that it holds from now on. */
  readonly isTurn: boolean;
  /** Tells what to run for something else: `format with `npm run format`` chooses no package manager. */
  readonly isCommand: boolean;
  /** What alone is ruled out, where that is one word: `axios`, in `don't use axios`. */
  readonly forbidden: ReadonlySet<string>;
}

/** A statement's first sentences say what it is about. */
const LONGEST = 600;
const FILE = 'file';
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
const CLAUSE_END = /[,;.:!?()—–](?:\s|$)/gu;
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

const meanings = new Map(
  alternatives.same.flatMap((words) => {
    const [first = '', ...others] = words.map(stemOf);
    return others.map((other): [string, string] => [other, first]);
  }),
);

/** Reads a statement; `about` is the question that it answers, where there was one. */
export function readStatement(content: string, about = ''): Reading {
  const text = content.slice(0, LONGEST);
  const all = phrasesIn('denies', text);
  // `Do not` denies once, though `not` does, too.
  const denials = all.filter((one) => !all.some((other) => other !== one && isInside(one, other)));
  const isAllowed = hasPhrase('allows', text);
  const named = namesIn(text);
  const found = named.map((one): Said => {
    const isDenied = isDeniedAt(one.start, text, { denials, named });
    return { ...one, isClass: isClass(one.name), isDenied };
  });
  // `For the cache` says what for; `no cache` rules out all of its kind.
  const isOnlyClass = found.every(({ isClass }) => isClass);
  const told = found.filter(({ isClass, isDenied }) => !isClass || isDenied || isAllowed || isOnlyClass);
  const files = placesIn(text);
  const where = told.filter((value) => isWhere(value, text, told, files));
  const values = told.filter((value) => !where.includes(value));
  const changes = phrasesIn('changes', text);
  const rest = files.reduce(
    (left, file) => left.replace(file, ' '),
    blanked(text, [...MANNER.flatMap((kind) => phrasesIn(kind, text)), ...told]),
  );
  const words = wordsOf(rest).filter(({ weight, stem }) => weight > 0 && stem !== NEGATION);
  const placed = [...text.matchAll(/(?<![\p{L}\p{N}_.])\d+(?:[.,]\d+)*(?![\p{L}_])/gu)];
  const leaving = denials.map((denial) => ({ denial, number: placed.find((one) => isLeftBy(denial, one, text))?.[0] }));
  const left = new Set(leaving.flatMap(({ number }) => number ?? []));
  const numbers = placed.map(([number]) => number).filter((number) => !left.has(number));
  const spelled = placedWords(text).flatMap(({ word }) => NUMBER_WORDS.get(word) ?? []);
  const literals = [
    ...quotedValues(text).filter((value) => !files.includes(value)),
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
    places: placesOf(files, where),
    literals: new Set(literals.map((literal) => literal.toLowerCase())),
    numbers: new Set([...numbers, ...spelled]),
    leftNumbers: left,
    subject: own,
    isDenied: values.length > 0 ? values.every(({ isDenied }) => isDenied) : denying % 2 === 1,
    isAllowed,
    isChange: changes.length > 0,
    isTurn: changes.some((change) => !phrasesIn('henceforth', text).some((one) => isInside(change, one))),
    isCommand: own.size >= LEAST_SHARED && COMMAND.test(text),
    forbidden: forbiddenIn(text, denials),
  };
}

/** Whether what was said later leaves nothing of what was said earlier. */
export function replaces(later: Reading, earlier: Reading): boolean {
  if (later.about !== '' && later.about === earlier.about) return true;
  if (isElsewhere(later, earlier)) return false;
  if (later.values.length > 0 || earlier.values.length > 0) return replacesValues(later, earlier);
  return givesUpNumber(later, earlier) || replacesWords(later, earlier);
}

function replacesWords(later: Reading, earlier: Reading): boolean {
  const isSame = isSameFile(later, earlier);
  const shared = commonOf(later.subject, earlier.subject) + Number(isSame);
  const likeness = shared / Math.max(1, Math.min(later.subject.size, earlier.subject.size) + Number(isSame));
  if (likeness < SAME || (shared < LEAST_SHARED && !isEnough(later, earlier)) || isOfElse(later, earlier)) return false;
  if (later.isDenied || earlier.isDenied) return later.isDenied !== earlier.isDenied;
  if (isOther(later.numbers, earlier.numbers)) return isOtherNumber(later, earlier);
  const isMoved = later.isTurn && later.places.has(FILE) && earlier.places.has(FILE) && !isSame;
  return likeness >= NEARLY_ALL && shared >= LEAST_SHARED && (isMoved || isOther(later.literals, earlier.literals));
}

/** One word in common says that both are about the same where the later one says so, or neither has more. */
function isEnough({ isChange, isAllowed, subject }: Reading, earlier: Reading): boolean {
  return isChange || isAllowed || subject.size + earlier.subject.size === 2;
}

/** Another number for the same thing: where names differ too, or all of several numbers, it is the number of something else. */
function isOtherNumber(later: Reading, earlier: Reading): boolean {
  const isNamed = isOther(later.literals, earlier.literals) || Math.min(later.numbers.size, earlier.numbers.size) > 1;
  return isOther(later.numbers, earlier.numbers) && !isNamed && !isOfElse(withLiterals(later), withLiterals(earlier));
}

function isSameFile({ places }: Reading, earlier: Reading): boolean {
  const others = [...(earlier.places.get(FILE) ?? [])];
  return [...(places.get(FILE) ?? [])].some((one) => others.some((other) => isSamePlace(one, other)));
}

function withLiterals(reading: Reading): Reading {
  return { ...reading, subject: new Set([...reading.subject, ...reading.literals]) };
}

/**
 * Holds for other files, environments or systems, or for one alone, which makes an exception. Only what says that it changes something may name
 * another file for the same thing.
 */
function isElsewhere(later: Reading, earlier: Reading): boolean {
  for (const [kind, own] of later.places) {
    const others = [...(earlier.places.get(kind) ?? [])];
    const isShared = others.some((other) => [...own].some((one) => isSamePlace(one, other)));
    if (!isShared && !(kind === FILE && later.isTurn)) return true;
  }
  return false;
}

/** A file may be named with more or fewer of its folders. */
function isSamePlace(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

/** Each names something that the other one does not, and neither says that it changes anything: tests are no builds. */
function isOfElse(later: Reading, earlier: Reading): boolean {
  const isNew = commonOf(later.subject, earlier.subject) < later.subject.size;
  const isGone = commonOf(earlier.subject, later.subject) < earlier.subject.size;
  return isNew && isGone && (!later.isChange || likenessOf(later.subject, earlier.subject) < NEARLY_ALL);
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
  const rows = classRowsOf(name);
  const affirmed = values.filter((value) => !value.isDenied && !value.isClass);
  if (affirmed.some((value) => value.name === name)) return false;
  return affirmed.length === 1 && affirmed.some((value) => overlaps(value.rows, rows));
}

function replacesValues(later: Reading, earlier: Reading): boolean {
  if (earlier.values.length === 0 || later.values.length === 0) return false;
  const isLeft = (old: Value): boolean => later.values.some(({ name, isDenied }) => isDenied && name === old.name);
  if (later.isChange && earlier.values.some((old) => !old.isDenied && isLeft(old))) return true;
  if (!isCompatible(later, earlier) || isOfElse(withLiterals(later), withLiterals(earlier))) return false;
  if (isOtherValue(later, earlier) || (isSameValues(later, earlier) && isOtherNumber(later, earlier))) return true;
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
  return commonOf(later.subject, earlier.subject) >= LEAST_SHARED;
}

/** `Poll` and `polling`: a stem may be cut within its ending. */
function isSameStem(one: string, other: string): boolean {
  if (one === other) return true;
  return Math.min(one.length, other.length) >= LEAST_STEM && (one.startsWith(other) || other.startsWith(one));
}

function isSameValues(later: Reading, earlier: Reading): boolean {
  const [now, before] = [later, earlier].map(({ values }) => values.map(({ name, isDenied }) => `${name} ${isDenied}`));
  return now?.sort().join() === before?.sort().join();
}

/** Something else for the very same. */
function isOtherValue(later: Reading, earlier: Reading): boolean {
  const shared = commonOf(later.subject, earlier.subject);
  if (shared < 2 || shared < NEARLY_ALL * Math.max(later.subject.size, earlier.subject.size)) return false;
  const names = new Set(later.values.map(({ name }) => name));
  return (
    ![...later.values, ...earlier.values].some(({ isDenied }) => isDenied) &&
    earlier.values.every(({ name }) => !names.has(name))
  );
}

/** A class and one of its kind: `no ORM`, and then `drizzle is fine`. */
function standsFor({ name, rows }: Pick<Value, 'name' | 'rows'>, old: Value): boolean {
  return isClass(name) !== old.isClass && overlaps(rows, old.rows);
}

/** Of one use: what is said for one use alone makes an exception, and takes nothing back. */
function isCompatible(later: Reading, earlier: Reading): boolean {
  if (later.subject.size === 0) return true;
  if (earlier.subject.size === 0) return (later.isChange || later.isAllowed) && !later.isCommand;
  return likenessOf(later.subject, earlier.subject) > 0.5;
}

/** A system or a language is where something holds, if something else is said of it; `python 3` is a version of it. */
function isWhere(
  { place, end, isDenied }: Said,
  text: string,
  told: readonly Said[],
  files: readonly string[],
): boolean {
  if (place === '' || isDenied) return place === ENVIRONMENT;
  const isVersion = /^\s?v?\d/.test(text.slice(end));
  return (
    told.some((other) => other.place === '' && !other.isDenied) ||
    quotedValues(text).length + files.length > 0 ||
    (!isVersion && /(?<![\p{L}\p{N}_.])\d/u.test(text))
  );
}

function placesOf(files: readonly string[], where: readonly NamedThing[]): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  const all = [...files.map((file) => ({ name: file.toLowerCase(), place: FILE })), ...where];
  for (const { name, place } of all) places.set(place, (places.get(place) ?? new Set()).add(name));
  return places;
}

function isInside(one: FoundPhrase, other: FoundPhrase): boolean {
  return other.start <= one.start && one.end <= other.end;
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
  const signs = [...text.matchAll(CLAUSE_END)].map(({ 0: sign, index }) => ({
    start: index,
    end: index + sign.length,
  }));
  const ends = [...signs, ...phrasesIn('turns', text)];
  const before = ends.filter(({ start }) => start < at).map(({ end }) => end);
  const after = ends.filter(({ start }) => start >= at).map(({ start }) => start);
  return { start: Math.max(0, ...before), end: Math.min(text.length, ...after) };
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

/** How many stems of the one the other one has, too. */
function commonOf(one: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return [...one].filter((stem) => [...others].some((other) => isSameStem(stem, other))).length;
}

/** How much of the smaller one both have. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return commonOf(one, other) / Math.max(1, Math.min(one.size, other.size));
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
