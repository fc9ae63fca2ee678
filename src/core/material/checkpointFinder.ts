import { wordsOf, NEGATION, type Word, bareText } from '../text/words';
import type { CheckpointKind, Checkpoint } from './types';
import { withShortPaths } from './commands';
import { endingsOf, pathTokens } from './paths';
import { countUp } from '../text/ownValue';

/** Sentences may be put in other words: two thirds of what they say, in twice their length. */
const PARAPHRASE = { share: 0.65, factor: 2, more: 10 } as const;

/** A name of several files counts half: it says that one of them is meant, and not which. */
const AMBIGUOUS = 0.5;

/**
 * Which checkpoints a text still holds. A *sentence* (instruction, decision, error) is held when words that make up at least 65 % of its
 * content stand near each other: in one paragraph, among twice as many words as the sentence has and ten more. Words count by
 * their stems, names and figures double, words like `the` not at all; where the sentence denies something, a denial must be among
 * them. A *command* needs 80 % of its words, an *identifier* all of them side by side. A *path* is held by any ending of it that no
 * other path of the session has, and half by one that others have as well. Markdown, letter case and line breaks make no difference.
 *
 * More paragraphs, wherever they are put, never make a checkpoint unheld. Linear in the text; each checkpoint costs what its rarest words occur.
 */
export class CheckpointFinder {
  private readonly text: string;
  private readonly words: WordIndex;
  private readonly endings: ReadonlySet<string>;
  private readonly sharers: ReadonlyMap<string, number>;

