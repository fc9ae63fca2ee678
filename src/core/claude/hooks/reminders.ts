import { NEGATION, wordsOf } from '../../text/words';
import { reminderUnitSchema, type ReminderIndex, type ReminderUnit } from '../../model/preparedBrief';
import { SCHEMA_VERSION } from '../../model/fields';
import { pushTo, sumOf } from '../../text/ownValue';

/** Something to be reminded of, before it is known how much its words tell. */
export interface ReminderSource {
  readonly id: string;
  readonly text: string;
  /** What it is, and since when, for the model. */
  readonly label: string;
  readonly sessionId?: string | undefined;
}

/** Names tell more than words. */
const NAME_WEIGHT = 1.5;
/** In a project with few memories every word is rare: so many more are thought to be there, in which it is not. */
const UNSEEN = 40;
/** What two rare words, or a rare name and a word, come to. */
const LEAST_MATCH = 7;
const LEAST_WORDS = 2;
/** Of the prompt's words that memory knows at all, or of all that is remembered, so much must be the same. */
const LEAST_SHARE = 0.4;
/** What is looked at of a prompt: its beginning says what it is about, and pasted text follows. */
const MAX_PROMPT = 4000;

/** Makes an index of what there is to be reminded of. `isEmpty` tells words by which anything is put. */
export function indexReminders(sources: readonly ReminderSource[], isEmpty: (stem: string) => boolean): ReminderIndex {
  const stemsOf = sources.map(({ text }) => tellingStems(text, isEmpty));
  const units = new Map<string, number[]>();
  for (const [at, stems] of stemsOf.entries()) {
    for (const stem of stems.keys()) pushTo(units, stem, at);
  }
  const weightOf = (stem: string): number => rarity(units.get(stem)?.length ?? 0, sources.length);
  const lines = [...units]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([stem, at]) => {
      return `\n${stem} ${weightOf(stem).toFixed(2)} ${at.join(' ')}`;
    });
  return {
    version: SCHEMA_VERSION,
    units: sources.map((source, at) => {
      const stems = [...(stemsOf[at] ?? [])];
      const weight = sumOf(stems, ([stem, factor]) => weightOf(stem) * factor);
      return JSON.stringify({ ...source, weight: Number(weight.toFixed(2)) });
    }),
    words: `${lines.join('')}\n`,
  };
}

/** What a prompt strongly reminds of, the strongest first. */
export function remindersFor(prompt: string, index: ReminderIndex): ReminderUnit[] {
  const scores = new Map<number, { score: number; words: number }>();
  let known = 0;
  for (const [stem, factor] of tellingStems(prompt.slice(0, MAX_PROMPT), () => false)) {
    const [weight, ...units] = lookUp(stem, index.words);
    if (weight === undefined) continue;
    known += weight * factor;
    for (const at of units) {
      const before = scores.get(at) ?? { score: 0, words: 0 };
      scores.set(at, { score: before.score + weight * factor, words: before.words + 1 });
    }
  }
  return [...scores]
    .filter(([, { score, words }]) => score >= LEAST_MATCH && words >= LEAST_WORDS)
    .sort(([, a], [, b]) => b.score - a.score)
    .flatMap(([at, { score }]) => {
      const unit = unitAt(index, at);
      return unit !== undefined && score >= LEAST_SHARE * Math.min(known, unit.weight) ? [unit] : [];
    });
}

/** The words of a text that can tell what it is about, each once, and how much they tell besides their rarity. */
function tellingStems(text: string, isEmpty: (stem: string) => boolean): Map<string, number> {
  const stems = new Map<string, number>();
  for (const { stem, weight } of wordsOf(text)) {
    if (weight === 0 || stem === NEGATION || stem.length < 2 || isEmpty(stem)) continue;
    stems.set(stem, weight === 2 ? NAME_WEIGHT : 1);
  }
  return stems;
}

function rarity(found: number, of: number): number {
  return Math.log(1 + (of + UNSEEN - found + 0.5) / (found + 0.5));
}

/** The weight of a word and the units that have it; empty when none has. A stem has no blank in it. */
function lookUp(stem: string, words: string): number[] {
  const at = words.indexOf(`\n${stem} `);
  if (at === -1) return [];
  const end = words.indexOf('\n', at + 1);
  return words
    .slice(at + stem.length + 2, end)
    .split(' ')
    .map(Number);
}

function unitAt(index: ReminderIndex, at: number): ReminderUnit | undefined {
  const unit = reminderUnitSchema.safeParse(JSON.parse(index.units[at] ?? 'null'));
  return unit.success ? unit.data : undefined;
}
