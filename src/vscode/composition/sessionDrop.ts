import { DataTransferItem, type DataTransfer, type TreeDragAndDropController } from 'vscode';
import { draggedText, sessionsIn, SESSIONS_MIME } from '../../core/presentation/draggedSessions';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { SessionRef } from '../../core/sessions/results';

/** Sessions can be dragged out of their view: into compositions. */
export class SessionDrag implements TreeDragAndDropController<TreeNode> {
  readonly dragMimeTypes = [SESSIONS_MIME];
  readonly dropMimeTypes: readonly string[] = [];

  handleDrag(rows: readonly TreeNode[], transfer: DataTransfer): void {
    const sessions = rows.flatMap(({ kind, session, children }) => {
      if (kind === 'session') return session === undefined ? [] : [session];
      return kind === 'month' ? children.flatMap((child) => child.session ?? []) : [];
    });
    transfer.set(SESSIONS_MIME, new DataTransferItem(draggedText(sessions)));
  }
}

/** Takes sessions in that were dragged here. */
export class SessionDrop implements TreeDragAndDropController<TreeNode> {
  readonly dragMimeTypes: readonly string[] = [];
  readonly dropMimeTypes = [SESSIONS_MIME];

  constructor(private readonly onDrop: (row: TreeNode | undefined, sessions: readonly SessionRef[]) => Promise<void>) {}

  async handleDrop(row: TreeNode | undefined, transfer: DataTransfer): Promise<void> {
    // Under one name there may be two: what VS Code says of the rows, and what we do.
    const sessions = new Map<string, SessionRef>();
    for (const [, item] of transfer) {
      for (const session of sessionsIn(await item.asString())) sessions.set(session.sessionId, session);
    }
    if (sessions.size > 0) await this.onDrop(row, [...sessions.values()]);
  }
}
