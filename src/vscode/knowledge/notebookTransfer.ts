import { Uri, window, workspace } from 'vscode';
import { NotebookError } from '../../core/knowledge/notes/notebookError';
import type { ImportMode, ImportResult } from '../../core/knowledge/notes/notebookTransfer';
import type { Formats } from '../../core/text/formats';
import { importOutcome } from '../../core/presentation/knowledgeDialogs';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import { revealFile } from '../revealFile';
import type { Enabling } from './enabling';
import type { KnowledgeModel } from './knowledgeModel';
import type { KnownProject } from './layerBuilds';

export interface NotebookTransferOptions {
  readonly host: MemoryHost;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly knowledge: KnowledgeModel;
  readonly enabling: Enabling;
}

const filters = { 'Keepit Notebook': ['json'] };

/** Takes notebooks out into one file, and in again. */
export class NotebookTransfer {
  constructor(private readonly options: NotebookTransferOptions) {}

  async export(args: readonly unknown[]): Promise<void> {
    const { enabling, host, notifier } = this.options;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReadable(project))) return;
    const { notebook } = (await host.memory()).service;
    if ((await notebook.list(project.projectId)).length === 0) {
      void notifier.tell(`The notebook of ${project.displayName} is empty: summarize a session first.`);
      return;
    }
    const name = `${project.displayName.replace(/[^\p{L}\p{N}._-]+/gu, '-')}-notebook.json`;
    const folder = workspace.workspaceFolders?.[0]?.uri;
    const title = 'Keepit: Export Notebook';
    const target = await window.showSaveDialog({
      title,
      filters,
      ...(folder !== undefined && { defaultUri: Uri.joinPath(folder, name) }),
    });
    if (target === undefined) return;
    const archive = await notebook.export(project.projectId);
    await workspace.fs.writeFile(target, new TextEncoder().encode(archive));
    const reveal = 'Show File';
    if ((await notifier.tell('The notebook is exported, with all its scopes.', reveal)) === reveal) {
      await revealFile(target.fsPath);
    }
  }

  async import(args: readonly unknown[]): Promise<void> {
    const { enabling, notifier, formats, knowledge } = this.options;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReady(project))) return;
    const [file] = (await window.showOpenDialog({ title: 'Keepit: Import Notebook', filters })) ?? [];
    if (file === undefined) return;
    const archive = new TextDecoder().decode(await workspace.fs.readFile(file));
    const result = await this.take(project, archive);
    knowledge.refresh();
    if (result !== undefined) void notifier.tell(importOutcome(result, formats));
  }

  /** Where notes are there already in other words, the user says which are to stay. */
  private async take(project: KnownProject, archive: string): Promise<ImportResult | undefined> {
    const { notebook } = (await this.options.host.memory()).service;
    try {
      return await notebook.import(project.projectId, archive);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'differs') throw error;
      const mode = await this.askMode(error);
      return mode === undefined ? undefined : notebook.import(project.projectId, archive, mode);
    }
  }

  private async askMode({ message }: NotebookError): Promise<ImportMode | undefined> {
    const keep = 'Keep What Is There';
    const replace = 'Replace It';
    const detail = `${message}\nWhat is replaced is moved into the notebook’s archive.`;
    const answer = await window.showWarningMessage(
      'Some notes are there already, in other words',
      { modal: true, detail },
      keep,
      replace,
    );
    if (answer === keep) return 'merge';
    return answer === replace ? 'replace' : undefined;
  }
}
