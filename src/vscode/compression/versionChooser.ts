import { ThemeIcon, window, type QuickInputButton, type QuickPick, type QuickPickItem } from 'vscode';
import type { ListedVersion } from '../../core/versions/versionListing';
import { managedRows, selectionText, type ManagedRow } from '../../core/presentation/compressionDialogs';
import type { Formats } from '../../core/text/formats';

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
