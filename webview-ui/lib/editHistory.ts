/** What was edited, step by step. Values are never changed, only replaced. */
export interface HistorySteps<T> {
  readonly past: readonly T[];
  readonly future: readonly T[];
}

const MOST_STEPS = 50;
/** Edits of one field that follow each other as fast as this are one step: nobody undoes letter by letter. */
const MERGE_MS = 1000;

/** Undo and redo for one value. */
export class EditHistory<T> {
  private past: T[];
  private future: T[];
  private last: { field: string; atMs: number } | undefined;

  constructor(steps: HistorySteps<T> = { past: [], future: [] }) {
    this.past = [...steps.past];
    this.future = [...steps.future];
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** For remembering: as many steps as are worth it, the latest ones. */
  steps(most: number): HistorySteps<T> {
    return { past: this.past.slice(-most), future: this.future.slice(-most) };
  }

  /** `before` is what was there before an edit of `field`; without one, it is a step of its own. What was undone cannot be redone any more. */
  record(before: T, field: string | undefined, nowMs: number): void {
    const isSameStep =
      field !== undefined && this.last?.field === field && nowMs - this.last.atMs < MERGE_MS && this.past.length > 0;
    if (!isSameStep) this.past = [...this.past, before].slice(-MOST_STEPS);
    this.future = [];
    this.last = field === undefined ? undefined : { field, atMs: nowMs };
  }

  /** What is there now has a meaning of its own, as something saved: the next edit is another step, however fast it comes. */
  endStep(): void {
    this.last = undefined;
  }

  /** What was there before the last step; undefined when there was nothing. */
  undo(current: T): T | undefined {
    const before = this.past.pop();
    if (before !== undefined) this.future.push(current);
    this.last = undefined;
    return before;
  }

  redo(current: T): T | undefined {
    const after = this.future.pop();
    if (after !== undefined) this.past.push(current);
    this.last = undefined;
    return after;
  }
}
