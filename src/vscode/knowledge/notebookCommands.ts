import path from 'node:path';
import { commands, Uri, window, workspace } from 'vscode';
import { NotebookError } from '../../core/knowledge/layerStore';
import type { NotebookUndo } from '../../core/knowledge/notes/noteFiles';
import type { SummarizeResult, SynthesisProposal, SynthesizeResult } from '../../core/knowledge/notes/notebookService';
import { summarizeOutcome, importOutcome } from '../../core/knowledge/view/knowledgeDialogs';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import { commandIds } from '../ids';
import { withProgressMessage } from '../progressMessage';
import { targetOf } from '../transcript/transcriptDocuments';
import { revealFile } from '../revealFile';
import type { Enabling } from './enabling';
import type { KnownProject } from './layerBuilds';

/** Work on this much is done in a moment. */
const FEW_SESSIONS = 5;
const FEW_NOTES = 50;
const STATUS_MS = 4000;
const OPEN = 'Open';
const UNDO = 'Undo';
const SYNTHESIZE = 'Synthesize';
const SUMMARIZE = 'Summarize Sessions…';
const SHOW_FOUND = 'Show Them…';

/** Summaries of sessions, what they say together, and reading that. */
export class NotebookCommands {
  constructor(
    private readonly context: Uses<'memory' | 'model' | 'targets' | 'proposals' | 'formats' | 'notifier'>,
    private readonly enabling: Enabling,
  ) {}

  async summarize(args: readonly unknown[]): Promise<void> {
    const sessions = await this.sessionsMeant(args);
    const [first] = sessions;
    if (first === undefined) return;
    const project = this.enabling.project([first]);
    if (project === undefined || !(await this.enabling.isReady(project))) return;
    const own = sessions.filter(({ projectId }) => projectId === project.projectId);
    await this.tellSummarized(project, await this.summarizeAll(project, own), own.length);
  }

  /** Shows what would change, and writes just that. Where the notebook changes meanwhile, what would be written then is shown. */
  async synthesize(args: readonly unknown[]): Promise<void> {
    const { enabling } = this;
    const project = enabling.project(args);
    if (project === undefined || !enabling.isTrusted() || !(await enabling.isReady(project))) return;
    for (let isAnew = false; ; isAnew = true) {
      const proposal = await this.proposed(project);
      if (proposal === undefined) return;
      const { result, plan } = proposal;
      if (plan !== undefined && result.outcome !== 'unchanged' && !(await this.isAgreed(project, result, isAnew)))
        return;
      const undo = plan === undefined ? undefined : await this.applied(project, plan);
      if (undo === 'changed') continue;
      await this.tellSynthesized(project, result, undo);
      return;
    }
  }

