import { hasPhrase } from '../../text/phrases';
import { ruleWords } from '../../text/wordLists';
import { NEGATION, stemsOf, wordsOf } from '../../text/words';
import { craftStems, quotedValues } from '../../text/terms';
import { QUESTION } from '../../text/sentences';
import type { Unit } from './unit';

const LEAST_LIKENESS = 0.6;
/** So many later rules on a subject are looked at. */
const MOST_COMPARED = 48;

/**
 * Finds what need not be said: units that say the same as an earlier one, and rules on which a later one of the human's has the last word.
 * A unit goes when all that it tells has been replaced.
 */
export function findSuperseded(units: readonly Unit[]): Set<number> {
  const superseded = findRepeated(units);
  const later = new LaterRules();
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined || superseded.has(index)) continue;
    const rules = readRules(unit);
    if (rules.length > 0 && rules.every((rule) => later.hasReplacementOf(rule))) superseded.add(index);
    else if (unit.role === 'user') for (const rule of rules) later.add(rule);
  }
  return superseded;
}

/** The human's rules that come after the place that is looked at. */
class LaterRules {
  private readonly byWord = new Map<string, Rule[]>();

  add(rule: Rule): void {
    for (const word of rule.subject.keys()) {
      const known = this.byWord.get(word);
      if (known === undefined) this.byWord.set(word, [rule]);
      else if (known.length < MOST_COMPARED) known.push(rule);
    }
  }

  hasReplacementOf(rule: Rule): boolean {
    for (const word of rule.subject.keys()) {
      for (const other of this.byWord.get(word) ?? []) if (replaces(other, rule)) return true;
    }
    return false;
  }
}

/** Whether a later rule has the last word on what an earlier one laid down. */
export function replaces(later: Rule, earlier: Rule): boolean {
  if (later.message <= earlier.message || later.shape !== earlier.shape) return false;
  const isFlipped = later.shape === 'none' && later.isNegative !== earlier.isNegative;
  if (!isFlipped && !isExclusive(later)) return false;
  return isFlipped ? namesSame(later, earlier) : likeness(later, earlier) >= LEAST_LIKENESS;
}

/** A name has one beginning and one end, a limit one number; of words and decorators there may be many, unless one comes instead of another. */
function isExclusive({ shape, isChange }: Rule): boolean {
  return shape === 'head' || shape === 'tail' || (isChange && shape !== 'none');
}

/** The same things of the craft, and nothing else of it. */
function namesSame(one: Rule, other: Rule): boolean {
  const names = (rule: Rule): string[] => [...rule.subject].flatMap(([word, weight]) => (weight === 1 ? [word] : []));
  const [few = [], many = []] = [names(one), names(other)].sort((a, b) => a.length - b.length);
  return few.length > 0 && few.every((word) => many.includes(word)) && many.length <= few.length + 1;
}

function likeness(one: Rule, other: Rule): number {
  let shared = 0;
  let all = 0;
  for (const [word, weight] of one.subject) {
    all += weight;
    if (other.subject.has(word)) shared += weight;
  }
  for (const [word, weight] of other.subject) if (!one.subject.has(word)) all += weight;
  return all === 0 ? 0 : shared / all;
}

/** Units that say what an earlier one has said, word for word. */
function findRepeated(units: readonly Unit[]): Set<number> {
  const repeated = new Set<number>();
  const seen = new Set<string>();
  for (const [index, { kind, text }] of units.entries()) {
    if (kind === 'detail' || kind === 'step' || kind === 'heading') continue;
    const key = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    if (key !== '' && seen.has(key)) repeated.add(index);
    seen.add(key);
  }
  return repeated;
}

/** How a value is built: a rule about beginnings does not replace one about ends. */
type Shape = 'head' | 'tail' | 'decorator' | 'number' | 'name' | 'word' | 'none';

