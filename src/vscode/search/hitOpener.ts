import path from 'node:path';
import { commands, Uri, window } from 'vscode';
import * as z from 'zod/mini';
import { SEARCH_KINDS } from '../../core/search/searchDocument';
import type { Uses } from '../context';
import { commandIds, viewIds } from '../ids';
import { sessionMeant } from './askMemory';

/** What leads to something that was found. */
export const hitSchema = z.object({
  kind: z.enum(SEARCH_KINDS),
  projectId: z.string(),
  id: z.string(),
  sessionId: z.optional(z.string()),
  messageUuid: z.optional(z.string()),
});
export type HitPlace = z.infer<typeof hitSchema>;

export interface OpenOptions {
  readonly preserveFocus?: boolean;
}

const GONE = 'Its session is gone: Claude Code has deleted it, and it was never added to memory.';
const LEFT = 'That message is not in the transcript any more: a rewind has left it behind.';

/** Leads to what was found: to its message, with the words tinted, or to the document that holds it. */
export class HitOpener {
  constructor(private readonly context: Uses<'model' | 'memory' | 'transcripts' | 'notifier'>) {}

  /** False where it is not there any more; then the user was told. `query` are the words to tint. */
  async open(hit: HitPlace, query: string, options: OpenOptions = {}): Promise<boolean> {
    const { projectId, sessionId } = hit;
    const [name = ''] = hit.id.split('#');
    if (hit.kind === 'version' && sessionId !== undefined) {
      await commands.executeCommand(commandIds.openVersion, { version: { projectId, sessionId, versionId: name } });
      return true;
    }
    if (hit.kind === 'composition') {
      await commands.executeCommand(commandIds.openComposition, { composition: { projectId, name } });
      return true;
    }
    if (hit.kind === 'note') return this.openNote(projectId, name);
    if (sessionId !== undefined) return this.openSession({ ...hit, sessionId }, query, options);
    await commands.executeCommand(`${viewIds.knowledge}.focus`);
    return true;
  }

  private async openSession(
    { projectId, sessionId, messageUuid }: HitPlace & { sessionId: string },
    query: string,
    options: OpenOptions,
  ): Promise<boolean> {
    const { transcripts, notifier } = this.context;
    const session = await sessionMeant(this.context, { projectId, sessionId });
    if (session === undefined) {
      void notifier.tell(GONE);
      return false;
    }
    if (messageUuid === undefined) {
      await transcripts.show(session, options);
      return true;
    }
    const { hitRanges } = await import('../../core/search/view/hitRanges');
    const isThere = await transcripts.showMessage(session, messageUuid, options, (said) =>
      hitRanges(said, messageUuid, query),
    );
    if (!isThere) void notifier.tell(LEFT);
    return isThere;
  }

  private async openNote(projectId: string, name: string): Promise<boolean> {
    const { memory } = this.context;
    const { notebook } = await memory.layers.status(projectId);
    await window.showTextDocument(Uri.file(path.join(notebook.dir, ...name.split('/'))));
    return true;
  }
}
