import * as z from 'zod/mini';
import type { SessionRef } from '../results';
import { parsedJson } from '../../text/parsedJson';

/** What the sessions view calls its rows while they are dragged: VS Code's own name for rows of the view. */
export const SESSIONS_MIME = 'application/vnd.code.tree.keepit.sessions';

const refsSchema = z.array(z.object({ projectId: z.string(), sessionId: z.string() }));
/** Rows by their handles, as VS Code names them to views that are not their own; ours end with the id that we gave them. */
const rowsSchema = z.object({ itemHandles: z.array(z.string()) });
const ROW_ID = /session:([^:]+):([^:]+)$/;

/** The text under which sessions are dragged. */
export function draggedText(sessions: readonly SessionRef[]): string {
  return JSON.stringify(sessions.map(({ projectId, sessionId }) => ({ projectId, sessionId })));
}

/** The sessions that were dragged, by our own text or by VS Code's; none when it was something else. */
export function sessionsIn(text: string): SessionRef[] {
  const value = parsedJson(text);
  const refs = refsSchema.safeParse(value);
  if (refs.success) return refs.data;
  return (rowsSchema.safeParse(value).data?.itemHandles ?? []).flatMap((handle) => {
    const [, projectId, sessionId] = ROW_ID.exec(handle) ?? [];
    return projectId === undefined || sessionId === undefined ? [] : [{ projectId, sessionId }];
  });
}
