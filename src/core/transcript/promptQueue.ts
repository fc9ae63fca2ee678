import { readAuthorship } from './authorship';
import type { HumanEntry, QueueEntry } from './entry';

/** A prompt in the queue. */
interface Queued {
  readonly entry: QueueEntry;
  readonly node: number;
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
export interface EnteredPrompt {
  readonly entry: QueueEntry;
  readonly node: number;
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
export class PromptQueue {
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
  take(entry: QueueEntry, node: number): EnteredPrompt | undefined {
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

  private enqueue(entry: QueueEntry, node: number): void {
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
