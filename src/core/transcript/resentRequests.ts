import { hash64 } from '../text/hash64';
import type { AssistantEntry, Entry, HumanEntry } from './entry';
import type { SummarizerState } from './readingState';

/** What ends within a word may be another word: "no" does not begin "now". */
const MIN_HALF_TYPED = 8;

/** Requests that were stopped before anything was answered, and sent again or to the end. */
export class ResentRequests {
  /** The last request, while it has no answer; of one that was read before, what the state has. */
  private asked: HumanEntry['blocks'] | undefined;

  constructor(private known: SummarizerState['asked']) {}

  state(): SummarizerState['asked'] {
    if (this.asked === undefined) return this.known;
    const { words, pictures } = requestOf(this.asked);
    return words === '' ? undefined : { hash: hash64(words), length: words.length, pictures };
  }

  /** Whether a request says again what the one before it said, or began to say. */
  repeats(entry: HumanEntry): boolean {
    if (!isRequest(entry)) return false;
    const asked = this.state();
    if (asked === undefined) return false;
    const { words, pictures } = requestOf(entry.blocks);
    return pictures >= asked.pictures && begins(asked, words);
  }

  take(entry: Entry): void {
    if (entry.base.isSidechain) return;
    const isAsked = entry.kind === 'human' && isRequest(entry);
    if (!isAsked && !(entry.kind === 'assistant' && isSubstance(entry))) return;
    this.known = undefined;
    this.asked = isAsked ? entry.blocks : undefined;
  }
}

function isRequest({ base, results }: HumanEntry): boolean {
  return !base.isSidechain && results.length === 0;
}

function requestOf(blocks: HumanEntry['blocks']): { readonly words: string; readonly pictures: number } {
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  return { words: texts.join('\n').trim().replace(/\s+/g, ' '), pictures: blocks.length - texts.length };
}

/** Whether what was asked first is the whole of some words, or what somebody had typed of them when it was sent. */
function begins({ hash, length }: { readonly hash: string; readonly length: number }, words: string): boolean {
  if (words.length < length || hash64(words.slice(0, length)) !== hash) return false;
  const isWithinWord = /^[\p{L}\d]{2}$/u.test(words.slice(length - 1, length + 1));
  return !isWithinWord || length >= MIN_HALF_TYPED;
}

function isSubstance({ blocks, tools }: AssistantEntry): boolean {
  return tools.length > 0 || blocks.some((block) => block.kind === 'text');
}
