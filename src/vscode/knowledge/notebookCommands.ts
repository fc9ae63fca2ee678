import path from 'node:path';
import { commands, Uri, window } from 'vscode';
import type { SummarizerName } from '../../core/compression/types';
import { NotebookError } from '../../core/notebook/notebookError';
import type { SummarizeResult, SynthesizeResult } from '../../core/notebook/notebookService';
import type { Formats } from '../../core/presentation/formats';
import { moneyText } from '../../core/presentation/versionTexts';
import { titleOf } from '../../core/presentation/sessionTree';
import type { DiscoveredSession, SessionRef } from '../../core/registry/results';
import { commandIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import { withProgressMessage } from '../progressMessage';
import type { Proposals } from '../proposals';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import type { Settings } from '../settings';
import { targetOf } from '../transcript/transcriptUri';
import type { Enabling } from './enabling';
import type { KnowledgeModel } from './knowledgeModel';
import type { KnownProject } from './layerBuilds';

export interface NotebookCommandsOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly targets: SessionTargets;
  readonly settings: Settings;
  readonly proposals: Proposals;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly knowledge: KnowledgeModel;
  readonly enabling: Enabling;
}

interface Words {
  readonly provider: SummarizerName;
  readonly model: string | undefined;
}

const LOCAL: Words = { provider: 'local', model: undefined };
/** Work on this much is done in a moment. */
const FEW_SESSIONS = 5;
const FEW_NOTES = 50;
const OPEN = 'Open';
const SYNTHESIZE = 'Synthesize';
const SUMMARIZE = 'Summarize Sessions…';

/** Summaries of sessions, what they say together, and reading that. */
export class NotebookCommands {
  constructor(private readonly options: NotebookCommandsOptions) {}

  async summarize(args: readonly unknown[]): Promise<void> {
    const sessions = await this.sessionsMeant(args);
    const [first] = sessions;
    if (first === undefined) return;
    const project = this.options.enabling.project([first]);
    if (project === undefined || !(await this.options.enabling.isReady(project))) return;
    const own = sessions.filter(({ projectId }) => projectId === project.projectId);
    const words = await this.wordsFor(project, own);
    if (words === undefined) return;
    await this.tellSummarized(project, await this.summarizeAll(project, own, words), own.length);
  }

  /** Shows what would change before it is written. */
  async synthesize(args: readonly unknown[]): Promise<void> {
    const { enabling, notifier, proposals, knowledge } = this.options;
    const project = enabling.project(args);
    if (project === undefined || !enabling.isTrusted() || !(await enabling.isReady(project))) return;
    const preview = await this.synthesized(project, true);
    if (preview === undefined) return;
    if (preview.outcome === 'unchanged') {
      const told = 'The project memory is up to date: nothing is new since the last synthesis.';
      if ((await notifier.tell(told, OPEN)) === OPEN) await openNote(preview.file);
      return;
    }
    const isAgreed = await proposals.isAgreed({
      name: 'master.md',
      before: preview.before,
      after: preview.after,
      title: `master.md: ${this.newSummaries(preview)}`,
      question: `Write this to the memory of ${project.displayName}?`,
      about: `${this.newSummaries(preview)}. What you wrote into the file yourself stays.`,
      yes: { label: 'Apply', description: path.normalize(preview.file) },
      no: 'Discard',
    });
    if (!isAgreed) return;
    const written = await this.synthesized(project, false);
    knowledge.refresh();
    if (written === undefined) return;
    const pruned =
      written.pruned === 0
        ? ''
        : ` ${this.options.formats.plural(written.pruned, 'old point')} went to archive/master.md.`;
    if ((await notifier.tell(`The project memory is written.${pruned}`, OPEN)) === OPEN) await openNote(written.file);
  }

