import type { SecretStorage } from 'vscode';

const SECRET = 'keepit.anthropicKey';

/** The user's key for Anthropic's API: in VS Code's secret storage, else in the environment. */
export class AnthropicKey {
  constructor(
    private readonly secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Asked for before each call of a model; nobody keeps what it returns. */
  readonly get = async (): Promise<string | undefined> =>
    (await this.secrets.get(SECRET)) ?? this.env.ANTHROPIC_API_KEY;

  async isStored(): Promise<boolean> {
    return (await this.secrets.get(SECRET)) !== undefined;
  }

  isInEnvironment(): boolean {
    return (this.env.ANTHROPIC_API_KEY ?? '') !== '';
  }

  async store(key: string): Promise<void> {
    await this.secrets.store(SECRET, key.trim());
  }

  async forget(): Promise<void> {
    await this.secrets.delete(SECRET);
  }
}
