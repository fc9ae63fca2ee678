import type { AssistantEntry, Entry, HumanEntry } from './entry';

/** What ends within a word may be another word: "no" does not begin "now". */
const MIN_HALF_TYPED = 8;

/** Requests that were stopped before anything was answered, and sent again or to the end. */
export class ResentRequests {
  /** The last request, while it has no answer. */
  private asked: HumanEntry['blocks'] | undefined;

  /** Whether a request says again what the one before it said, or began to say. */
  repeats(entry: HumanEntry): boolean {
    if (this.asked === undefined || !isRequest(entry)) return false;
    const asked = requestOf(this.asked);
    const { words, pictures } = requestOf(entry.blocks);
    return asked.words !== '' && pictures >= asked.pictures && begins(asked.words, words);
  }

  take(entry: Entry): void {
    if (entry.base.isSidechain) return;
    if (entry.kind === 'human' && isRequest(entry)) this.asked = entry.blocks;
    else if (entry.kind === 'assistant' && isSubstance(entry)) this.asked = undefined;
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
function begins(asked: string, words: string): boolean {
  if (!words.startsWith(asked)) return false;
  const { length } = asked;
  const isWithinWord = /^[\p{L}\d]{2}$/u.test(words.slice(length - 1, length + 1));
  return !isWithinWord || length >= MIN_HALF_TYPED;
}

function isSubstance({ blocks, tools }: AssistantEntry): boolean {
  return tools.length > 0 || blocks.some((block) => block.kind === 'text');
}
