import { homedir } from 'node:os';
import path from 'node:path';
import { Uri, window, type Disposable } from 'vscode';
import { formatBytes, type Formats } from '../../core/text/formats';
import type { Imported } from '../../core/transferPort';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { withProgressMessage } from '../progressMessage';

const FILTERS = { 'Memory of Keepit': ['tar'] };
const TAKE = 'Bring In';
const REPLACE = 'Replace What Is Here';

/** Memory to and from archives. */
export class Archives implements Feature {
  readonly name = 'archives';

  constructor(private readonly context: Uses<'memory' | 'model' | 'targets' | 'formats' | 'notifier'>) {}

  register(): Disposable {
    return registerCommands(this.context.notifier, {
      exportMemory: (args) => this.export(args),
      importMemory: () => this.import(),
    });
  }

  private async export(args: readonly unknown[]): Promise<void> {
    const { memory, targets, notifier } = this.context;
    const project = targets.project(args);
    const all = { label: 'All Projects', projectId: undefined };
    const own = project && { label: project.displayName, projectId: project.projectId };
    const what = await window.showQuickPick(own === undefined ? [all] : [own, all], { title: 'Keepit: Export Memory' });
    if (what === undefined) return;
    const name = `keepit-${what.label.replace(/[^\w.-]+/g, '-')}.tar`;
    const defaultUri = Uri.file(path.join(homedir(), name));
    const file = await window.showSaveDialog({ title: 'Export Memory', filters: FILTERS, defaultUri });
    if (file === undefined) return;
    const { bytes } = await withProgressMessage(`Exporting ${what.label}`, {}, (_, signal) =>
      memory.transfer.export({ file: file.fsPath, projectId: what.projectId }, signal),
    );
    void notifier.tell(`${file.fsPath} has ${formatBytes(bytes)}. It holds everything that was said.`);
  }

  /** Shows first what would come in. */
  private async import(): Promise<void> {
    const { memory, model, formats, notifier } = this.context;
    const [file] = (await window.showOpenDialog({ title: 'Import Memory', filters: FILTERS })) ?? [];
    if (file === undefined) return;
    const bring = (title: string, options: { isDryRun?: boolean; replaces?: boolean }): Promise<Imported> =>
      withProgressMessage(title, {}, (_, signal) => memory.transfer.import({ file: file.fsPath, ...options }, signal));
    const found = await bring('Verifying the archive', { isDryRun: true });
    const conflicts = conflictsOf(found);
    const question = 'Bring this into memory?';
    const detail = [...linesOf(found, formats), ...conflicts].join('\n');
    const buttons = conflicts.length === 0 ? [TAKE] : [TAKE, REPLACE];
    const answer = await window.showInformationMessage(question, { modal: true, detail }, ...buttons);
    if (answer === undefined) return;
    const { projects } = await bring('Importing', { replaces: answer === REPLACE });
    await model.refresh();
    const sessions = projects.reduce((sum, one) => sum + one.sessions.added.length, 0);
    void notifier.tell(`${formats.plural(sessions, 'session')} came in.`);
  }
}

function linesOf({ projects }: Imported, formats: Formats): string[] {
  return projects.map(({ projectId, sessions, versions, compositions }) => {
    const parts = [
      formats.plural(sessions.added.length, 'session'),
      formats.plural(versions.added.length, 'version'),
      formats.plural(compositions.added.length, 'composition'),
    ];
    return `${projectId}: ${parts.join(', ')}`;
  });
}

/** What stays as it is unless it is replaced. */
function conflictsOf({ projects }: Imported): string[] {
  return projects.flatMap(({ sessions, versions, compositions }) =>
    [...sessions.conflicts, ...versions.conflicts, ...compositions.conflicts].map(
      ({ name, reason }) => `${name}: ${reason}`,
    ),
  );
}
