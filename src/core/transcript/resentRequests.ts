import { hash64 } from '../keepit/markerId';
import type { AssistantEntry, Entry, HumanEntry } from './entry';
import type { SummarizerState } from './readingState';

/** What ends within a word may be another word: "no" does not begin "now". */
const MIN_HALF_TYPED = 8;

/** Requests that were stopped before anything was answered, and sent again or to the end. */
export class ResentRequests {
  /** The last request, while it has no answer. */
  private asked: SummarizerState['asked'];

  constructor(asked: SummarizerState['asked']) {
    this.asked = asked;
  }

  state(): SummarizerState['asked'] {
    return this.asked;
  }

  /** Whether a request says again what the one before it said, or began to say. */
  repeats(entry: HumanEntry): boolean {
    if (this.asked === undefined || !isRequest(entry)) return false;
    const { words, pictures } = requestOf(entry);
    return pictures >= this.asked.pictures && begins(this.asked, words);
  }

  take(entry: Entry): void {
    if (entry.base.isSidechain) return;
    if (entry.kind === 'assistant' && isSubstance(entry)) this.asked = undefined;
    if (entry.kind !== 'human' || !isRequest(entry)) return;
    const { words, pictures } = requestOf(entry);
    this.asked = words === '' ? undefined : { hash: hash64(words), length: words.length, pictures };
  }
}

function isRequest({ base, results }: HumanEntry): boolean {
  return !base.isSidechain && results.length === 0;
}

function requestOf({ blocks }: HumanEntry): { readonly words: string; readonly pictures: number } {
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
