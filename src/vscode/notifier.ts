import { commands, window, type LogOutputChannel } from 'vscode';
import { isAbortError, KeepitError } from '../core/text/keepitError';
import type { Log } from '../core/model/host';
import { failureText } from '../core/text/windowHint';
import { commandIds, type CommandId } from './ids';

interface NextStep {
  readonly label: string;
  readonly command: CommandId;
}

const showLog: NextStep = { label: 'Show Log', command: commandIds.showLog };
const openSettings: NextStep = { label: 'Open Settings', command: commandIds.openSettings };
const runDoctor: NextStep = { label: 'Run Doctor', command: commandIds.doctor };
const setKey: NextStep = { label: 'Set API Key', command: commandIds.setAnthropicKey };
const enable: NextStep = { label: 'Enable Keepit', command: commandIds.enableKnowledge };
const buildLayers: NextStep = { label: 'Build Layers', command: commandIds.buildLayers };
const setUp: NextStep = { label: 'Set Up Claude Code', command: commandIds.setUpClaudeCode };
const takeOut: NextStep = { label: 'Remove from Claude Code', command: commandIds.removeFromClaudeCode };
const lookAgain: NextStep = { label: 'Refresh', command: commandIds.refresh };

/** What helps with an expected failure, by the beginning of its code; the first that fits. */
const stepsByCode: readonly { prefix: string; steps: readonly NextStep[] }[] = [
  { prefix: 'store-read-only', steps: [openSettings, runDoctor] },
  { prefix: 'store-', steps: [runDoctor, showLog] },
  { prefix: 'session-', steps: [lookAgain] },
  { prefix: 'transcript-', steps: [lookAgain, runDoctor] },
  { prefix: 'config-', steps: [openSettings] },
  { prefix: 'layers-not-enabled', steps: [enable] },
  { prefix: 'layers-not-built', steps: [buildLayers] },
  { prefix: 'setup-other-mode', steps: [takeOut] },
  { prefix: 'setup-not-installed', steps: [setUp] },
  { prefix: 'setup-', steps: [runDoctor, showLog] },
  { prefix: 'summarizer-no-key', steps: [setKey] },
  { prefix: 'summarizer-bad-key', steps: [setKey] },
];

/** Tells people what happened, and offers the next step as a button. */
export class Notifier {
  constructor(private readonly log: Log) {}

  /** Shows a failure. What was cancelled is no failure, and nothing is shown. Settles at once; the answer is followed up. */
  showError(error: unknown, doing: string): void {
    if (isAbortError(error)) return;
    if (error instanceof KeepitError) {
      this.log.warn(`${doing}: ${error.message} [${error.code}]`);
      const steps = stepsByCode.find(({ prefix }) => error.code.startsWith(prefix))?.steps ?? [showLog];
      void this.offer(failureText(error), steps);
      return;
    }
    this.log.error(`${doing} failed.`, error);
    void this.offer(`Keepit ran into a problem while ${doing}. The log says more.`, [showLog]);
  }

  /** A message with buttons; settles with the label that was pressed. */
  async tell(message: string, ...buttons: string[]): Promise<string | undefined> {
    return window.showInformationMessage(message, ...buttons);
  }

  private async offer(message: string, steps: readonly NextStep[]) {
    const label = await window.showErrorMessage(message, ...steps.map((step) => step.label));
    const step = steps.find((candidate) => candidate.label === label);
    if (step !== undefined) await commands.executeCommand(step.command);
  }
}

/** The log of the extension, in VS Code's Output view; its level is the user's choice there. */
export class OutputLog implements Log {
  constructor(private readonly channel: LogOutputChannel) {}

  debug(message: string): void {
    this.channel.debug(message);
  }

  info(message: string): void {
    this.channel.info(message);
  }

  warn(message: string): void {
    this.channel.warn(message);
  }

  error(message: string, cause?: unknown): void {
    if (cause === undefined) this.channel.error(message);
    else this.channel.error(message, cause instanceof Error ? (cause.stack ?? cause.message) : cause);
  }
}
