import path from 'node:path';
import { env, window, type Disposable } from 'vscode';
import * as z from 'zod/mini';
import { deleteVersionsDialog } from '../../core/presentation/compressionDialogs';
import { oneLine } from '../../core/text/cleanText';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { VersionRef } from '../../core/presentation/treeNode';
import type { SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { commandIds } from '../ids';
import { columnBeside } from '../panels/panel';
import { revealFile } from '../revealFile';
import { RowClicks } from '../watchedTree';
import type { VersionTarget, VersionsTree } from './versionsTree';
import { versionUri } from './versionFiles';

/** What lenses pass: a block's messages. */
const sourceSchema = z.object({
  session: z.object({ projectId: z.string(), sessionId: z.string() }),
  sources: z.array(z.string()),
});

const STATUS_MS = 4000;
const WORDS_LENGTH = 100;

/** What is done with versions that are there. */
export class VersionCommands implements Feature {
  readonly name = 'version commands';
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<
      'host' | 'model' | 'versions' | 'transcripts' | 'documents' | 'formats' | 'notifier'
    >,
    private readonly targets: VersionsTree,
  ) {}

  register(): Disposable {
    return registerCommands(
      [
        { id: commandIds.openVersion, doing: 'opening a version', run: (...args) => this.open(args) },
        { id: commandIds.openSource, doing: 'going to a message', run: (...args) => this.openSource(args) },
        { id: commandIds.copyVersion, doing: 'copying a version', run: (...args) => this.copy(args) },
        { id: commandIds.revealVersion, doing: 'revealing a version', run: (...args) => this.reveal(args) },
        { id: commandIds.deleteVersions, doing: 'deleting versions', run: (...args) => this.delete(args) },
      ],
      this.context.notifier,
    );
  }

  /** Deletes what the user has agreed to, and offers to undo it. */
  async deleteNow({ session, versionIds }: VersionTarget, force: boolean): Promise<void> {
    const { versions, formats, notifier } = this.context;
    const { deleted, refused, trash } = await versions.remove(session, versionIds, force);
    const kept = refused.map(({ versionId, usedIn }) => `${versionId} is used by ${usedIn.join(', ')}`);
    const what = deleted.length === 1 ? (deleted[0] ?? '') : formats.plural(deleted.length, 'version');
    const told = [deleted.length === 0 ? '' : `${what} deleted`, ...kept].filter(Boolean).join('; ');
    if (trash === undefined) {
      void notifier.tell(`${told === '' ? 'Nothing was deleted' : told}.`);
      return;
    }
    const undo = 'Undo';
    const answer = await notifier.tell(`${told}.`, undo);
    if (answer !== undo) return;
    await versions.restore(session, trash);
    window.setStatusBarMessage(`${what} ${deleted.length === 1 ? 'is' : 'are'} back.`, STATUS_MS);
  }

  private async open(args: readonly unknown[]): Promise<void> {
    const preserveFocus = this.clicks.isFirst(args[0]);
    const place = await this.targets.one(args, 'Keepit: Open Version');
    if (place === undefined) return;
    const uri = versionUri(place, { title: this.titleOf(place), file: this.nameOf(place) });
    await window.showTextDocument(uri, { preview: true, preserveFocus });
  }

  private async copy(args: readonly unknown[]): Promise<void> {
    const target = await this.targets.many(args, 'Keepit: Copy Version Text');
    if (target === undefined) return;
    const { service } = await this.context.host.memory();
    const texts: string[] = [];
    for (const versionId of target.versionIds) texts.push(await service.versionText(target.session, versionId, 'md'));
    await env.clipboard.writeText(texts.join('\n'));
    const what = texts.length === 1 ? target.versionIds[0] : this.context.formats.plural(texts.length, 'version');
    window.setStatusBarMessage(`The text of ${what ?? ''} is in the clipboard.`, STATUS_MS);
  }

  private async reveal(args: readonly unknown[]): Promise<void> {
    const place = await this.targets.one(args, 'Keepit: Reveal Version');
    if (place === undefined) return;
    const { memoryDir, service } = await this.context.host.memory();
    const { versions } = await service.versions(place);
    const version = versions.find(({ versionId }) => versionId === place.versionId);
    if (version === undefined) return;
    const { projectId, sessionId } = place;
    await revealFile(path.join(memoryDir, 'projects', projectId, 'summaries', sessionId, `${version.file}.md`));
  }

  private async delete(args: readonly unknown[]): Promise<void> {
    const { formats } = this.context;
    const { targets } = this;
    const target = await targets.many(args, 'Keepit: Delete Versions');
    if (target === undefined || target.versionIds.length === 0) return;
    const { service } = await this.context.host.memory();
    const listing = await service.versions(target.session);
    const chosen = listing.versions.filter(({ versionId }) => target.versionIds.includes(versionId));
    if (chosen.length === 0) return;
    const isUsed = chosen.some(({ usedIn }) => usedIn.length > 0);
    if (!isUsed && !this.context.model.ui.confirmDestructiveActions) {
      await this.deleteNow(target, isUsed);
      return;
    }
    const { title, detail } = deleteVersionsDialog(chosen, formats);
    const label = isUsed ? 'Delete All the Same' : 'Delete';
    const answer = await window.showWarningMessage(title, { modal: true, detail }, label);
    if (answer === label) await this.deleteNow(target, isUsed);
  }

  /** Shows the message beside the version; where it came from several, the user says which. */
  private async openSource([first]: readonly unknown[]): Promise<void> {
    const parsed = sourceSchema.safeParse(first);
    if (!parsed.success) return;
    const { session: ref, sources } = parsed.data;
    const { model, notifier, transcripts } = this.context;
    const session = model.find(ref);
    if (session === undefined) {
      void notifier.tell('Its session is not among those that are shown: it is gone.');
      return;
    }
    const uuid = sources.length > 1 ? await this.pickMessage(ref, sources) : sources[0];
    if (uuid === undefined) return;
    const isShown = await transcripts.showMessage(session, uuid, { viewColumn: columnBeside() });
    if (!isShown) void notifier.tell('That message is not in the transcript any more: a rewind has left it behind.');
  }

  private async pickMessage(session: SessionRef, sources: readonly string[]): Promise<string | undefined> {
    const { messages, document } = await this.context.documents.get(session);
    const items = sources.map((uuid) => {
      const index = messages.findIndex((message) => message.uuid === uuid);
      const said = document.said.find(({ messageUuid }) => messageUuid === uuid);
      const label = index === -1 ? 'A message that was left behind' : `Message ${index + 1}`;
      return { uuid, label, description: said === undefined ? '' : oneLine(said.text, WORDS_LENGTH) };
    });
    const title = 'Keepit: Go to Message';
    const chosen = await window.showQuickPick(items, {
      title,
      placeHolder: 'It came from these messages',
      matchOnDescription: true,
    });
    return chosen?.uuid;
  }

  private titleOf({ projectId, sessionId }: VersionRef): string {
    const session = this.context.model.find({ projectId, sessionId });
    return session === undefined ? sessionId : titleOf(session);
  }

  /** The name of its file, where it is known. */
  private nameOf(place: VersionRef): string {
    return this.targets.listed(place)?.file ?? place.versionId;
  }
}
