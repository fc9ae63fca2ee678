import path from 'node:path';
import { commands, Uri, window } from 'vscode';
import { NotebookError } from '../../core/knowledge/layerStore';
import type { NotebookUndo } from '../../core/knowledge/notes/noteFiles';
import type { SummarizeResult, SynthesisProposal, SynthesizeResult } from '../../core/knowledge/notes/notebookService';
import { summarizeOutcome } from '../../core/knowledge/view/knowledgeDialogs';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import { commandIds, type CommandName } from '../ids';
import { withProgressMessage } from '../progressMessage';
import type { Enabling } from './enabling';
import type { KnownProject } from './layerBuilds';
import { openedTranscript } from '../sessions/resumeCommands';

/** Work on this much is done in a moment. */
const FEW_SESSIONS = 5;
const FEW_NOTES = 50;

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
    const { notifier } = this.context;
    const { notebook } = this.context.memory;
    const project = this.enabling.project(args);
    if (project === undefined || !(await this.enabling.isReadable(project))) return;
    const synthesize = { Synthesize: asking('synthesizeMemory', project) };
    try {
      const { file, newSources } = await notebook.recall(project.projectId);
      await openNote(file);
      if (newSources.length === 0) return;
      await notifier.tell(`${this.summaries(newSources.length)} came after the last synthesis.`, synthesize);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'no-master') throw error;
      const isFound = (await notebook.foreign(project.projectId)).length > 0;
      const found = isFound ? ' Notes were found in the project that are not from you.' : '';
      const told = `There is no memory of ${project.displayName} yet: it is made of summaries of its sessions.${found}`;
      await notifier.tell(told, {
        ...synthesize,
        'Summarize Sessions…': asking('summarizeSession'),
        'Show Them…': isFound ? asking('acceptForeign', project) : undefined,
      });
    }
  }

  /** Undefined, and the user is told what to do, when there is nothing to synthesize. */
  private async proposed(project: KnownProject): Promise<SynthesisProposal | undefined> {
    const { notebook } = this.context.memory;
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
      await this.context.notifier.tell(told, { 'Summarize Sessions…': asking('summarizeSession') });
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
    const isDone = undo !== undefined && outcome !== 'unchanged';
    const archived = pruned === 0 ? '' : ` ${formats.plural(pruned, 'old point')} went to archive/master.md.`;
    const told = isDone
      ? `The project memory is written.${archived}`
      : 'The project memory is up to date: nothing is new since the last synthesis.';
    await notifier.tell(told, {
      Open: () => openNote(file),
      Undo: isDone ? () => this.takeBack(project, [undo], 'The project memory') : undefined,
    });
  }

  /** Refused where somebody has changed a note since. */
  private async takeBack({ projectId }: KnownProject, undos: readonly NotebookUndo[], what: string) {
    const { memory, notifier } = this.context;
    try {
      await memory.notebook.undo(projectId, undos);
      notifier.say(`${what}: as before.`);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'changed-since') throw error;
      await notifier.tell(`${error.message} ${error.hint}`, { Open: () => openNote(error.subject) });
    }
  }

  /** The rows or the transcript that the command was called on; else those that the user picks. */
  private async sessionsMeant(args: readonly unknown[]): Promise<DiscoveredSession[]> {
    const title = 'Keepit: Summarize Session';
    return (await this.context.targets.many(openedTranscript(args), { title })) ?? [];
  }

  /** What was written, also where the rest could not be: that is told by itself. */
  private async summarizeAll(
    { projectId }: KnownProject,
    sessions: readonly DiscoveredSession[],
  ): Promise<SummarizeResult[]> {
    const { memory, notifier } = this.context;
    const results: SummarizeResult[] = [];
    try {
      const isShort = sessions.length <= FEW_SESSIONS;
      await withProgressMessage('Summarizing', { isShort }, async (report, signal) => {
        for (const [done, session] of sessions.entries()) {
          report({ step: 'layer', done, total: sessions.length, label: titleOf(session) });
          results.push(await memory.notebook.summarize({ projectId, sessionId: session.sessionId }, {}, signal));
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
    const undo = () => this.takeBack(project, undos, asked > 1 ? 'The summaries' : 'Its summary');
    await this.context.notifier.tell(told, {
      Open: () => openNote(first.file),
      Synthesize: asking('synthesizeMemory', project),
      Undo: undos.length > 0 ? undo : undefined,
    });
  }

  private newSummaries({ newSources, sources }: SynthesizeResult): string {
    return `${this.summaries(sources.length)}, ${this.context.formats.exact(newSources.length)} new`;
  }

  private summaries(count: number): string {
    return this.context.formats.plural(count, 'summary', 'summaries');
  }
}

/** What a button does that is a command as well. */
function asking(command: CommandName, project?: KnownProject): () => Thenable<unknown> {
  return () => commands.executeCommand(commandIds[command], ...(project === undefined ? [] : [project.projectId]));
}

/** As any Markdown file: it may be edited. */
async function openNote(file: string) {
  await window.showTextDocument(Uri.file(path.normalize(file)));
}
