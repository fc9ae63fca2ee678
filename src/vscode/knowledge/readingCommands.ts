import { window } from 'vscode';
import type { ReadEstimate } from '../../core/knowledge/reading/sessionReader';
import { moneyText } from '../../core/versions/view/versionTexts';
import type { Uses } from '../context';
import { withProgressMessage } from '../progressMessage';
import type { Enabling } from './enabling';
import type { KnownProject } from './layerBuilds';

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