  constructor(checkpoints: readonly Checkpoint[], text: string) {
    this.text = bareText(text).replace(/\\(?=[_*`#[\]<>~|])/g, '');
    this.words = new WordIndex(this.text);
    this.endings = endingsIn(this.text);
    this.sharers = sharersOf(checkpoints);
  }

  /** How much of a checkpoint the text holds, from 0 to 1. */
  share(checkpoint: Pick<Checkpoint, 'kind' | 'text'>): number {
    if (checkpoint.kind === 'path') return this.pathShare(checkpoint.text);
    return this.#has(checkpoint.kind, checkpointWords(checkpoint)) ? 1 : 0;
  }

  /** Whether the text says this, in the same words or in others. */
  saysWords(text: string): boolean {
    return this.#has('instruction', wordsOf(text));
  }

  #has(kind: Exclude<CheckpointKind, 'path'>, words: readonly Word[]): boolean {
    return this.words.has(words, searchFor(kind, words.length));
  }

  private pathShare(path: string): number {
    const held = endingsOf(path).filter((ending) => this.endings.has(ending));
    if (held.some((ending) => (this.sharers.get(ending) ?? 0) <= 1)) return 1;
    // The whole path of one file may be an ending of another's.
    if (held.includes(endingsOf(path).at(-1) ?? '')) return 1;
    // A name with spaces in it is not seen as one name among words.
    if (/[^\p{L}\p{N}\p{M}_@.+~$%/()[\]-]/u.test(path) && this.text.includes(path)) return 1;
    return held.length > 0 ? AMBIGUOUS : 0;
  }
}

/** The same checkpoints are looked for in one text after the other. */
const cut = new WeakMap<object, readonly Word[]>();

function checkpointWords(checkpoint: Pick<Checkpoint, 'kind' | 'text'>): readonly Word[] {
  const { kind, text } = checkpoint;
  const words = cut.get(checkpoint) ?? wordsOf(kind === 'command' ? withShortPaths(text) : text);
  cut.set(checkpoint, words);
  return words;
}

function searchFor(kind: Exclude<CheckpointKind, 'path'>, length: number): WordSearch {
  if (kind === 'identifier') return { share: 1, within: length + 1, isLiteral: true };
  const within = length * PARAPHRASE.factor + PARAPHRASE.more;
  return kind === 'command' ? { share: 0.8, within, isLiteral: true } : { share: PARAPHRASE.share, within };
}

function endingsIn(text: string): Set<string> {
  const endings = new Set<string>();
  for (const { token } of pathTokens(text)) for (const ending of endingsOf(token)) endings.add(ending);
  return endings;
}

/** How many paths have an ending. */
function sharersOf(checkpoints: readonly Checkpoint[]): Map<string, number> {
  const sharers = new Map<string, number>();
  for (const { kind, text } of checkpoints) {
    if (kind !== 'path') continue;
    for (const ending of endingsOf(text)) countUp(sharers, ending);
  }
  return sharers;
}

/** No word: a paragraph ends here. */
const BREAK = -1;
const PARAGRAPHS = /\r?\n[ \t>]*\r?\n/;

/** How words are looked for. */
interface WordSearch {
  /** The share of the words, by weight, that must be found: 0 to 1. */
  readonly share: number;
  /** They must stand among so many words of one paragraph. */
  readonly within: number;
  /** Whether words without content of their own count as well. */
  readonly isLiteral?: boolean;
}

/** The words of a text, for finding many others in it. */
class WordIndex {
  private readonly ids = new Map<string, number>();
  private readonly places: number[][] = [];
  private readonly sequence: number[] = [];

  constructor(text: string) {
    for (const paragraph of text.split(PARAGRAPHS)) {
      for (const { stem } of wordsOf(paragraph)) this.place(stem);
      this.sequence.push(BREAK);
    }
  }

  /**
   * Whether a paragraph holds enough of these words near each other. Where something is denied, it must be denied here too. More
   * paragraphs, wherever they are put, never make words unfound.
   */
  has(words: readonly Word[], search: WordSearch): boolean {
    const wanted = this.wanted(words, search);
    if (wanted === undefined) return false;
    const { anchors } = wanted;
    return anchors.some((anchor) => (this.places[anchor] ?? []).some((at) => this.isAround(at, wanted, search.within)));
  }

  private place(stem: string): void {
    let id = this.ids.get(stem);
    if (id === undefined) {
      id = this.places.length;
      this.ids.set(stem, id);
      this.places.push([]);
    }
    this.places[id]?.push(this.sequence.length);
    this.sequence.push(id);
  }

  /** What must be found, and the rarest words of which one must be among it; undefined when the text cannot hold enough of them. */
  private wanted(words: readonly Word[], { share, isLiteral = false }: WordSearch): WantedWords | undefined {
    const all = new Map<string, number>();
    const hasContent = words.some(({ weight }) => weight > 0);
    for (const { stem, weight } of words) {
      const counts = isLiteral || !hasContent ? Math.max(1, weight) : weight;
      if (counts > 0) all.set(stem, Math.max(all.get(stem) ?? 0, counts));
    }
    const weights = new Map<number, number>();
    let total = 0;
    let present = 0;
    for (const [stem, weight] of all) {
      const id = this.ids.get(stem);
      total += weight;
      present += id === undefined ? 0 : weight;
      if (id !== undefined) weights.set(id, weight);
    }
    const needed = total * share - 1e-9;
    const negation = all.has(NEGATION) ? this.ids.get(NEGATION) : undefined;
    const isDenied = all.has(NEGATION);
    if (present === 0 || present < needed || (isDenied && negation === undefined)) return undefined;
    return { weights, needed, negation, anchors: this.anchorsOf(weights, present - needed) };
  }

  /** So many of the rarest words that what is left without them is not enough. */
  private anchorsOf(weights: ReadonlyMap<number, number>, spare: number): number[] {
    const rarest = [...weights].sort(([a], [b]) => this.frequency(a) - this.frequency(b));
    const anchors: number[] = [];
    let sum = 0;
    for (const [id, weight] of rarest) {
      anchors.push(id);
      sum += weight;
      if (sum > spare) break;
    }
    return anchors;
  }

  private frequency(id: number): number {
    return this.places[id]?.length ?? 0;
  }

  /** Looks at every window of that length that holds the word at `at`: one pass, in which words come in at the end and leave at the beginning. */
  private isAround(at: number, { weights, needed, negation }: WantedWords, within: number): boolean {
    const counts = new Map<number, number>();
    let sum = 0;
    const first = this.edge(at, -1, within);
    const last = this.edge(at, 1, within);
    for (let end = first; end <= last; end++) {
      sum += changed(counts, weights, this.sequence[end], 1);
      if (end - within >= first) sum -= changed(counts, weights, this.sequence[end - within], -1);
      if (sum >= needed && (negation === undefined || (counts.get(negation) ?? 0) > 0)) return true;
    }
    return false;
  }

  /** The last place of the paragraph in a direction, at most a window away. */
  private edge(at: number, step: 1 | -1, within: number): number {
    let place = at;
    for (let taken = 1; taken < within; taken++) {
      const next = this.sequence[place + step];
      if (next === undefined || next === BREAK) break;
      place += step;
    }
    return place;
  }
}

interface WantedWords {
  readonly weights: ReadonlyMap<number, number>;
  readonly needed: number;
  readonly negation: number | undefined;
  readonly anchors: readonly number[];
}

/** Counts a word that comes in or leaves; what it weighs when it is the first to come, or the last to leave. */
function changed(
  counts: Map<number, number>,
  weights: ReadonlyMap<number, number>,
  id: number | undefined,
  by: 1 | -1,
): number {
  const weight = id === undefined ? undefined : weights.get(id);
  if (id === undefined || weight === undefined) return 0;
  const before = counts.get(id) ?? 0;
  counts.set(id, before + by);
  return (by === 1 ? before === 0 : before === 1) ? weight : 0;
}