/** What a sentence says about one value, or, where there is none, about what it names. */
interface Rule {
  readonly message: number;
  /** What it is about, without the value: words with their weights, 1 for words of the craft. */
  readonly subject: ReadonlyMap<string, number>;
  readonly shape: Shape;
  readonly isNegative: boolean;
  /** Says that something is different from before. */
  readonly isChange: boolean;
}

const RULE_MANNER = stemsOf(ruleWords());
const CRAFT = craftStems((word) => wordsOf(word)[0]?.stem ?? word);
/** Words of the craft name what a rule is about; the others often just stand beside it. */
const OTHER_WORD = 0.4;
/** Words before a value that tell what it is the value of. */
const WORDS_BEFORE_VALUE = 4;
const WORDS_AFTER_VALUE = 2;
const MOST_VALUES = 6;
const LONGEST_RULE = 400;

const NAME_LIKE = /@[\p{L}_][\p{L}\p{N}_]*|(?<![\p{L}\p{N}_])(?:_[\p{L}\p{N}]+|[\p{L}\p{N}]+_)(?![\p{L}\p{N}_])/gu;

/** What a unit lays down. Nothing for questions, code and steps, nor for words that are no rule and give no value that could be one. */
export function readRules(unit: Unit): Rule[] {
  const { text, kind, messages } = unit;
  if ((kind !== 'sentence' && kind !== 'item') || QUESTION.test(text) || text.length > LONGEST_RULE) return [];
  const values = [...new Set([...quotedValues(text), ...matchesOf(text, NAME_LIKE)])].slice(0, MOST_VALUES);
  const affixes = values.filter((value) => /^(?:head|tail)$/.test(shapeOf(value)));
  if (unit.isRule !== true && affixes.length === 0) return [];
  const base = { message: messages[0] ?? 0, isNegative: isDenied(text), isChange: hasPhrase('revises', text) };
  // Where a rule gives the end of a name, other words in quotation marks are examples of it.
  const telling = affixes.length > 0 ? affixes : values;
  if (telling.length === 0) return [{ ...base, shape: 'none', subject: subjectOf(contentOf(text)) }];
  let inherited: string[] = [];
  return telling.flatMap((value) => {
    const context = contextOf(text, value);
    if (context.length > 0) inherited = context;
    return inherited.length === 0 ? [] : [{ ...base, shape: shapeOf(value), subject: subjectOf(inherited) }];
  });
}

/** Whether a sentence forbids or rules out. */
export function isDenied(text: string): boolean {
  return wordsOf(text).some(({ stem }) => stem === NEGATION);
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([match]) => match);
}

/** The words that tell what a value is for: those before it in its clause, else those after it. */
function contextOf(text: string, value: string): string[] {
  const at = text.indexOf(value);
  const before =
    text
      .slice(0, at)
      .split(/[.;:!?]\s|\band\b/)
      .at(-1) ?? '';
  const after = contentOf(text.slice(at + value.length).split(/[,.;:!?](?:\s|$)|\band\b/, 1)[0] ?? '');
  const words = contentOf(before).slice(-WORDS_BEFORE_VALUE);
  return words.length > 0 ? words : after.slice(0, WORDS_AFTER_VALUE);
}

function contentOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) =>
    weight > 0 && stem !== NEGATION && !RULE_MANNER.has(stem) ? [stem] : [],
  );
}

function subjectOf(words: readonly string[]): Map<string, number> {
  return new Map(words.map((word) => [word, CRAFT.has(word) ? 1 : OTHER_WORD]));
}

function shapeOf(value: string): Shape {
  if (value.startsWith('@')) return 'decorator';
  if (/^[^_\s]+[_-]$/.test(value)) return 'head';
  if (/^[_-][^_\s]+$/.test(value)) return 'tail';
  if (/^[\d.,%]+$/.test(value)) return 'number';
  return /^\p{Lu}/u.test(value) ? 'name' : 'word';
}
