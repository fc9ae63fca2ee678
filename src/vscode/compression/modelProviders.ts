import { lm } from 'vscode';
import { modelAliases } from '../../core/versions/models/modelCaller';
import type { Config } from '../../core/model/config';
import type { ProviderChoice } from '../../core/presentation/compressionProtocol';

/** Who can write summaries in this window, and with which models: the usual one first. */
export class ModelProviders {
  constructor(private readonly anthropicKey: () => Promise<string | undefined>) {}

  async choices({ models, defaults }: Pick<Config, 'models' | 'defaults'>): Promise<ProviderChoice[]> {
    const aliases = modelAliases(models).map(({ alias, id }) => ({ id: alias, label: `${alias} (${id})` }));
    const claude = aliases.sort((a, b) => Number(b.id === defaults.model) - Number(a.id === defaults.model));
    const key = await this.anthropicKey();
    const noKey = 'There is no API key: “Keepit: Set Anthropic API Key…” stores one.';
    return [
      { name: 'local', models: [] },
      { name: 'anthropic', models: claude, ...((key ?? '') === '' && { problem: noKey }) },
      { name: 'claude-cli', models: claude },
      await languageModels(),
    ];
  }
}

/** VS Code asks the user before a model is used for the first time; which there are can be seen without asking. */
async function languageModels(): Promise<ProviderChoice> {
  const models = (await lm.selectChatModels()).map(({ id, name, vendor }) => ({ id, label: `${name} (${vendor})` }));
  if (models.length > 0) return { name: 'vscode-lm', models };
  return { name: 'vscode-lm', models, problem: 'No language model is offered in this window.' };
}
