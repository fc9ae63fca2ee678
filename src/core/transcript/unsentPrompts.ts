import { readAuthorship } from './authorship';
import type { QueueEntry } from './entry';

/**
 * Follows the queue of prompts typed while the assistant worked. One that was sent stands in the transcript again as a
 * record of its own; what is left at the end was typed, but never said.
 */
export class UnsentPrompts {
  private waiting: QueueEntry[] = [];

  take(entry: QueueEntry): void {
    if (entry.operation === 'enqueue') this.waiting.push(entry);
    else if (entry.operation === 'dequeue') this.waiting.shift();
    else if (entry.operation === 'popAll') this.waiting = [];
    else if (entry.operation === 'remove') this.remove(entry.text);
  }

  /** Words that arrived as a message or a command are no longer waiting. */
  said(text: string): void {
    if (this.waiting.length === 0) return;
    const words = text.trim();
    const at = this.waiting.findIndex((entry) => wordsOf(entry.text) === words);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  get left(): readonly QueueEntry[] {
    return this.waiting;
  }

  private remove(text: string): void {
    const at = this.waiting.findIndex((entry) => entry.text === text);
    this.waiting.splice(at < 0 ? this.waiting.length - 1 : at, 1);
  }
}

function wordsOf(text: string): string {
  const author = readAuthorship(text);
  return 'text' in author ? author.text.trim() : '';
}
