import { stat } from 'node:fs/promises';
import { env, Uri, window, workspace } from 'vscode';
import { findClaude } from '../../node/findCommand';
import type { Notifier } from '../notifier';
import type { Settings } from '../settings';

const INSTALLING = 'https://docs.claude.com/en/docs/claude-code/setup';

/** Starts the user's `claude` in a terminal of the window, where its own extension, if there is one, joins in. */
export class ClaudeTerminal {
  constructor(
    private readonly settings: Settings,
    private readonly notifier: Notifier,
  ) {}

  /**
   * Runs a command that begins with `claude` in the project's folder. False when there is no `claude`: then the user was told, and has been
   * offered the command.
   */
  async run(command: string, { name, folder }: { name: string; folder: string }): Promise<boolean> {
    const claude = await this.find();
    if (claude === undefined) {
      void this.tellMissing(command);
      return false;
    }
    const cwd = await existing(folder);
    const terminal = window.createTerminal({ name: `Claude: ${name}`, ...(cwd !== undefined && { cwd }) });
    terminal.show();
    terminal.sendText(command.replace(/^claude\b/, () => claude));
    return true;
  }

  /** As it is to be written in a terminal. */
  private async find(): Promise<string | undefined> {
    const { claudeCommand } = this.settings;
    if (claudeCommand !== undefined) return claudeCommand;
    return (await findClaude(process.env)) === undefined ? undefined : 'claude';
  }

  private async tellMissing(command: string): Promise<void> {
    const [copy, install] = ['Copy Command', 'How to Install'] as const;
    const text =
      'The command `claude` was not found on this machine. Install Claude Code, or say where it is in the setting keepit.claudeCommand.';
    const answer = await this.notifier.tell(text, copy, install);
    if (answer === copy) await env.clipboard.writeText(command);
    else if (answer === install) await env.openExternal(Uri.parse(INSTALLING));
  }
}

/** The project's folder may be gone, or on another machine: then the window's own. */
async function existing(folder: string): Promise<string | undefined> {
  const isThere =
    folder !== '' &&
    (await stat(folder).then(
      (entry) => entry.isDirectory(),
      () => false,
    ));
  return isThere ? folder : workspace.workspaceFolders?.[0]?.uri.fsPath;
}
