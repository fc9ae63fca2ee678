import { env, Uri, window, workspace } from 'vscode';
import { findClaude, findCommand, isFolder } from '../../node/hostProbe';
import { commandLine } from '../../node/shellWords';
import type { Notifier } from '../notifier';
import type { Settings } from '../settings';

const INSTALLING = 'https://docs.claude.com/en/docs/claude-code/setup';

/**
 * Starts the user's `claude` in a terminal of the window. Claude Code's own extension, where it is installed, gives every terminal of the
 * window what connects a `claude` in it with the editor: so this one is as good as one that it opened itself.
 */
export class ClaudeTerminal {
  constructor(
    private readonly settings: Settings,
    private readonly notifier: Notifier,
  ) {}

  /**
   * Runs `claude` with these arguments in the project's folder. False when there is no `claude`: then the user was told, and has been
   * offered the command.
   */
  async run(args: readonly string[], { name, folder }: { name: string; folder: string }): Promise<boolean> {
    const line = await this.line(args);
    if (line === undefined) {
      void this.tellMissing(commandLine(env.shell, 'claude', args));
      return false;
    }
    const cwd = await existing(folder);
    const terminal = window.createTerminal({ name: `Claude: ${name}`, ...(cwd !== undefined && { cwd }) });
    terminal.show();
    terminal.sendText(line);
    return true;
  }

  /** As it is to be written in a terminal; undefined where there is no `claude`. */
  private async line(args: readonly string[]): Promise<string | undefined> {
    const { claudeCommand } = this.settings;
    // What a person has written there may have arguments of its own.
    const [first, ...others] = args;
    if (claudeCommand !== undefined)
      return first === undefined ? claudeCommand : `${claudeCommand} ${commandLine(env.shell, first, others)}`;
    const file = await findClaude(process.env);
    if (file === undefined) return undefined;
    // By its name it may be what the user's shell makes of it; where only an installer's folder has it, a shell may not know it.
    const isOnPath = (await findCommand('claude', process.env)) !== undefined;
    return commandLine(env.shell, isOnPath ? 'claude' : file, args);
  }

  private async tellMissing(command: string) {
    const text =
      'The command `claude` was not found on this machine. Install Claude Code, or say where it is in the setting keepit.claudeCommand.';
    await this.notifier.tell(text, {
      'Copy Command': () => env.clipboard.writeText(command),
      'How to Install': () => env.openExternal(Uri.parse(INSTALLING)),
    });
  }
}

/** The project's folder may be gone, or on another machine: then the window's own. */
async function existing(folder: string): Promise<string | undefined> {
  return (await isFolder(folder)) ? folder : workspace.workspaceFolders?.[0]?.uri.fsPath;
}
