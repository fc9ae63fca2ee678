import { answersPerson } from './bareRefusal';
import type { AssistantEntry, Entry, HumanEntry, NoteEntry, QueueEntry, ToolResultEntry } from './entry';
import { PromptQueue, queuedWords, type Arrival } from './promptQueue';

/** Who learns that a node is something else than it seemed when it was read. */
export interface WordsSink {
  /** A node that said nothing turned out to be a human's words. */
  onWords(entry: HumanEntry, node: number): void;
  /** Words that are a record of their own after all: the node says nothing. */
  onWithdrawn(node: number): void;
}

interface BareRefusal {
  readonly entry: HumanEntry;
  readonly text: string;
  readonly node: number;
}

/**
 * What only later records can tell: that a prompt in the queue entered the running turn, that a result is the sentence of a person. It
 * takes the entries of a transcript in file order.
 */
export class LaterWords {
  private readonly queue = new PromptQueue();
  private refusals: BareRefusal[] = [];

  constructor(private readonly sink: WordsSink) {}

  /** Prompts that were typed, but never sent. */
  get unsent(): readonly QueueEntry[] {
    return this.queue.left;
  }

  take(entry: Entry, node: number): void {
    if (entry.kind === 'assistant') this.hear(entry);
    else if (entry.kind === 'human') this.hearHuman(entry);
    else if (entry.kind === 'toolResult') this.hold(entry, node);
    else if (entry.kind === 'queue') {
      const entered = this.queue.take(entry, node);
      if (entered !== undefined) this.sink.onWords(queuedWords(entered.entry), entered.node);
    } else if (entry.kind === 'note') this.hearNote(entry);
  }

  private hearNote({ note, command }: NoteEntry): void {
    if (note.kind === 'command' || command !== undefined) this.withdraw(note.text, { isTyped: false, command });
    else if (note.kind === 'meta') this.queue.reported();
  }

  private hearHuman(entry: HumanEntry): void {
    if (this.queue.isOpen) {
      const texts = entry.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
      const isTyped = entry.results.length === 0 && entry.origin !== 'queued';
      this.withdraw(texts.join('\n'), { isTyped, command: entry.command });
    }
    this.decide(entry.base.isSidechain, undefined);
  }

  private withdraw(text: string, how: Arrival): void {
    const entered = this.queue.said(text, how);
    if (entered !== undefined) this.sink.onWithdrawn(entered.node);
  }

  private hold({ base, results, bare }: ToolResultEntry, node: number): void {
    if (bare === undefined) return;
    const entry: HumanEntry = { kind: 'human', base, origin: 'answer', results, ...bare };
    const text = bare.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('\n');
    this.refusals.push({ entry, text, node });
  }

  private hear({ base, blocks, tools }: AssistantEntry): void {
    if (this.refusals.length === 0) return;
    const reply = blocks.find((block) => block.kind === 'text');
    if (reply === undefined && tools.length === 0) return;
    this.decide(base.isSidechain, reply?.kind === 'text' ? reply.text : undefined);
  }

  /** What was said next decides who spoke in the results before. */
  private decide(isSidechain: boolean, reply: string | undefined): void {
    if (this.refusals.length === 0) return;
    const held = this.refusals.filter(({ entry }) => entry.base.isSidechain === isSidechain);
    this.refusals = this.refusals.filter(({ entry }) => entry.base.isSidechain !== isSidechain);
    for (const { entry, text, node } of held) if (answersPerson(text, reply)) this.sink.onWords(entry, node);
  }
}

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
