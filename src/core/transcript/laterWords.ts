import { answersPerson } from './bareRefusal';
import type { ChainNode } from './threads';
import {
  textsOf,
  type AssistantEntry,
  type Entry,
  type HumanEntry,
  type NoteEntry,
  type QueueEntry,
  type ToolResultEntry,
} from './entry';
import { readAuthorship } from './authorship';

/** Who learns that a node is something else than it seemed when it was read. */
export interface WordsSink {
  /** A node that said nothing turned out to be a human's words. */
  onWords(entry: HumanEntry, node: ChainNode | undefined): void;
  /** Words that are a record of their own after all: the node says nothing. */
  onWithdrawn(node: ChainNode | undefined): void;
}

interface BareRefusal {
  readonly entry: HumanEntry;
  readonly text: string;
  readonly node: ChainNode | undefined;
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

  take(entry: Entry, node: ChainNode | undefined): void {
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
      const isTyped = entry.results.length === 0 && entry.origin !== 'queued';
      this.withdraw(textsOf(entry.blocks).join('\n'), { isTyped, command: entry.command });
    }
    this.decide(entry.base.isSidechain, undefined);
  }

  private withdraw(text: string, how: Arrival): void {
    const entered = this.queue.said(text, how);
    if (entered !== undefined) this.sink.onWithdrawn(entered.node);
  }

  private hold({ base, results, bare }: ToolResultEntry, node: ChainNode | undefined): void {
    if (bare === undefined) return;
    const entry: HumanEntry = { kind: 'human', base, origin: 'answer', results, ...bare };
    this.refusals.push({ entry, text: textsOf(bare.blocks).join('\n'), node });
  }

  private hear({ base, blocks, tools }: AssistantEntry): void {
    if (this.refusals.length === 0) return;
    const [reply] = textsOf(blocks);
    if (reply === undefined && tools.length === 0) return;
    this.decide(base.isSidechain, reply);
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
  const texts = textsOf(blocks);
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

/** A prompt in the queue. */
interface Queued {
  readonly entry: QueueEntry;
  readonly node: ChainNode | undefined;
  /** The words, as the record of its own has them. */
  readonly words: string;
  /** A typed prompt, a slash command, or something of the harness: a running turn takes prompts first, and no commands. */
  readonly kind: 'prompt' | 'command' | 'harness';
  /** Whether it stands in the transcript as a record of its own, although nothing says yet that it left the queue. */
  isSaid: boolean;
  /** Whether the session went on without the queue, as after a restart. */
  isForgotten: boolean;
  /** Known when it has left the queue, and the client says which one that was. */
  command?: string | undefined;
}

/** How words came that stand as a record of their own. */
export interface Arrival {
  /** As a prompt, and not from the queue. */
  readonly isTyped: boolean;
  /** Which one of the queue it was, where the client says so. */
  readonly command?: string | undefined;
}

/** A prompt that entered a running turn, and the node that is its place. */
interface EnteredPrompt {
  readonly entry: QueueEntry;
  readonly node: ChainNode | undefined;
}

/** Why a client takes prompts out of the queue that it hands to nobody. */
const NEVER_SAID: ReadonlySet<string> = new Set([
  'agent_stopped',
  'cleared_on_cancel',
  'dropped_by_hook',
  'dropped_on_restart',
  'not_carried_to_background',
  'rewound',
]);

const COMMAND = /^\/[\w:.-]+(?:\s|$)/;

/**
 * Follows the queue of prompts typed while the assistant worked. A prompt that left it by `dequeue` becomes a record of its own, one
 * that was taken back by `popAll` was never said. One that left it by `remove` entered the running turn: newer clients write a record
 * of it, for older ones the queue is the only place where the words stand. `enqueue` and `popAll` say which prompt they mean by its words,
 * newer clients also `remove`, and by an id that the record has too.
 */
class PromptQueue {
  private readonly waiting: Queued[] = [];
  /** Prompts that were announced as records of their own, and have not come yet. */
  private announced = 0;
  private readonly entered: Queued[] = [];
  /** Prompts that have a record of their own, and have not left the queue yet. */
  private readonly delivered = new Set<string>();

  /** Whether prompts wait, were announced, or entered a turn. */
  get isOpen(): boolean {
    return this.waiting.length > 0 || this.announced > 0 || this.entered.length > 0;
  }

  /** What was typed, but never said. */
  get left(): readonly QueueEntry[] {
    return this.waiting.flatMap(({ entry, kind, isSaid }) => (kind === 'harness' || isSaid ? [] : [entry]));
  }

  /** The prompt that entered the running turn by this operation. `node` is the place of a typed prompt. */
  take(entry: QueueEntry, node: ChainNode | undefined): EnteredPrompt | undefined {
    const { operation, text } = entry;
    if (operation === 'enqueue') this.enqueue(entry, node);
    else if (operation === 'dequeue') this.announced++;
    else if (operation === 'popAll' || operation === 'popOne') this.takeBack(text);
    else if (operation === 'remove') return this.remove(entry);
    return undefined;
  }

  /** Words that arrived as a record. Returns the prompt that had seemed to stand nowhere else, if they are its words. */
  said(text: string, { isTyped, command: key }: Arrival): EnteredPrompt | undefined {
    const words = text.trim();
    if (key !== undefined) {
      const named = this.entered.findIndex((queued) => queued.command === key);
      if (named >= 0) return this.entered.splice(named, 1)[0];
      this.delivered.add(key);
    }
    const at = this.waiting.findIndex((queued) => !queued.isSaid && queued.words === words);
    if (at >= 0) {
      if (this.announced > 0) {
        this.announced--;
        this.waiting.splice(at, 1);
      } else this.mark(at);
      return undefined;
    }
    const known = this.entered.findIndex(
      (queued) => queued.words === words && (key === undefined || queued.command === undefined),
    );
    if (known >= 0) {
      if (this.announced > 0) this.announced--;
      return this.entered.splice(known, 1)[0];
    }
    if (!isTyped) return undefined;
    if (this.announced > 0) this.arrived('prompt', 'command');
    else for (const queued of this.waiting) queued.isForgotten = true;
    return undefined;
  }

  /** Something of the harness arrived as a record. */
  reported(): void {
    if (this.announced > 0 && this.waiting.some(({ kind }) => kind === 'harness')) this.arrived('harness');
  }

  private enqueue(entry: QueueEntry, node: ChainNode | undefined): void {
    const author = readAuthorship(entry.text);
    const words = 'text' in author ? author.text.trim() : '';
    const isTyped = author.kind === 'words' || author.kind === 'nothing';
    const kind = author.kind === 'command' || COMMAND.test(words) ? 'command' : isTyped ? 'prompt' : 'harness';
    this.waiting.push({ entry, node, words, kind, isSaid: false, isForgotten: false });
  }

  private mark(at: number): void {
    const queued = this.waiting[at];
    if (queued !== undefined) queued.isSaid = true;
  }

  private takeBack(text: string): void {
    const isWanted = ({ entry, kind }: Queued): boolean => kind !== 'harness' && (text === '' || entry.text === text);
    if (text !== '') {
      this.drop(this.waiting.findIndex(isWanted));
      return;
    }
    for (let at = this.waiting.findIndex(isWanted); at >= 0; at = this.waiting.findIndex(isWanted)) this.drop(at);
  }

  private remove({ text, reason = '', command: key }: QueueEntry): EnteredPrompt | undefined {
    const queued = this.drop(text === '' ? this.next() : this.waiting.findIndex(({ entry }) => entry.text === text));
    const isDelivered = key !== undefined && this.delivered.delete(key);
    if (queued?.kind !== 'prompt' || queued.isSaid || isDelivered || NEVER_SAID.has(reason)) return undefined;
    if (queued.entry.words === undefined) return undefined;
    queued.command = key;
    this.entered.push(queued);
    return queued;
  }

  /** Which one a running turn takes. */
  private next(): number {
    const orders: ((queued: Queued) => boolean)[] = [
      ({ isSaid }) => isSaid,
      ({ kind, isForgotten }) => kind === 'prompt' && !isForgotten,
      ({ kind }) => kind === 'harness',
      ({ kind }) => kind === 'prompt',
      () => true,
    ];
    for (const matches of orders) {
      const at = this.waiting.findIndex(matches);
      if (at >= 0) return at;
    }
    return -1;
  }

  /** The record that was announced came in other words. */
  private arrived(...kinds: readonly Queued['kind'][]): void {
    this.announced--;
    this.drop(this.waiting.findIndex(({ kind, isSaid }) => kinds.includes(kind) && !isSaid));
  }

  private drop(at: number): Queued | undefined {
    return at < 0 ? undefined : this.waiting.splice(at, 1)[0];
  }
}

/** A prompt from the queue as the human's words. */
export function queuedWords({ base, words }: QueueEntry): HumanEntry {
  const { blocks, tokens } = words ?? { blocks: [], tokens: 0 };
  return { kind: 'human', base, origin: 'queued', blocks, results: [], tokens };
}
