import * as z from 'zod/mini';
import type { SessionRef } from '../../src/core/registry/results';

/** What VS Code calls the rows of our view while they are dragged. */
const ROWS_MIME = 'application/vnd.code.tree.keepit.sessions';

/** Rows by their handles; ours end with the id that we gave them. */
const rowsSchema = z.object({ itemHandles: z.array(z.string()) });
const ROW_ID = /session:([^:]+):([^:]+)$/;

/** Whether sessions are being dragged over the page. */
export function holdsSessions(transfer: { readonly types: readonly string[] } | null): boolean {
  return transfer?.types.includes(ROWS_MIME) === true;
}

/** The sessions that were dropped; none when it was something else. */
export function droppedSessions(transfer: { getData(type: string): string } | null): SessionRef[] {
  const rows = rowsSchema.safeParse(parsed(transfer?.getData(ROWS_MIME) ?? ''));
  return (rows.data?.itemHandles ?? []).flatMap((handle) => {
    const [, projectId, sessionId] = ROW_ID.exec(handle) ?? [];
    return projectId === undefined || sessionId === undefined ? [] : [{ projectId, sessionId }];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // nothing that VS Code would have written
  }
}
