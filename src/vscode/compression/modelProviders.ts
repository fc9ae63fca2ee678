import { lm } from 'vscode';
import { modelAliases } from '../../core/compression/models/knownModel';
import type { ModelSettings } from '../../core/model/models';
import type { ProviderChoice } from '../../core/presentation/compressionProtocol';

/** Who can write summaries in this window, and with which models. */
export class ModelProviders {
  async choices(settings: ModelSettings): Promise<ProviderChoice[]> {
    const claude = modelAliases(settings).map(({ alias, id }) => ({ id: alias, label: `${alias} (${id})` }));
    return [
      { name: 'local', models: [] },
      { name: 'anthropic', models: claude },
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
