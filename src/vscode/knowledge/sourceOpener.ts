import path from 'node:path';
import { Uri, window } from 'vscode';
import * as z from 'zod/mini';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { Notifier } from '../notifier';
import { RowClicks } from '../rowClicks';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { TranscriptCommands } from '../transcript/transcriptCommands';

export interface SourceOpenerOptions {
  readonly model: SessionsModel;
  readonly transcripts: TranscriptCommands;
  readonly notifier: Notifier;
  /** The rows that are selected in the view. */
  readonly selection: () => readonly TreeNode[];
}

const messageSchema = z.object({
  message: z.object({ projectId: z.string(), sessionId: z.string(), messageUuid: z.string() }),
});
const fileSchema = z.object({ file: z.string() });
const bindingSchema = z.object({ from: z.literal('selection') });

/** Leads from what is known to where it was said, or to the file that it is in. */
export class SourceOpener {
  private readonly clicks = new RowClicks();

  constructor(private readonly options: SourceOpenerOptions) {}

  async open([first]: readonly unknown[]): Promise<void> {
    const preserveFocus = this.clicks.isFirst(first);
    const isKey = first === undefined || bindingSchema.safeParse(first).success;
    const row = isKey ? this.options.selection()[0] : first;
    const said = messageSchema.safeParse(row);
    if (said.success) return this.showMessage(said.data.message, preserveFocus);
    const file = fileSchema.safeParse(row);
    if (file.success) await window.showTextDocument(Uri.file(path.normalize(file.data.file)), { preserveFocus });
  }

  private async showMessage(
    { projectId, sessionId, messageUuid }: z.infer<typeof messageSchema>['message'],
    preserveFocus: boolean,
  ): Promise<void> {
    const { model, transcripts, notifier } = this.options;
    const session = model.find({ projectId, sessionId });
    if (session === undefined) {
      void notifier.tell('Its session is gone: Claude Code has deleted it, and it was never added to memory.');
      return;
    }
    if (await transcripts.showMessage(session, messageUuid, { preserveFocus })) return;
    void notifier.tell('Its message is not in this transcript any more: a rewind may have left it behind.');
  }
}
