import { env, window, ThemeIcon, type QuickInputButton, type QuickPick, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import {
  deleteVersionsDialog,
  managedRows,
  selectionText,
  type ManagedRow,
} from '../../core/versions/view/compressionDialogs';
import { oneLine } from '../../core/text/cleanText';
import { sessionRefSchema } from '../../core/sessions/view/treeNode';
import type { SessionRef } from '../../core/sessions/results';
import type { ListedVersion } from '../../core/versions/versionEntries';
import { formatCount, type Formats, joinParts } from '../../core/text/formats';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { columnBeside } from '../panels/panel';
import { revealFile } from '../revealFile';
import { RowClicks } from '../watchedTree';
import type { VersionTarget, VersionsTree } from './versionsTree';
import { versionUris } from './versionFiles';

/** What lenses pass: a block's messages. */
const sourceSchema = z.object({
  session: sessionRefSchema,
  sources: z.array(z.string()),
});

const WORDS_LENGTH = 100;

/** What is done with versions that are there. */
export class VersionCommands implements CommandSet {
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'transcripts' | 'documents' | 'formats' | 'notifier'>,
    private readonly targets: VersionsTree,
  ) {}

  readonly commands: CommandHandlers = {
    openVersion: (args) => this.open(args),
    openSource: (args) => this.openSource(args),
    copyVersion: (args) => this.copy(args),
    revealVersion: (args) => this.reveal(args),
    deleteVersions: (args) => this.delete(args),
  };

  /** Deletes what the user has agreed to, and offers to undo it. */
  async deleteNow({ session, versionIds }: VersionTarget, force: boolean): Promise<void> {
    const { memory, formats, notifier } = this.context;
    const { deleted, refused, trash } = await memory.versions.delete(session, versionIds, { force });
    const kept = refused.map(({ versionId, usedIn }) => `${versionId} is used by ${usedIn.join(', ')}`);
    const what = deleted.length === 1 ? (deleted[0] ?? '') : formats.plural(deleted.length, 'version');
    const told = joinParts([deleted.length === 0 ? '' : `${what} deleted`, ...kept], '; ');
    const undo = async (from: string) => {
      await memory.versions.restore(session, from);
      notifier.say(`${what} ${deleted.length === 1 ? 'is' : 'are'} back.`);
    };
    await notifier.tell(`${told === '' ? 'Nothing was deleted' : told}.`, {
      Undo: trash === undefined ? undefined : () => undo(trash),
    });
  }

  private async open(args: readonly unknown[]) {
    const preserveFocus = this.clicks.isFirst(args[0]);
    const place = await this.targets.one(args, 'Keepit: Open Version');
    if (place === undefined) return;
    const title = this.context.model.titleOf(place) ?? place.sessionId;
    // It says by its ending that it is Markdown.
    const uri = versionUris.of(place, 'Versions', title, `${this.targets.listed(place)?.file ?? place.versionId}.md`);
    await window.showTextDocument(uri, { preview: true, preserveFocus });
  }

  private async copy(args: readonly unknown[]) {
    const target = await this.targets.many(args, 'Keepit: Copy Version Text');
    if (target === undefined) return;
    const { memory, formats, notifier } = this.context;
    const texts: string[] = [];
    for (const versionId of target.versionIds) texts.push(await memory.versions.text(target.session, versionId, 'md'));
    await env.clipboard.writeText(texts.join('\n'));
    const what = texts.length === 1 ? target.versionIds[0] : formats.plural(texts.length, 'version');
    notifier.say(`The text of ${what ?? ''} is in the clipboard.`);
  }

  private async reveal(args: readonly unknown[]) {
    const place = await this.targets.one(args, 'Keepit: Reveal Version');
    if (place === undefined) return;
    const { host, memory } = this.context;
    const { memoryDir } = await host.memory();
    const { projectId, sessionId, versionId } = place;
    const { versions } = await memory.versions.list(place);
    const version = versions.find((one) => one.versionId === versionId);
    if (version !== undefined)
      await revealFile(memoryDir, 'projects', projectId, 'summaries', sessionId, `${version.file}.md`);
  }

  private async delete(args: readonly unknown[]) {
    const { memory, model, formats, notifier } = this.context;
    const target = await this.targets.many(args, 'Keepit: Delete Versions');
    if (target === undefined || target.versionIds.length === 0) return;
    const listing = await memory.versions.list(target.session);
    const chosen = listing.versions.filter(({ versionId }) => target.versionIds.includes(versionId));
    if (chosen.length === 0) return;
    const isUsed = chosen.some(({ usedIn }) => usedIn.length > 0);
    const mayDelete =
      (!isUsed && !model.ui.confirmDestructiveActions) ||
      (await notifier.isAgreed(deleteVersionsDialog(chosen, formats), isUsed ? ALL_THE_SAME : 'Delete', true));
    if (mayDelete) await this.deleteNow(target, isUsed);
  }

  /** Shows the message beside the version; where it came from several, the user says which. */
  private async openSource([first]: readonly unknown[]) {
    const parsed = sourceSchema.safeParse(first);
    if (!parsed.success) return;
    const { session: ref, sources } = parsed.data;
    const messageUuid = sources.length > 1 ? await this.pickMessage(ref, sources) : sources[0];
    if (messageUuid !== undefined)
      await this.context.transcripts.reach({ ...ref, messageUuid }, { viewColumn: columnBeside() });
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
}

const ALL_THE_SAME = 'Delete All the Same';

/** *Manage Compressions* (seed 000, 5.5): all versions of a session, to be deleted by the handful. */
export class ManageVersions implements CommandSet {
  constructor(
    private readonly context: Uses<'memory' | 'model' | 'formats' | 'notifier'>,
    private readonly tree: VersionsTree,
    private readonly versions: VersionCommands,
  ) {}

  readonly commands: CommandHandlers = { manageCompressions: (args) => this.manage(args) };

  private async manage(args: readonly unknown[]) {
    const { memory, model, formats, notifier } = this.context;
    const session = await this.tree.kept(args, 'Keepit: Manage Compressions');
    if (session === undefined) return;
    const { versions, original } = await memory.versions.list(session);
    const named = model.titleOf(session) ?? session.sessionId;
    if (versions.length === 0) return void notifier.tell(`“${named}” has no versions yet.`);
    const title = `Keepit: Manage Compressions of “${named}” (original: ${formatCount(original.tokens)} tokens)`;
    const chosen = await chooseVersions(title, versions, formats);
    if (chosen === undefined || chosen.length === 0) return;
    // What is used by compositions is not deleted by a slip of the hand; the rest can be undone.
    const isUsed = chosen.some(({ usedIn }) => usedIn.length > 0);
    if (isUsed && !(await notifier.isAgreed(deleteVersionsDialog(chosen, formats), ALL_THE_SAME, true))) return;
    const { projectId, sessionId } = session;
    const versionIds = chosen.map(({ versionId }) => versionId);
    await this.versions.deleteNow({ session: { projectId, sessionId }, versionIds }, isUsed);
  }
}

interface VersionItem extends QuickPickItem, Pick<ManagedRow, 'versionId' | 'isUsed'> {}

const showUnused: QuickInputButton = {
  iconPath: new ThemeIcon('filter'),
  tooltip: 'Show only versions that nothing uses',
};
const showAll: QuickInputButton = { iconPath: new ThemeIcon('filter-filled'), tooltip: 'Show all versions' };
const selectUnused: QuickInputButton = {
  iconPath: new ThemeIcon('checklist'),
  tooltip: 'Select all that nothing uses',
};

/** Lets a person tick versions of a session. Undefined when they went away. */
export async function chooseVersions(
  title: string,
  versions: readonly ListedVersion[],
  formats: Formats,
): Promise<ListedVersion[] | undefined> {
  const picker = window.createQuickPick<VersionItem>();
  const list = new VersionList(picker, versions, formats);
  picker.title = title;
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  list.show();
  try {
    return await new Promise((resolve) => {
      picker.onDidChangeSelection((items) => list.select(items));
      picker.onDidTriggerButton((button) => list.press(button));
      picker.onDidAccept(() => resolve(list.chosen));
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

/** The versions in the list, and which of them are ticked: also those that a filter hides now. */
class VersionList {
  private readonly ticked = new Set<string>();
  private isUnusedOnly = false;

  constructor(
    private readonly picker: QuickPick<VersionItem>,
    private readonly versions: readonly ListedVersion[],
    private readonly formats: Formats,
  ) {}

  get chosen(): ListedVersion[] {
    return this.versions.filter(({ versionId }) => this.ticked.has(versionId));
  }

  show(): void {
    const rows = managedRows(this.versions, this.formats).filter(({ isUsed }) => !this.isUnusedOnly || !isUsed);
    this.picker.items = rows;
    this.picker.selectedItems = this.picker.items.filter(({ versionId }) => this.ticked.has(versionId));
    this.picker.buttons = [selectUnused, this.isUnusedOnly ? showAll : showUnused];
    this.describe();
  }

  select(items: readonly VersionItem[]): void {
    for (const { versionId } of this.picker.items) this.ticked.delete(versionId);
    for (const { versionId } of items) this.ticked.add(versionId);
    this.describe();
  }

  press(button: QuickInputButton): void {
    if (button === selectUnused) {
      for (const { versionId, usedIn } of this.versions) if (usedIn.length === 0) this.ticked.add(versionId);
    } else this.isUnusedOnly = button === showUnused;
    this.show();
  }

  private describe() {
    const text = selectionText(this.chosen, this.formats);
    this.picker.placeholder = text;
  }
}
