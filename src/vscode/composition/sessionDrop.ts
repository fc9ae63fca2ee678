import { DataTransferItem, type DataTransfer, type TreeDragAndDropController } from 'vscode';
import * as z from 'zod/mini';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { SessionRef } from '../../core/registry/results';
import { viewIds } from '../ids';

/** What sessions are called while they are dragged. The end has to be the view's id in lower case. */
export const SESSIONS_MIME = `application/vnd.code.tree.${viewIds.sessions.toLowerCase()}`;

const draggedSchema = z.array(z.object({ projectId: z.string(), sessionId: z.string() }));

/** Sessions can be dragged out of their view: into compositions. */
export class SessionDrag implements TreeDragAndDropController<TreeNode> {
  readonly dragMimeTypes = [SESSIONS_MIME];
  readonly dropMimeTypes: readonly string[] = [];

  handleDrag(rows: readonly TreeNode[], transfer: DataTransfer): void {
    const sessions = rows.flatMap(({ kind, session, children }) => {
      if (kind === 'session') return session === undefined ? [] : [session];
      return kind === 'month' ? children.flatMap((child) => child.session ?? []) : [];
    });
    transfer.set(SESSIONS_MIME, new DataTransferItem(JSON.stringify(sessions)));
  }
}

/** Takes sessions in that were dragged here. */
export class SessionDrop implements TreeDragAndDropController<TreeNode> {
  readonly dragMimeTypes: readonly string[] = [];
  readonly dropMimeTypes = [SESSIONS_MIME];

  constructor(private readonly onDrop: (row: TreeNode | undefined, sessions: readonly SessionRef[]) => Promise<void>) {}

  async handleDrop(row: TreeNode | undefined, transfer: DataTransfer): Promise<void> {
    const text = await transfer.get(SESSIONS_MIME)?.asString();
    if (text === undefined) return;
    const sessions = draggedSchema.safeParse(parsed(text)).data ?? [];
    if (sessions.length > 0) await this.onDrop(row, sessions);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // another extension's rows under our name: nothing that could be taken in
  }
}
