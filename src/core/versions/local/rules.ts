import { NEGATION, wordsOf } from '../../text/words';
import { craftStems } from '../../text/craftWords';
import { quotedValues } from '../../text/terms';
import type { Unit } from './unit';

/** How a value is built: a rule about beginnings does not replace one about ends. */
export type Shape = 'head' | 'tail' | 'decorator' | 'number' | 'name' | 'word' | 'none';

/** What a sentence says about one value, or, where there is none, about what it names. */
export interface Rule {
  readonly message: number;
  /** What it is about, without the value: words with their weights, 1 for words of the craft. */
  readonly subject: ReadonlyMap<string, number>;
  readonly shape: Shape;
  readonly isNegative: boolean;
  /** Says that something is different from before. */
  readonly isChange: boolean;
}

/** Words that tell how a rule is put, and not what it is about. */
const RULE_MANNER = new Set(
  wordsOf(
    'always must should use using used start starting begin beginning end ending include including add adding write writing name names naming named ' +
      'make sure ensure follow convention conventions prefix suffix format style please want need like going forward moving now remember prefer switch ' +
      'instead change changed update updated require required rule rules string letter contain contains containing apply adopt adopting keep new all every each our your from onwards ' +
      'code coding them it practice standard prefixed suffixed lower case upper somewhere within ' +
      'всегда используй использовать нужно теперь впредь имена имя начинай должны ' +
      'immer verwende verwenden ab jetzt namen siempre usa usar nombres toujours utilise utiliser noms sempre use nomes',
  ).map(({ stem }) => stem),
);
const CRAFT = craftStems((word) => wordsOf(word)[0]?.stem ?? word);
/** Words of the craft name what a rule is about; the others often just stand beside it. */
const OTHER_WORD = 0.4;
/** Words before a value that tell what it is the value of. */
const WORDS_BEFORE_VALUE = 4;
const WORDS_AFTER_VALUE = 2;
const MOST_VALUES = 6;
const LONGEST_RULE = 400;

const NAME_LIKE = /@[\p{L}_][\p{L}\p{N}_]*|(?<![\p{L}\p{N}_])(?:_[\p{L}\p{N}]+|[\p{L}\p{N}]+_)(?![\p{L}\p{N}_])/gu;
const CHANGE =
  /(?<!\p{L})(?:instead|no longer|not anymore|rather than|switch(?:ed|ing)? (?:to|from)|change[ds]? (?:to|from|of)|replace|now on|update[ds]?|revert|вместо|больше не|теперь|stattdessen|nicht mehr|en lugar de|ya no|au lieu|ne plus|em vez de|بدلا|بدلاً)(?!\p{L})|改为|改成|改用|不再|而不是|代わり|ではなく|変更|대신/iu;

/** What a unit lays down. Nothing for questions, code and steps, nor for words that are no rule and give no value that could be one. */
export function readRules(unit: Unit): Rule[] {
  const { text, kind, messages } = unit;
  if ((kind !== 'sentence' && kind !== 'item') || unit.isQuestion === true || text.length > LONGEST_RULE) return [];
  const values = [...new Set([...quotedValues(text), ...matchesOf(text, NAME_LIKE)])].slice(0, MOST_VALUES);
  const affixes = values.filter((value) => /^(?:head|tail)$/.test(shapeOf(value)));
  if (unit.isRule !== true && affixes.length === 0) return [];
  const base = { message: messages[0] ?? 0, isNegative: unit.isNegative === true, isChange: CHANGE.test(text) };
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
