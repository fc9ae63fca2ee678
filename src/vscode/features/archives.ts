import { homedir } from 'node:os';
import path from 'node:path';
import { Uri, window, workspace } from 'vscode';
import { formatBytes } from '../../core/text/formats';
import { otherTools, type OtherTool, OtherToolError } from '../../core/knowledge/otherTools/otherTools';
import type { TakenOver } from '../../core/knowledge/otherTools/takingOver';
import { conflictsOf, importedText, neverOf } from '../../core/importReport';
import { TransferError, type Imported, type ImportRequest } from '../../core/memoryPorts';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { withProgressMessage } from '../progressMessage';
import { sumOf } from '../../core/text/ownValue';

const FILTERS = { 'Memory of Keepit': ['tar', 'age'] };
const TAKE = 'Bring In';
const REPLACE = 'Replace What Is Here';

/** Memory to and from archives. */
export class Archives implements CommandSet {
  constructor(private readonly context: Uses<'memory' | 'model' | 'targets' | 'formats' | 'notifier'>) {}

  readonly commands: CommandHandlers = {
    exportMemory: (args) => this.export(args),
    importMemory: (args) => this.import(args),
  };

  private async export(args: readonly unknown[]): Promise<void> {
    const { memory, targets, notifier } = this.context;
    const title = 'Keepit: Export Memory';
    const project = targets.project(args);
    const all = { label: 'All Projects', projectId: undefined };
    const own = project && { label: project.displayName, projectId: project.projectId };
    const what = await window.showQuickPick(own === undefined ? [all] : [own, all], { title });
    if (what === undefined) return;
    const plain = { label: 'Plain', description: 'any tar unpacks it' };
    const secret = { label: 'With a Passphrase', description: 'encrypted; age or Keepit opens it' };
    const how = await window.showQuickPick([plain, secret], { title });
    if (how === undefined) return;
    const passphrase = how === secret ? await newPassphrase(title) : undefined;
    if (how === secret && passphrase === undefined) return;
    const name = `keepit-${what.label.replace(/[^\w.-]+/g, '-')}.tar${how === secret ? '.age' : ''}`;
    const defaultUri = Uri.file(path.join(homedir(), name));
    const file = await window.showSaveDialog({ title: 'Export Memory', filters: FILTERS, defaultUri });
    if (file === undefined) return;
    const request = { file: file.fsPath, projectId: what.projectId, passphrase };
    const { bytes } = await withProgressMessage(`Exporting ${what.label}`, {}, (onProgress, signal) =>
      memory.transfer.export(request, onProgress, signal),
    );
    const warning =
      how === secret ? 'Without the passphrase nobody can read it.' : 'It holds everything that was said.';
    void notifier.tell(`${path.basename(file.fsPath)} has ${formatBytes(bytes)}. ${warning}`);
  }

  private async import(args: readonly unknown[]): Promise<void> {
    const title = 'Keepit: Import Memory';
    const archive = { label: '$(archive) An Archive of Keepit', description: 'exported here or on another machine' };
    const project = this.context.targets.project(args);
    const tools = (project === undefined ? [] : otherTools).map((tool) => ({
      label: `$(plug) ${tool}`,
      description: `what it knows of ${project?.displayName ?? ''}`,
      tool,
    }));
    const picked = await window.showQuickPick<{ label: string; tool?: OtherTool }>([archive, ...tools], { title });
    if (picked === undefined) return;
    if (picked.tool === undefined) await this.importArchive();
    else if (project !== undefined) await this.takeOver(project, picked.tool);
  }

  /** From where the tool has its memory, or where a person says that it is. */
  private async takeOver({ projectId }: { projectId: string }, from: OtherTool): Promise<void> {
    const { memory, formats, notifier } = this.context;
    const take = (file?: string, isDryRun = false): Promise<TakenOver> =>
      withProgressMessage(`Reading ${from}`, { isShort: true }, () =>
        memory.rolling.takeOver(projectId, { from, file, isDryRun }),
      );
    let file: string | undefined;
    const looked = await take(file, true).catch((error: unknown) => {
      if (error instanceof OtherToolError && error.reason === 'not-there') return undefined;
      throw error;
    });
    if (looked === undefined) {
      const canSelect = { canSelectFiles: from !== 'memory-keeper', canSelectFolders: from === 'memory-keeper' };
      const [chosen] = (await window.showOpenDialog({ title: `Where Is the Memory of ${from}?`, ...canSelect })) ?? [];
      if (chosen === undefined) return;
      file = chosen.fsPath;
    }
    const { facts, sessions, files } = looked ?? (await take(file, true));
    const notes = files.length === 0 ? '' : `, ${formats.plural(files.length, 'file')}`;
    const what = `${formats.plural(facts, 'fact')}, ${formats.plural(sessions.length, 'session')}${notes}`;
    if (facts + sessions.length + files.length === 0)
      return void notifier.tell(`${from} knows nothing of this project that is new.`);
    const detail = `${what}. Facts are proposed, and count for nothing until you confirm them in the Knowledge view. ${from} keeps what it has.`;
    const title = `Take over what ${from} knows of this project?`;
    if (!(await notifier.isAgreed({ title, detail }, TAKE))) return;
    await take(file);
    void notifier.tell(`${what} came in: look them over in the Knowledge view.`);
  }

