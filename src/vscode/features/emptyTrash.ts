import { window, type Disposable } from 'vscode';
import { formatBytes, type Formats } from '../../core/text/formats';
import { trashTotals } from '../../core/sessions/trashService';
import { registerCommands } from '../commandTable';
import type { Feature } from '../feature';
import { commandIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';

const STATUS_MS = 4000;

/** Deletes for good what was taken out of memory, after a question that says how much that is. */
export class EmptyTrash implements Feature {
  readonly name = 'trash';

  constructor(private readonly parts: { host: MemoryHost; formats: Formats; notifier: Notifier }) {}

  register(): Disposable {
    const run = () => this.run();
    return registerCommands([{ id: commandIds.emptyTrash, doing: 'emptying the trash', run }], this.parts.notifier);
  }

  private async run(): Promise<void> {
    const { host, formats } = this.parts;
    const { service } = await host.memory();
    const { items, bytes } = trashTotals(await service.trash.list());
    if (items === 0) {
      window.setStatusBarMessage('The trash of Keepit is empty.', STATUS_MS);
      return;
    }
    const label = 'Empty Trash';
    const things = formats.plural(items, 'thing');
    const detail = `Sessions, versions and compositions that were removed, of all projects: ${formatBytes(bytes)}. Nothing brings them back. Transcripts of Claude Code stay.`;
    const question = `Delete ${things} in Keepit’s trash for good?`;
    if ((await window.showWarningMessage(question, { modal: true, detail }, label)) !== label) return;
    const emptied = trashTotals(await service.trash.empty());
    const freed = `${formats.plural(emptied.items, 'thing')}, ${formatBytes(emptied.bytes)}`;
    window.setStatusBarMessage(`The trash is empty: ${freed} deleted.`, STATUS_MS);
  }
}
