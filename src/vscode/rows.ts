import * as z from 'zod/mini';

/** What a click on a row passes, and nothing else; `id` is the row's own. */
const clickSchema = z.object({ from: z.literal('row'), id: z.string() });
/** What our own key bindings pass. */
const keySchema = z.object({ from: z.literal('selection') });

/** VS Code does not tell a view whether its row was clicked once or twice: the command of the row is simply run twice. */
const DOUBLE_CLICK_MS = 600;

/** Tells clicks that look from clicks that go, as in the search view: the first one leaves the focus in the list. */
export class RowClicks {
  private last: { id: string; atMs: number } | undefined;

  /** Whether this is a single click on a row, or the first of two. */
  isFirst(argument: unknown): boolean {
    const row = clickSchema.safeParse(argument);
    if (!row.success) return false;
    const { id } = row.data;
    const atMs = performance.now();
    const isSecond = this.last?.id === id && atMs - this.last.atMs < DOUBLE_CLICK_MS;
    this.last = isSecond ? undefined : { id, atMs };
    return !isSecond;
  }
}

/** Whether a key was pressed in the view: on a row of another kind that means nothing, and is no mistake. */
export function isFromKey(argument: unknown): boolean {
  return keySchema.safeParse(argument).success;
}

/**
 * The rows that a command is about: for a key those that are selected, for a menu the rows that it was opened on, else what the command was
 * called with. Undefined when it was called with nothing, as from the palette.
 */
export function rowsMeant(
  [first, rows]: readonly unknown[],
  selection: readonly unknown[],
): readonly unknown[] | undefined {
  if (isFromKey(first)) return selection;
  const many: readonly unknown[] = Array.isArray(rows) ? rows : [];
  if (many.length > 0) return many;
  return first === undefined ? undefined : [first];
}
