import { readStatement, replaces, type Reading } from '../../material/replacing';
import { QUESTION } from '../../text/sentences';
import { quotedValues } from '../../text/terms';
import type { Unit } from './unit';

/** So many later rules on a subject are looked at. */
const MOST_COMPARED = 48;
/** As much of a stem as forms of a word have in common. */
const KEY_LENGTH = 4;
const LONGEST_RULE = 400;

/**
 * Finds what need not be said: units that say the same as an earlier one, and rules on which a later one of the human's has the last word.
 */
export function findSuperseded(units: readonly Unit[]): Set<number> {
  const superseded = findRepeated(units);
  const later = new LaterRules();
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined || superseded.has(index) || !isRule(unit)) continue;
    const rule = { reading: readStatement(unit.text), message: unit.messages[0] ?? 0 };
    if (later.hasReplacementOf(rule)) superseded.add(index);
    else if (unit.role === 'user') later.add(rule);
  }
  return superseded;
}

/** Questions, code and steps lay nothing down, nor do words that are no rule and give no value to the letter. */
function isRule({ kind, text, isRule: isLaidDown }: Unit): boolean {
  if ((kind !== 'sentence' && kind !== 'item') || QUESTION.test(text) || text.length > LONGEST_RULE) return false;
  return isLaidDown === true || quotedValues(text).length > 0;
}

interface Rule {
  readonly reading: Reading;
  readonly message: number;
}

/** The human's rules that come after the place that is looked at. */
class LaterRules {
  private readonly byWord = new Map<string, Rule[]>();

  add(rule: Rule): void {
    for (const word of wordsOf(rule)) {
      const known = this.byWord.get(word);
      if (known === undefined) this.byWord.set(word, [rule]);
      else if (known.length < MOST_COMPARED) known.push(rule);
    }
  }

  hasReplacementOf(rule: Rule): boolean {
    for (const word of wordsOf(rule)) {
      for (const { reading, message } of this.byWord.get(word) ?? [])
        if (message > rule.message && replaces(reading, rule.reading)) return true;
    }
    return false;
  }
}

/** What statements have in common of which one may replace the other. */
function wordsOf({ reading: { subject, values } }: Rule): Set<string> {
  const rows = values.flatMap(({ rows: own }) => [...own].map(String));
  return new Set([...[...subject].map((stem) => stem.slice(0, KEY_LENGTH)), ...rows]);
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
