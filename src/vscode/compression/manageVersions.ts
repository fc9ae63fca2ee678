import { window, ThemeIcon, type Disposable, type QuickInputButton, type QuickPick, type QuickPickItem } from 'vscode';
import type { ListedVersion } from '../../core/versions/versionListing';
import {
  deleteVersionsDialog,
  managedRows,
  selectionText,
  type ManagedRow,
} from '../../core/presentation/compressionDialogs';
import { formatCount, type Formats } from '../../core/text/formats';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { commandIds } from '../ids';
import type { VersionCommands } from './versionCommands';
import type { VersionsTree } from './versionsTree';

/** *Manage Compressions* (seed 000, 5.5): all versions of a session, to be deleted by the handful. */
export class ManageVersions implements Feature {
  readonly name = 'manage compressions';

  constructor(
    private readonly context: Uses<'host' | 'targets' | 'formats' | 'notifier'>,
    private readonly tree: VersionsTree,
    private readonly commands: VersionCommands,
  ) {}

  register(): Disposable {
    const { notifier } = this.context;
    return registerCommands(
      [{ id: commandIds.manageCompressions, doing: 'managing compressions', run: (...args) => this.manage(args) }],
      notifier,
    );
  }

  private async manage(args: readonly unknown[]): Promise<void> {
    const { host, notifier, targets } = this.context;
    const wants = ({ registered }: DiscoveredSession): boolean => registered;
    const session =
      (args[0] === undefined ? this.tree.session : undefined) ??
      (await targets.one(args, { title: 'Keepit: Manage Compressions', wants }));
    if (session === undefined) return;
    const { service } = await host.memory();
    const { versions, original } = await service.versions(session);
    if (versions.length === 0) {
      void notifier.tell(`“${titleOf(session)}” has no versions yet.`);
      return;
    }
    const title = `Keepit: Manage Compressions of “${titleOf(session)}” (original: ${formatCount(original.tokens)} tokens)`;
    const chosen = await chooseVersions(title, versions, this.context.formats);
    if (chosen === undefined || chosen.length === 0) return;
    const isUsed = chosen.some(({ usedIn }) => usedIn.length > 0);
    if (isUsed && !(await this.confirm(chosen))) return;
    const { projectId, sessionId } = session;
    const versionIds = chosen.map(({ versionId }) => versionId);
    await this.commands.deleteNow({ session: { projectId, sessionId }, versionIds }, isUsed);
  }

  /** What is used by compositions is not deleted by a slip of the hand; the rest can be undone. */
  private async confirm(chosen: readonly ListedVersion[]): Promise<boolean> {
    const { title, detail } = deleteVersionsDialog(chosen, this.context.formats);
    const label = 'Delete All the Same';
    return (await window.showWarningMessage(title, { modal: true, detail }, label)) === label;
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

  private describe(): void {
    const text = selectionText(this.chosen, this.formats);
    this.picker.placeholder = text;
  }
}
