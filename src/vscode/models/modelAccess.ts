import type { ModelAccess } from '../../node/summarizers/createModelSummarizers';
import type { AnthropicKey } from './anthropicKey';
import { LanguageModelCaller } from './languageModelCaller';
import { WindowChatModels } from './windowChatModels';

/** What this window brings to asking models: a key that it keeps, and models of its own. Loaded with the memory's engine. */
export function modelAccess(key: AnthropicKey): ModelAccess {
  return { anthropicKey: key.get, callers: [new LanguageModelCaller(new WindowChatModels())] };
}