  /** Opens what all sessions say together. */
  async recall(args: readonly unknown[]): Promise<void> {
    const { memory, notifier } = this.context;
    const { enabling } = this;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReadable(project))) return;
    const { notebook } = memory;
    try {
      const { file, newSources } = await notebook.recall(project.projectId);
      await openNote(file);
      if (newSources.length === 0) return;
      const told = `${this.summaries(newSources.length)} came after the last synthesis.`;
      if ((await notifier.tell(told, SYNTHESIZE)) === SYNTHESIZE) await this.ask(commandIds.synthesizeMemory, project);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'no-master') throw error;
      const isFound = (await notebook.foreign(project.projectId)).length > 0;
      const found = isFound ? ' Notes were found in the project that are not from you.' : '';
      const told = `There is no memory of ${project.displayName} yet: it is made of summaries of its sessions.${found}`;
      const answer = await notifier.tell(told, SYNTHESIZE, SUMMARIZE, ...(isFound ? [SHOW_FOUND] : []));
      if (answer === SHOW_FOUND) await this.ask(commandIds.acceptForeign, project);
      if (answer === SYNTHESIZE) await this.ask(commandIds.synthesizeMemory, project);
      if (answer === SUMMARIZE) await this.ask(commandIds.summarizeSession);
    }
  }

  /** Undefined, and the user is told what to do, when there is nothing to synthesize. */
  private async proposed(project: KnownProject): Promise<SynthesisProposal | undefined> {
    const { memory, notifier } = this.context;
    const { notebook } = memory;
    const isShort = (await notebook.list(project.projectId)).length <= FEW_NOTES;
    try {
      return await withProgressMessage(
        `Synthesizing the memory of ${project.displayName}`,
        { isShort },
        (_report, signal) => notebook.propose(project.projectId, {}, signal),
      );
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'no-summaries') throw error;
      const told = `There are no summaries of sessions of ${project.displayName} yet.`;
      if ((await notifier.tell(told, SUMMARIZE)) === SUMMARIZE) await this.ask(commandIds.summarizeSession);
      return undefined;
    }
  }

  private async isAgreed({ displayName }: KnownProject, result: SynthesizeResult, isAnew: boolean): Promise<boolean> {
    const summaries = this.newSummaries(result);
    return this.context.proposals.isAgreed({
      name: 'master.md',
      before: result.before,
      after: result.after,
      title: `master.md: ${summaries}`,
      question: isAnew
        ? `The notebook was changed meanwhile. Write this to the memory of ${displayName} now?`
        : `Write this to the memory of ${displayName}?`,
      about: `${summaries}. What you wrote into the file yourself stays.`,
      yes: { label: 'Apply', description: path.normalize(result.file) },
      no: 'Discard',
    });
  }

  private async applied({ projectId }: KnownProject, plan: NonNullable<SynthesisProposal['plan']>) {
    const { notebook } = this.context.memory;
    try {
      return await notebook.apply(projectId, plan);
    } catch (error) {
      if (error instanceof NotebookError && error.reason === 'changed') return error.reason;
      throw error;
    }
  }

  private async tellSynthesized(
    project: KnownProject,
    { file, outcome, pruned }: SynthesizeResult,
    undo: NotebookUndo | undefined,
  ) {
    const { notifier, formats } = this.context;
    if (undo === undefined || outcome === 'unchanged') {
      const told = 'The project memory is up to date: nothing is new since the last synthesis.';
      if ((await notifier.tell(told, OPEN)) === OPEN) await openNote(file);
      return;
    }
    const archived = pruned === 0 ? '' : ` ${formats.plural(pruned, 'old point')} went to archive/master.md.`;
    const answer = await notifier.tell(`The project memory is written.${archived}`, OPEN, UNDO);
    if (answer === OPEN) await openNote(file);
    if (answer === UNDO) await this.takeBack(project, [undo], 'The project memory');
  }

  /** Refused where somebody has changed a note since. */
  private async takeBack({ projectId }: KnownProject, undos: readonly NotebookUndo[], what: string) {
    const { memory, notifier } = this.context;
    const { notebook } = memory;
    try {
      await notebook.undo(projectId, undos);
      window.setStatusBarMessage(`${what}: as before.`, STATUS_MS);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'changed-since') throw error;
      if ((await notifier.tell(`${error.message} ${error.hint}`, OPEN)) === OPEN) await openNote(error.subject);
    }
  }

  /** The rows or the transcript that the command was called on; else those that the user picks. */
  private async sessionsMeant(args: readonly unknown[]): Promise<DiscoveredSession[]> {
    const { targets, model } = this.context;
    const uri = args[0] === undefined ? window.activeTextEditor?.document.uri : undefined;
    const open = uri === undefined ? undefined : targetOf(uri);
    const session = open === undefined ? undefined : model.find(open);
    if (session !== undefined) return [session];
    return (await targets.many(args, { title: 'Keepit: Summarize Session' })) ?? [];
  }

  /** What was written, also where the rest could not be: that is told by itself. */
  private async summarizeAll(
    { projectId }: KnownProject,
    sessions: readonly DiscoveredSession[],
  ): Promise<SummarizeResult[]> {
    const { memory, notifier } = this.context;
    const { notebook } = memory;
    const results: SummarizeResult[] = [];
    try {
      const isShort = sessions.length <= FEW_SESSIONS;
      await withProgressMessage('Summarizing', { isShort }, async (report, signal) => {
        for (const [done, session] of sessions.entries()) {
          report({ step: 'layer', done, total: sessions.length, label: titleOf(session) });
          results.push(await notebook.summarize({ projectId, sessionId: session.sessionId }, {}, signal));
        }
      });
    } catch (error) {
      notifier.showError(error, 'summarizing');
    }
    return results;
  }

  private async tellSummarized(project: KnownProject, results: readonly SummarizeResult[], asked: number) {
    const [first] = results;
    if (first === undefined) return;
    const outcomes = results.map(({ outcome }) => outcome);
    const told = summarizeOutcome(outcomes, asked, this.context.formats);
    const undos = results.flatMap(({ undo }) => undo ?? []);
    const answer = await this.context.notifier.tell(told, OPEN, SYNTHESIZE, ...(undos.length > 0 ? [UNDO] : []));
    if (answer === OPEN) await openNote(first.file);
    if (answer === SYNTHESIZE) await this.ask(commandIds.synthesizeMemory, project);
    if (answer === UNDO) await this.takeBack(project, undos, asked > 1 ? 'The summaries' : 'Its summary');
  }

  private newSummaries({ newSources, sources }: SynthesizeResult): string {
    return `${this.summaries(sources.length)}, ${this.context.formats.exact(newSources.length)} new`;
  }

  private summaries(count: number): string {
    return this.context.formats.plural(count, 'summary', 'summaries');
  }

  private async ask(command: string, project?: KnownProject) {
    await commands.executeCommand(command, ...(project === undefined ? [] : [project.projectId]));
  }
}

/** As any Markdown file: it may be edited. */
async function openNote(file: string) {
  await window.showTextDocument(Uri.file(path.normalize(file)));
}

const filters = { 'Keepit Notebook': ['json'] };

/** Takes notebooks out into one file, and in again. */
export class NotebookTransfer {
  constructor(
    private readonly context: Uses<'memory' | 'formats' | 'notifier'>,
    private readonly enabling: Enabling,
  ) {}

  async export(args: readonly unknown[]): Promise<void> {
    const { memory, notifier } = this.context;
    const { enabling } = this;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReadable(project))) return;
    const { notebook } = memory;
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
    const { notifier, formats } = this.context;
    const { enabling } = this;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReady(project))) return;
    const [file] = (await window.showOpenDialog({ title: 'Keepit: Import Notebook', filters })) ?? [];
    if (file === undefined) return;
    const archive = new TextDecoder().decode(await workspace.fs.readFile(file));
    const result = await this.take(project, archive);
    if (result !== undefined) void notifier.tell(importOutcome(result, formats));
  }

  /** Where notes are there already in other words, the user says which are to stay. */
  private async take(project: KnownProject, archive: string) {
    const { notebook } = this.context.memory;
    try {
      return await notebook.import(project.projectId, archive);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'differs') throw error;
      const mode = await this.askMode(error);
      return mode === undefined ? undefined : notebook.import(project.projectId, archive, mode);
    }
  }

  private async askMode({ message }: NotebookError) {
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
