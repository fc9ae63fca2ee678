import { window } from 'vscode';
import type { CommandSet, CommandHandlers } from '../feature';
import type { Notifier } from '../notifier';
import type { AnthropicKey } from './anthropicKey';

/** Takes a key for Anthropic's API into VS Code's secret storage, and out of it. */
export class KeyCommands implements CommandSet {
  constructor(
    private readonly key: AnthropicKey,
    private readonly notifier: Notifier,
  ) {}

  readonly commands: CommandHandlers = {
    setAnthropicKey: () => this.set(),
    forgetAnthropicKey: () => this.forget(),
  };

  private async set() {
    const key = await window.showInputBox({
      title: 'Keepit: Set Anthropic API Key',
      prompt: 'It is kept in the secret storage of VS Code, and sent to nobody but Anthropic.',
      placeHolder: 'sk-ant-…',
      password: true,
      ignoreFocusOut: true,
      validateInput: problemOf,
    });
    if (key === undefined) return;
    await this.key.store(key);
    void this.notifier.tell(
      'The API key is stored. Summaries by Anthropic are made with it, after a question what they may cost.',
    );
  }

  private async forget() {
    if (!(await this.key.isStored())) {
      void this.notifier.tell(`No API key is stored.${this.elsewhere()}`);
      return;
    }
    await this.key.forget();
    void this.notifier.tell(`The API key is forgotten.${this.elsewhere()}`);
  }

  private elsewhere(): string {
    return this.key.isInEnvironment() ? ' The one in the environment variable ANTHROPIC_API_KEY is still used.' : '';
  }
}

/** Keys for proxies look different: only what cannot be a key at all is refused. */
function problemOf(text: string): string | undefined {
  if (text.trim() === '') return 'A key has to be given; Escape leaves everything as it is.';
  return /\s/.test(text.trim()) ? 'A key has no blanks in it.' : undefined;
}
