import { ownValue } from '../ownValue';

/** What stands before a run, as far as it changes what the first character of the run costs. */
export const contexts = ['blank', 'lineBreak', 'lower', 'upper', 'digit', 'mark', 'wide'] as const;
type Context = (typeof contexts)[number];

interface CharacterClass {
  name: string;
  /** The characters (below 0x80), or the first and the last first byte of their UTF-8 form. */
  members: string | readonly [number, number];
  /** What a character of the class is to the run that follows it. */
  context: Context;
  /** The position in a run up to which each one costs differently. */
  positions: number;
  /** After the last position comes the first again, as digits are taken in threes; else the last one goes on. */
  isCyclic?: boolean;
}

/**
 * The classes of characters that an estimate tells apart. A character belongs to the class of the first byte of its UTF-8
 * form, so that bytes need not be decoded.
 */
export const characterClasses: readonly CharacterClass[] = [
  { name: 'lower', members: [0x61, 0x7a], context: 'lower', positions: 10 },
  { name: 'upper', members: [0x41, 0x5a], context: 'upper', positions: 5 },
  { name: 'digit', members: [0x30, 0x39], context: 'digit', positions: 3, isCyclic: true },
  { name: 'blank', members: ' ', context: 'blank', positions: 8 },
  { name: 'tab', members: '\t\v\f', context: 'blank', positions: 3 },
  { name: 'lineBreak', members: '\n\r', context: 'lineBreak', positions: 3 },
  { name: 'quote', members: '"\'`', context: 'mark', positions: 3 },
  { name: 'opening', members: '([{<', context: 'mark', positions: 3 },
  { name: 'closing', members: ')]}>', context: 'mark', positions: 3 },
  { name: 'sentence', members: ',.;:!?', context: 'mark', positions: 4 },
  { name: 'joiner', members: '_-', context: 'mark', positions: 6 },
  { name: 'slash', members: '/\\|', context: 'mark', positions: 3 },
  { name: 'operator', members: '=+*&%$#@^~', context: 'mark', positions: 6 },
  { name: 'control', members: '', context: 'mark', positions: 3 },
  { name: 'latin', members: [0xc2, 0xcb], context: 'wide', positions: 3 },
  { name: 'greek', members: [0xcc, 0xcf], context: 'wide', positions: 5 },
  { name: 'cyrillic', members: [0xd0, 0xd5], context: 'wide', positions: 6 },
  { name: 'semitic', members: [0xd6, 0xdf], context: 'wide', positions: 5 },
  { name: 'indic', members: [0xe0, 0xe0], context: 'wide', positions: 5 },
  { name: 'otherScript', members: [0xe1, 0xe1], context: 'wide', positions: 4 },
  { name: 'symbol', members: [0xe2, 0xe2], context: 'wide', positions: 6 },
  { name: 'kana', members: [0xe3, 0xe3], context: 'wide', positions: 4 },
  { name: 'han', members: [0xe4, 0xe9], context: 'wide', positions: 4 },
  { name: 'hangul', members: [0xea, 0xed], context: 'wide', positions: 4 },
  { name: 'form', members: [0xee, 0xef], context: 'wide', positions: 3 },
  { name: 'astral', members: [0xf0, 0xff], context: 'wide', positions: 4 },
];

/** Bits that a class takes in the index of a transition. */
export const classBits = 5;
/** The class of a continuation byte of UTF-8, which costs nothing and changes nothing. */
export const continuation = 31;

/** The class of a character by the first byte of its UTF-8 form. */
export const classOfByte: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 && byte < 0xc2) return continuation;
  const found = characterClasses.findIndex(({ members }) =>
    typeof members === 'string'
      ? members.includes(String.fromCharCode(byte))
      : byte >= members[0] && byte <= members[1],
  );
  return found < 0 ? characterClasses.findIndex(({ name }) => name === 'control') : found;
});

/** What the characters of one class cost, in tokens. */
export interface RunWeights {
  /** The first character of a run, by what stands before it, in the order of `contexts`. */
  readonly after: readonly number[];
  /** The following characters, by their position in the run; the last weight holds for all that follow. */
  readonly run: readonly number[];
}

/** What characters cost, by the name of their class. */
export type EstimateWeights = Readonly<Record<string, RunWeights>>;

/**
 * The weights as a state machine: a state is a class and a position in a run of it, and a character leads from one to the
 * next at a cost. Both tables are indexed by `(state << classBits) | class`.
 */
export class RunMachine {
  readonly initialState: number;
  readonly next: Uint8Array;
  readonly cost: Float64Array;

  constructor(weights: EstimateWeights) {
    const firstStates: number[] = [];
    const states = characterClasses.flatMap((own, index) => {
      firstStates.push(characterClasses.slice(0, index).reduce((sum, { positions }) => sum + positions, 0));
      return Array.from({ length: own.positions }, (_, position) => ({ own, position }));
    });
    this.next = new Uint8Array(states.length << classBits);
    this.cost = new Float64Array(states.length << classBits);
    // Text begins as after a line break.
    this.initialState = firstStates[characterClasses.findIndex(({ name }) => name === 'lineBreak')] ?? 0;
    states.forEach(({ own, position }, state) => {
      this.next.fill(state, state << classBits, (state + 1) << classBits);
      characterClasses.forEach((target, index) => {
        const entry = (state << classBits) | index;
        const first = firstStates[index] ?? 0;
        const isSameRun = target === own;
        const following = own.isCyclic ? (position + 1) % own.positions : Math.min(position + 1, own.positions - 1);
        this.next[entry] = isSameRun ? first + following : first;
        const weight = ownValue(weights, target.name);
        this.cost[entry] = (isSameRun ? weight?.run[following] : weight?.after[contexts.indexOf(own.context)]) ?? 0;
      });
    });
  }
}
