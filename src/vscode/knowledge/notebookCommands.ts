import path from 'node:path';
import { commands, Uri, window, workspace } from 'vscode';
import type { SummarizerName } from '../../core/versions/types';
import { NotebookError } from '../../core/knowledge/notes/notebookError';
import type { NotebookUndo } from '../../core/knowledge/notes/noteFiles';
import type { SummarizeResult, SynthesisProposal, SynthesizeResult } from '../../core/knowledge/notes/notebookService';
import type { SynthesisPlan } from '../../core/knowledge/notes/synthesizer';
import { summarizeOutcome, importOutcome } from '../../core/presentation/knowledgeDialogs';
import { moneyText } from '../../core/presentation/versionTexts';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { DiscoveredSession, SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import { commandIds } from '../ids';
import { withProgressMessage } from '../progressMessage';
import { targetOf } from '../transcript/transcriptDocuments';
import type { ImportMode, ImportResult } from '../../core/knowledge/notes/notebookTransfer';
import { revealFile } from '../revealFile';
import type { Enabling } from './enabling';
import type { KnowledgeTree } from './knowledgeTree';
import type { KnownProject } from './layerBuilds';

interface Words {
  readonly provider: SummarizerName;
  readonly model: string | undefined;
}

const LOCAL: Words = { provider: 'local', model: undefined };
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
    private readonly context: Uses<'host' | 'model' | 'targets' | 'settings' | 'proposals' | 'formats' | 'notifier'>,
    private readonly knowledge: KnowledgeTree,
    private readonly enabling: Enabling,
  ) {}

  async summarize(args: readonly unknown[]): Promise<void> {
    const sessions = await this.sessionsMeant(args);
    const [first] = sessions;
    if (first === undefined) return;
    const project = this.enabling.project([first]);
    if (project === undefined || !(await this.enabling.isReady(project))) return;
    const own = sessions.filter(({ projectId }) => projectId === project.projectId);
    const words = await this.wordsFor(own);
    if (words === undefined) return;
    await this.tellSummarized(project, await this.summarizeAll(project, own, words), own.length);
  }

  /** Shows what would change, and writes just that. Where the notebook changes meanwhile, what would be written then is shown. */
  async synthesize(args: readonly unknown[]): Promise<void> {
    const { enabling, knowledge } = this;
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
      knowledge.refresh();
      await this.tellSynthesized(project, result, undo);
      return;
    }
  }

  /** Opens what all sessions say together. */
  async recall(args: readonly unknown[]): Promise<void> {
    const { host, notifier } = this.context;
    const { enabling } = this;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReadable(project))) return;
    const { notebook } = (await host.memory()).service;
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
    const { host, notifier } = this.context;
    const { notebook } = (await host.memory()).service;
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

  private async applied({ projectId }: KnownProject, plan: SynthesisPlan): Promise<NotebookUndo | 'changed'> {
    const { notebook } = (await this.context.host.memory()).service;
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
  ): Promise<void> {
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
  private async takeBack({ projectId }: KnownProject, undos: readonly NotebookUndo[], what: string): Promise<void> {
    const { host, notifier } = this.context;
    const { knowledge } = this;
    const { notebook } = (await host.memory()).service;
    try {
      await notebook.undo(projectId, undos);
      window.setStatusBarMessage(`${what}: as before.`, STATUS_MS);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'changed-since') throw error;
      if ((await notifier.tell(`${error.message} ${error.hint}`, OPEN)) === OPEN) await openNote(error.subject);
    } finally {
      knowledge.refresh();
    }
  }

  /** The rows or the transcript that the command was called on; else those that the user picks. */
  private async sessionsMeant(args: readonly unknown[]): Promise<DiscoveredSession[]> {
    const { targets, model } = this.context;
    const uri = args[0] === undefined ? window.activeTextEditor?.document.uri : undefined;
    const open = uri === undefined ? undefined : targetOf(uri);
    const session = open === undefined ? undefined : model.find(open);
    if (session !== undefined) return [session];
    const wants = ({ problem, messages }: DiscoveredSession): boolean => problem === undefined && messages > 0;
    return (await targets.many(args, { title: 'Keepit: Summarize Session', wants })) ?? [];
  }

  /** What was written, also where the rest could not be: that is told by itself. */
  private async summarizeAll(
    { projectId }: KnownProject,
    sessions: readonly DiscoveredSession[],
    words: Words,
  ): Promise<SummarizeResult[]> {
    const { host, notifier } = this.context;
    const { knowledge } = this;
    const { notebook } = (await host.memory()).service;
    const results: SummarizeResult[] = [];
    try {
      const isShort = sessions.length <= FEW_SESSIONS && words.provider === 'local';
      await withProgressMessage('Summarizing', { isShort }, async (report, signal) => {
        for (const [done, session] of sessions.entries()) {
          report({ step: 'layer', done, total: sessions.length, label: titleOf(session) });
          results.push(await notebook.summarize({ projectId, sessionId: session.sessionId }, words, signal));
        }
      });
    } catch (error) {
      notifier.showError(error, 'summarizing');
    } finally {
      knowledge.refresh();
    }
    return results;
  }

  private async tellSummarized(
    project: KnownProject,
    results: readonly SummarizeResult[],
    asked: number,
  ): Promise<void> {
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

  /** A model is asked only where the user has chosen one, and agrees to what it may cost. */
  private async wordsFor(sessions: readonly SessionRef[]): Promise<Words | undefined> {
    const { settings, host } = this.context;
    const { compressionProvider: provider, compressionModel } = settings;
    if (provider === 'local') return LOCAL;
    const words = { provider, model: compressionModel === '' ? undefined : compressionModel };
    const { notebook } = (await host.memory()).service;
    let usd = 0;
    for (const session of sessions) usd += (await notebook.estimate(session, words)).usd;
    const ask = 'Ask the Model';
    const code = 'By Code Alone';
    const detail = `A model puts it in its own words first: about ${moneyText(usd)}. What counts as a point is found by code either way.`;
    const title = `Summarize with ${provider}?`;
    const answer = await window.showInformationMessage(title, { modal: true, detail }, ask, code);
    if (answer === ask) return words;
    return answer === code ? LOCAL : undefined;
  }

  private newSummaries({ newSources, sources }: SynthesizeResult): string {
    return `${this.summaries(sources.length)}, ${this.context.formats.exact(newSources.length)} new`;
  }

  private summaries(count: number): string {
    return this.context.formats.plural(count, 'summary', 'summaries');
  }

  private async ask(command: string, project?: KnownProject): Promise<void> {
    await commands.executeCommand(command, ...(project === undefined ? [] : [project.projectId]));
  }
}

/** As any Markdown file: it may be edited. */
async function openNote(file: string): Promise<void> {
  await window.showTextDocument(Uri.file(path.normalize(file)));
}

const filters = { 'Keepit Notebook': ['json'] };

/** Takes notebooks out into one file, and in again. */
export class NotebookTransfer {
  constructor(
    private readonly context: Uses<'host' | 'formats' | 'notifier'>,
    private readonly knowledge: KnowledgeTree,
    private readonly enabling: Enabling,
  ) {}

  async export(args: readonly unknown[]): Promise<void> {
    const { host, notifier } = this.context;
    const { enabling } = this;
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
    const { notifier, formats } = this.context;
    const { enabling, knowledge } = this;
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
    const { notebook } = (await this.context.host.memory()).service;
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
