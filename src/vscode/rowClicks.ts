import * as z from 'zod/mini';

/** What a click on a row passes, and nothing else; `id` is the row's own. */
const rowSchema = z.object({ from: z.literal('row'), id: z.string() });

/** VS Code does not tell a view whether its row was clicked once or twice: the command of the row is simply run twice. */
const DOUBLE_CLICK_MS = 600;

/** Tells clicks that look from clicks that go, as in the search view: the first one leaves the focus in the list. */
export class RowClicks {
  private last: { id: string; atMs: number } | undefined;

  /** Whether this is a single click on a row, or the first of two. */
  isFirst(argument: unknown): boolean {
    const row = rowSchema.safeParse(argument);
    if (!row.success) return false;
    const { id } = row.data;
    const atMs = performance.now();
    const isSecond = this.last?.id === id && atMs - this.last.atMs < DOUBLE_CLICK_MS;
    this.last = isSecond ? undefined : { id, atMs };
    return !isSecond;
  }
}