  /** Shows first what would come in. */
  private async importArchive(): Promise<void> {
    const { model, formats, notifier } = this.context;
    const [file] = (await window.showOpenDialog({ title: 'Import Memory', filters: FILTERS })) ?? [];
    if (file === undefined) return;
    const opened = await this.look({ file: file.fsPath, isDryRun: true });
    if (opened === undefined) return;
    const folders = await foldersOf(opened.found);
    if (folders === undefined) return;
    const request = { ...opened.request, folders };
    const isMoved = Object.keys(folders).length > 0;
    const found = isMoved ? await this.bring('Looking at what is there', request) : opened.found;
    const conflicts = found.projects.flatMap(conflictsOf);
    const question = 'Bring this into memory?';
    const lines = found.projects.map((one) => `${one.originalPath}: ${importedText(one, formats)}`);
    const detail = [...lines, ...found.projects.flatMap(neverOf), ...conflicts].join('\n');
    const buttons = conflicts.length === 0 ? [TAKE] : [TAKE, REPLACE];
    const answer = await window.showInformationMessage(question, { modal: true, detail }, ...buttons);
    if (answer === undefined) return;
    const { projects } = await this.bring('Importing', { ...request, isDryRun: false, replaces: answer === REPLACE });
    await model.refresh();
    const sessions = sumOf(projects, (one) => one.sessions.added.length);
    void notifier.tell(`${formats.plural(sessions, 'session')} came in.`);
  }

  private async bring(title: string, request: ImportRequest): Promise<Imported> {
    return withProgressMessage(title, {}, (onProgress, signal) =>
      this.context.memory.transfer.import(request, onProgress, signal),
    );
  }

  /** What would come in; asks for the passphrase until it is the right one. */
  private async look(request: ImportRequest): Promise<{ request: ImportRequest; found: Imported } | undefined> {
    try {
      return { request, found: await this.bring('Verifying the archive', request) };
    } catch (error) {
      if (!(error instanceof TransferError) || !error.reason.endsWith('-passphrase')) throw error;
      const prompt = error.reason === 'no-passphrase' ? 'The archive is encrypted' : 'That was not its passphrase';
      const passphrase = await window.showInputBox({ title: 'Passphrase of the Archive', prompt, password: true });
      return passphrase === undefined || passphrase === '' ? undefined : this.look({ ...request, passphrase });
    }
  }
}

async function newPassphrase(title: string): Promise<string | undefined> {
  const options = { title, password: true, ignoreFocusOut: true };
  const prompt = 'A passphrase of several words. Nobody can open the archive without it.';
  const validateInput = (text: string): string | undefined => (text.length < 8 ? 'At least 8 characters' : undefined);
  const first = await window.showInputBox({ ...options, prompt, validateInput });
  if (first === undefined) return undefined;
  const isSame = (text: string): string | undefined => (text === first ? undefined : 'This is another one');
  return window.showInputBox({ ...options, prompt: 'The same once more', validateInput: isSame });
}

/** Where a person says that the projects are of which nothing is known here; undefined when they think better of it. */
async function foldersOf({ projects }: Imported): Promise<Record<string, string> | undefined> {
  const folders = new Map<string, string>();
  for (const { from, originalPath } of projects.filter(({ knownBy }) => knownBy === 'nothing')) {
    const title = `Where Is ${originalPath} on This Machine?`;
    const keep = {
      label: '$(history) Keep Its Path',
      description: 'its sessions are listed under the folder that is not here',
    };
    const browse = { label: '$(folder-opened) Choose a Folder…' };
    const open = (workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
      label: `$(root-folder) ${name}`,
      description: uri.fsPath,
      folder: uri.fsPath,
    }));
    const picked = await window.showQuickPick<{ label: string; folder?: string }>([...open, browse, keep], { title });
    if (picked === undefined) return undefined;
    if (picked === keep) continue;
    const [chosen] =
      picked === browse
        ? ((await window.showOpenDialog({ title, canSelectFolders: true, canSelectFiles: false })) ?? [])
        : [];
    const folder = picked.folder ?? chosen?.fsPath;
    if (folder === undefined) return undefined;
    folders.set(from, folder);
  }
  return Object.fromEntries(folders);
}
