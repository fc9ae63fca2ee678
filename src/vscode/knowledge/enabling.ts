import { commands, window, workspace } from 'vscode';
import { LayersError } from '../../core/knowledge/layerStore';
import { foreignText } from '../../core/knowledge/foreignFiles';
import type { BuildResult } from '../../core/knowledge/layerBuilder';
import type { EnableOptions, LayersStatus } from '../../core/knowledge/layersService';
import { buildOutcome, disableDialog, elsewhereDialog, enableDialog } from '../../core/knowledge/view/knowledgeDialogs';
import type { Uses } from '../context';
import { viewIds } from '../ids';
import { revealFile } from '../revealFile';
import type { KnownProject, LayerBuilds } from './layerBuilds';
import type { ReadEstimate } from '../../core/knowledge/reading/sessionReader';
import { moneyText } from '../../core/versions/view/versionTexts';
import { withProgressMessage } from '../progressMessage';

const UNTRUSTED =
  'This window’s folder is not trusted: Keepit writes nothing into projects from here, and runs nothing in them.';

const BUILD_CANCELLED = 'Reading was cancelled. What was read until then is known; the rest is read when you go on.';

/** Enabling and disabling Keepit in projects: says first what will be written and where, and can be taken back. */
export class Enabling {
  constructor(
    private readonly context: Uses<'memory' | 'targets' | 'settings' | 'formats' | 'notifier' | 'model'>,
    private readonly builds: LayerBuilds,
  ) {}

  async enableMeant(args: readonly unknown[]): Promise<void> {
    const project = await this.asked(args);
    if (project === undefined) return;
    const { isEnabled, dir } = await this.status(project);
    if (isEnabled) void this.context.notifier.tell(`Keepit is enabled in ${project.displayName}: it writes to ${dir}.`);
    else await this.enable(project);
  }

  async disableMeant(args: readonly unknown[]): Promise<void> {
    const project = await this.asked(args);
    if (project === undefined) return;
    const status = await this.status(project);
    if (!status.isEnabled) {
      void this.context.notifier.tell(`Keepit is not enabled in ${project.displayName}: nothing is written for it.`);
      return;
    }
    const dialog = disableDialog(status, project.displayName);
    if (await this.context.notifier.isAgreed(dialog, 'Disable')) await this.disable(project);
  }

  async buildMeant(args: readonly unknown[]): Promise<void> {
    const project = this.project(args);
    if (project === undefined) return;
    if (!(await this.status(project)).isEnabled) {
      await this.enable(project);
      return;
    }
    if (await this.mayWrite(project)) await this.build(project);
  }

  private async build(project: KnownProject, enabling?: EnableOptions) {
    const { notifier, formats } = this.context;
    const result = await this.builds.build(project, enabling);
    if (result !== undefined) void notifier.tell(buildOutcome(result, formats));
    else await notifier.tell(BUILD_CANCELLED, { 'Go On': () => this.build(project, enabling) });
  }

  /** As `project`; where the workspace has several and none was named, the user says which. Undefined when the user went away. */
  private async asked(args: readonly unknown[]): Promise<KnownProject | undefined> {
    const among = this.context.model.workspaceProjects;
    if (args[0] !== undefined || among.length < 2) return this.project(args);
    const items = among.map(({ projectId, displayName, originalPath }) => {
      return { label: displayName, description: originalPath, projectId };
    });
    const title = 'Keepit: Projects of This Workspace';
    const picked = await window.showQuickPick(items, {
      title,
      placeHolder: 'Which of them?',
      matchOnDescription: true,
    });
    return picked && this.project([picked.projectId]);
  }

  /** The project that a command is about; the user is told where there is none. */
  project(args: readonly unknown[]): KnownProject | undefined {
    const { targets, notifier } = this.context;
    const project = targets.project(args);
    if (project !== undefined) {
      const { projectId, displayName } = project;
      return { projectId, displayName };
    }
    void notifier.tell('Choose a project in the Projects view first.');
    return undefined;
  }

  /** Whether what is known of a project can be read: Keepit is enabled in it, or the user enables it now. */
  async isReadable(project: KnownProject): Promise<boolean> {
    const { isEnabled, problem, dir } = await this.status(project);
    if (!isEnabled) return this.enable(project);
    if (problem !== undefined) throw new LayersError(problem, dir);
    return true;
  }

  /** As `isReadable`, and something may be written. */
  async isReady(project: KnownProject): Promise<boolean> {
    return (await this.isReadable(project)) && this.mayWrite(project);
  }

  /** Whether programs may be run in a project's folder, such as git; the user is told where not. */
  isTrusted(): boolean {
    if (!workspace.isTrusted) this.tellOfTrust();
    return workspace.isTrusted;
  }

  /** In a window whose folder is not trusted nothing is written into projects; the user is told. */
  async mayWrite(project: KnownProject): Promise<boolean> {
    if (workspace.isTrusted || (await this.status(project)).location === 'home') return true;
    this.tellOfTrust();
    return false;
  }

  private async enable(project: KnownProject): Promise<boolean> {
    const { memory, model, settings } = this.context;
    if (!workspace.isTrusted && settings.layersLocation === 'project') {
      this.tellOfTrust();
      return false;
    }
    const wanted = await this.ask(project);
    if (wanted === undefined) return false;
    await memory.layers.enable(project.projectId, wanted);
    if (model.shownProject?.projectId !== project.projectId) model.showProject(project.projectId);
    await commands.executeCommand(`${viewIds.knowledge}.focus`);
    const result = await this.builds.build(project, wanted);
    void this.tellEnabled(project, wanted, result);
    return result !== undefined;
  }

