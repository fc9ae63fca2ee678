import { oneLine } from '../core/text/cleanText';
import type { OnProgress, Progress } from '../core/sessions/results';
import { ownSequence } from './terminalText';
import { truncate } from './textWidth';

const INTERVAL_MS = 80;
const BAR_WIDTH = 20;
const LABEL_LENGTH = 80;
const CLEAR_LINE = ownSequence('\r\u001b[K');

const words: Record<Progress['step'], string> = {
  discover: 'Reading sessions',
  register: 'Adding to memory',
  sync: 'Syncing',
  count: 'Counting tokens',
  unregister: 'Removing',
  keepits: 'Reading keepits',
  compress: 'Compressing',
  compose: 'Composing',
  layer: 'Building layers',
  search: 'Searching',
};

/** One line at the bottom of a terminal that tells how far the work is. Says nothing where there is no terminal. */
export class ProgressLine {
  private readonly stream: { isTty: boolean; columns: number; write(text: string): void };
  private readonly nowMs: () => number;
  private lastDrawnMs = -Infinity;
  private isShown = false;

  constructor(stream: { isTty: boolean; columns: number; write(text: string): void }, nowMs: () => number) {
    this.stream = stream;
    this.nowMs = nowMs;
  }

  readonly onProgress: OnProgress = (progress) => {
    if (!this.stream.isTty || this.nowMs() - this.lastDrawnMs < INTERVAL_MS) return;
    this.lastDrawnMs = this.nowMs();
    this.isShown = true;
    this.stream.write(CLEAR_LINE + truncate(progressText(progress), this.stream.columns - 1));
  };

  /** Takes the line away, so that other text can be written. */
  clear(): void {
    if (!this.isShown) return;
    this.isShown = false;
    this.stream.write(CLEAR_LINE);
  }
}

function progressText({ step, done, total, label }: Progress): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  return `${words[step]} ${bar} ${percent}${label === undefined || label === '' ? '' : `  ${oneLine(label, LABEL_LENGTH)}`}`;
}
