import type { FactKind, SessionFact } from './types';
import { withShortPaths } from './commands';
import { endingsOf, pathTokens } from './paths';
import { bareText } from './saidText';
import { WordIndex, type WordSearch } from '../text/wordIndex';
import { wordsOf } from '../text/words';

/** Sentences may be put in other words: two thirds of what they say, in twice their length. */
const PARAPHRASE = { share: 0.65, factor: 2, more: 10 } as const;

/** A name of several files counts half: it says that one of them is meant, and not which. */
const AMBIGUOUS = 0.5;

/**
 * Which facts a text still holds. A *sentence* (instruction, decision, error) is held when words that make up at least 65 % of its
 * content stand near each other: in one paragraph, among twice as many words as the sentence has and ten more. Words count by
 * their stems, names and figures double, words like `the` not at all; where the sentence denies something, a denial must be among
 * them. A *command* needs 80 % of its words, an *identifier* all of them side by side. A *path* is held by any ending of it that no
 * other path of the session has, and half by one that others have as well. Markdown, letter case and line breaks make no difference.
 *
 * More paragraphs, wherever they are put, never make a fact unheld. Linear in the text; each fact costs what its rarest words occur.
 */
export class FactFinder {
  private readonly text: string;
  private readonly words: WordIndex;
  private readonly endings: ReadonlySet<string>;
  private readonly sharers: ReadonlyMap<string, number>;

  constructor(facts: readonly SessionFact[], text: string) {
    this.text = bareText(text).replace(/\\(?=[_*`#[\]<>~|])/g, '');
    this.words = new WordIndex(this.text);
    this.endings = endingsIn(this.text);
    this.sharers = sharersOf(facts);
  }

  /** How much of a fact the text holds, from 0 to 1. */
  share({ kind, text }: Pick<SessionFact, 'kind' | 'text'>): number {
    if (kind === 'path') return this.pathShare(text);
    return this.holdsWords(kind, text) ? 1 : 0;
  }

  /** Whether the text says this, in the same words or in others. */
  holdsWords(kind: Exclude<FactKind, 'path'>, text: string): boolean {
    const words = wordsOf(kind === 'command' ? withShortPaths(text) : text);
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

function searchFor(kind: Exclude<FactKind, 'path'>, length: number): WordSearch {
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
function sharersOf(facts: readonly SessionFact[]): Map<string, number> {
  const sharers = new Map<string, number>();
  for (const { kind, text } of facts) {
    if (kind !== 'path') continue;
    for (const ending of endingsOf(text)) sharers.set(ending, (sharers.get(ending) ?? 0) + 1);
  }
  return sharers;
}