  /** Opens what all sessions say together. */
  async recall(args: readonly unknown[]): Promise<void> {
    const { enabling, host, notifier } = this.options;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReadable(project))) return;
    const { notebook } = (await host.named(project.memory)).service;
    try {
      const { file, newSources } = await notebook.recall(project.projectId);
      await openNote(file);
      if (newSources.length === 0) return;
      const told = `${this.summaries(newSources.length)} came after the last synthesis.`;
      if ((await notifier.tell(told, SYNTHESIZE)) === SYNTHESIZE) await this.ask(commandIds.synthesizeMemory, project);
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'no-master') throw error;
      const told = `There is no memory of ${project.displayName} yet: it is made of summaries of its sessions.`;
      const answer = await notifier.tell(told, SYNTHESIZE, SUMMARIZE);
      if (answer === SYNTHESIZE) await this.ask(commandIds.synthesizeMemory, project);
      if (answer === SUMMARIZE) await this.ask(commandIds.summarizeSession);
    }
  }

  /** Undefined, and the user is told what to do, when there is nothing to synthesize. */
  private async synthesized(project: KnownProject, isPreview: boolean): Promise<SynthesizeResult | undefined> {
    const { host, notifier } = this.options;
    const { notebook } = (await host.named(project.memory)).service;
    const isShort = (await notebook.list(project.projectId)).length <= FEW_NOTES;
    try {
      return await withProgressMessage(
        `Synthesizing the memory of ${project.displayName}`,
        { isShort },
        (_report, signal) => notebook.synthesize(project.projectId, { isPreview }, signal),
      );
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'no-summaries') throw error;
      const told = `There are no summaries of sessions of ${project.displayName} yet.`;
      if ((await notifier.tell(told, SUMMARIZE)) === SUMMARIZE) await this.ask(commandIds.summarizeSession);
      return undefined;
    }
  }

  /** The rows or the transcript that the command was called on; else those that the user picks. */
  private async sessionsMeant(args: readonly unknown[]): Promise<DiscoveredSession[]> {
    const { targets, model, host } = this.options;
    const uri = args[0] === undefined ? window.activeTextEditor?.document.uri : undefined;
    const open = uri === undefined ? undefined : targetOf(uri);
    const session = open?.memory === host.current ? model.find(open) : undefined;
    if (session !== undefined) return [session];
    const wants = ({ problem, messages }: DiscoveredSession): boolean => problem === undefined && messages > 0;
    return (await targets.many(args, { title: 'Keepit: Summarize Session', wants })) ?? [];
  }

  private async summarizeAll(
    { memory, projectId }: KnownProject,
    sessions: readonly DiscoveredSession[],
    words: Words,
  ): Promise<SummarizeResult[]> {
    const { host, knowledge } = this.options;
    const { notebook } = (await host.named(memory)).service;
    const results: SummarizeResult[] = [];
    try {
      const isShort = sessions.length <= FEW_SESSIONS && words.provider === 'local';
      await withProgressMessage('Summarizing', { isShort }, async (report, signal) => {
        for (const [done, session] of sessions.entries()) {
          report({ step: 'layer', done, total: sessions.length, label: titleOf(session) });
          results.push(await notebook.summarize({ projectId, sessionId: session.sessionId }, words, signal));
        }
      });
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
    const told =
      asked > 1
        ? `${this.summaries(results.length)} written.`
        : first.outcome === 'unchanged'
          ? 'Its summary is up to date.'
          : `Its summary is ${first.outcome === 'created' ? 'written' : 'brought up to date'}.`;
    const answer = await this.options.notifier.tell(told, OPEN, SYNTHESIZE);
    if (answer === OPEN) await openNote(first.file);
    if (answer === SYNTHESIZE) await this.ask(commandIds.synthesizeMemory, project);
  }

  /** A model is asked only where the user has chosen one, and agrees to what it may cost. */
  private async wordsFor(project: KnownProject, sessions: readonly SessionRef[]): Promise<Words | undefined> {
    const { settings, host } = this.options;
    const { compressionProvider: provider, compressionModel } = settings;
    if (provider === 'local') return LOCAL;
    const words = { provider, model: compressionModel === '' ? undefined : compressionModel };
    const { notebook } = (await host.named(project.memory)).service;
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
    return `${this.summaries(sources.length)}, ${this.options.formats.exact(newSources.length)} new`;
  }

  private summaries(count: number): string {
    return this.options.formats.plural(count, 'summary', 'summaries');
  }

  private async ask(command: string, project?: KnownProject): Promise<void> {
    await commands.executeCommand(command, ...(project === undefined ? [] : [project.projectId]));
  }
}

/** As any Markdown file: it may be edited. */
async function openNote(file: string): Promise<void> {
  await window.showTextDocument(Uri.file(path.normalize(file)));
}
