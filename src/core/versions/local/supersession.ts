import type { Steps } from '../../transcript/steps';
import { readRules, type Rule } from './rules';
import type { Unit } from './unit';

const LEAST_LIKENESS = 0.6;
/** So many later rules on a subject are looked at. */
const MOST_COMPARED = 48;

/**
 * Finds what need not be said: units that say the same as an earlier one, and rules on which a later one of the human's has the last word.
 * A unit goes when all that it tells has been replaced.
 */
export function* findSuperseded(units: readonly Unit[]): Steps<Set<number>> {
  const superseded = findRepeated(units);
  yield;
  const later = new LaterRules();
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined || superseded.has(index)) continue;
    const rules = readRules(unit);
    if (rules.length > 0 && rules.every((rule) => later.hasReplacementOf(rule))) superseded.add(index);
    else if (unit.role === 'user') for (const rule of rules) later.add(rule);
    if (index % 256 === 0) yield;
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