  /** Where it is to be written; undefined when the user would not have it. */
  private async ask(project: KnownProject): Promise<EnableOptions | undefined> {
    const { settings, memory } = this.context;
    const wanted: EnableOptions = { location: settings.layersLocation, shared: settings.sharesLayers };
    const status = await this.status(project, wanted);
    if (status.problem !== undefined) return this.askElsewhere(project, status);
    const foreign = foreignText(await memory.layers.foreign(project.projectId, wanted));
    const { title, detail } = enableDialog(status, project.displayName, foreign);
    const labels = status.location === 'project' ? ['Enable', 'Keep It Outside of the Project'] : ['Enable'];
    const answer = await window.showInformationMessage(title, { modal: true, detail }, ...labels);
    if (answer === 'Enable') return wanted;
    return answer === undefined ? undefined : this.askHome(project);
  }

  private async askElsewhere(project: KnownProject, status: LayersStatus): Promise<EnableOptions | undefined> {
    const isAgreed = await this.context.notifier.isAgreed(
      elsewhereDialog(status, project.displayName),
      'Keep It There',
      true,
    );
    return isAgreed ? this.askHome(project) : undefined;
  }

  private async askHome(project: KnownProject): Promise<EnableOptions | undefined> {
    const wanted: EnableOptions = { location: 'home' };
    const dialog = enableDialog(await this.status(project, wanted), project.displayName, undefined);
    return (await this.context.notifier.isAgreed(dialog, 'Enable')) ? wanted : undefined;
  }

  private async tellEnabled(project: KnownProject, wanted: EnableOptions, result: BuildResult | undefined) {
    const outcome = result === undefined ? BUILD_CANCELLED : buildOutcome(result, this.context.formats);
    await this.context.notifier.tell(`Keepit is enabled in ${project.displayName}. ${outcome}`, {
      'Go On': result === undefined ? () => this.build(project, wanted) : undefined,
      Undo: () => this.disable(project),
    });
  }

  /** Says what is still there. */
  private async disable({ projectId, displayName }: KnownProject) {
    const { memory, notifier } = this.context;
    const { location, isShared: shared } = await memory.layers.status(projectId);
    const { dir } = await memory.layers.disable(projectId);
    const told = `Keepit is disabled in ${displayName}. What was written stays in ${dir}, until you delete it.`;
    void notifier.tell(told, {
      'Enable Again': () => memory.layers.enable(projectId, { location, shared }),
      'Show Folder': () => revealFile(dir),
    });
  }

  private tellOfTrust() {
    void this.context.notifier.tell(UNTRUSTED, {
      'Manage Trust': () => commands.executeCommand('workbench.trust.manage'),
    });
  }

  private async status({ projectId }: KnownProject, options?: EnableOptions): Promise<LayersStatus> {
    return this.context.memory.layers.status(projectId, options);
  }
}

const EACH = 'Each, When It Ends';
const PAST = 'Those of Before, Now';
const STOP = 'Read None Any More';

/** Has a model read sessions: what it costs is said first, and asked once. */
export class ReadingCommands {
  constructor(
    private readonly context: Uses<'memory' | 'formats' | 'notifier'>,
    private readonly enabling: Enabling,
  ) {}

  async read(args: readonly unknown[]): Promise<void> {
    const { reading, config, sessions } = this.context.memory;
    const project = this.enabling.project(args);
    if (project === undefined || !(await this.enabling.isReady(project))) return;
    const { projectId } = project;
    const refs = (await sessions.list(projectId)).map(({ sessionId }) => ({ projectId, sessionId }));
    const [price, past] = await withProgressMessage('Working out what it costs', { isShort: true }, async (_, signal) =>
      Promise.all([reading.price(projectId, {}, signal), reading.estimate(refs, {}, signal)]),
    );
    const { enabled, sessionUsd } = (await config.read()).reading;
    const title = enabled ? `${price.model} reads each session when it ends` : `Have ${price.model} read sessions?`;
    const answers = [...(enabled ? [STOP] : [EACH]), ...(past.sessions > 0 ? [PAST] : [])];
    const detail = this.detail(price, past, sessionUsd);
    const answer = await window.showInformationMessage(title, { modal: true, detail }, ...answers);
    if (answer === EACH) await reading.agree(true);
    if (answer === STOP) await reading.agree(false);
    if (answer === PAST) await this.readPast(project, refs);
  }

  private detail(price: ReadEstimate, past: ReadEstimate, sessionUsd: number): string {
    const { formats } = this.context;
    const before = `${formats.plural(past.sessions, 'session')} of before, which no model has read: about ${moneyText(past.cost.usd)} together.`;
    return [
      `It notes decisions, rules and solutions with your words, and writes a digest of each session (${price.provider}).`,
      `One session: about ${moneyText(price.usdPerSession)}, ${moneyText(sessionUsd)} at most.`,
      ...(past.sessions > 0 ? [before] : []),
    ].join('\n');
  }

  private async readPast(project: KnownProject, refs: readonly { projectId: string; sessionId: string }[]) {
    const { memory, notifier, formats } = this.context;
    const { read, failed, cost } = await withProgressMessage(
      'Having sessions read',
      { isShort: false },
      (report, signal) => memory.reading.read(refs, {}, report, signal),
    );
    if (read.length > 0) await memory.hooks.refresh(project.projectId);
    const [first] = failed;
    const problem = first === undefined ? '' : ` ${first.error.message} ${first.error.hint}`;
    void notifier.tell(`${formats.plural(read.length, 'session')} read, for ${moneyText(cost.usd)}.${problem}`);
  }
}
