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

/** How long something stands in the status bar. */
const STATUS_MS = 4000;

/** What is asked before something is done. */
interface Question {
  readonly title: string;
  readonly detail?: string;
}

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

  /** A message, and buttons with what they do. Settles when it is gone, and that is done; what fails is shown. */
  async tell(message: string, buttons: Readonly<Record<string, (() => unknown) | undefined>> = {}): Promise<void> {
    const offered = Object.entries(buttons).filter(([, act]) => act !== undefined);
    const label = await window.showInformationMessage(message, ...offered.map(([name]) => name));
    try {
      await offered.find(([name]) => name === label)?.[1]?.();
    } catch (error) {
      this.showError(error, `following “${label ?? ''}”`);
    }
  }

  /** In the status bar, for a moment: what needs no answer. */
  say(message: string): void {
    window.setStatusBarMessage(message, STATUS_MS);
  }

  /** Asks before something is done; a warning where it cannot be undone. */
  async isAgreed({ title, ...more }: Question, label: string, isWarning = false): Promise<boolean> {
    const options = { modal: true, ...more };
    const asking = isWarning
      ? window.showWarningMessage(title, options, label)
      : window.showInformationMessage(title, options, label);
    return (await asking) === label;
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
