import {
  knownModel,
  type CallListener,
  type KnownModel,
  type ModelAnswer,
  type ModelCall,
  type ModelCaller,
} from '../../../src/core/versions/models/modelCaller';
import type { ModelSettings } from '../../../src/core/model/models';

type Reply = string | Error | Partial<ModelAnswer> | ((listener: CallListener) => Promise<Partial<ModelAnswer>>);

/** A model that answers with what it is told, in order, then with `otherwise`. */
export class FakeCaller implements ModelCaller {
  readonly name: ModelCaller['name'];
  parallelCalls = 1;
  readonly overheadTokens = 0;
  readonly calls: ModelCall[] = [];
  readonly replies: Reply[] = [];
  otherwise: (call: ModelCall) => Reply = () => new Error('nobody said what to answer');

  constructor(name: ModelCaller['name'] = 'anthropic') {
    this.name = name;
  }

  async model(name: string, settings: ModelSettings): Promise<KnownModel> {
    return knownModel(name, settings);
  }

  async call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer> {
    this.calls.push(call);
    const reply = this.replies.shift() ?? this.otherwise(call);
    if (reply instanceof Error) throw reply;
    const given =
      typeof reply === 'string'
        ? { text: reply }
        : typeof reply === 'function'
          ? await Promise.race([reply(listener), endOf(signal)])
          : reply;
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheWriteTokens: 0, cacheReadTokens: 0 };
    return { text: '', end: 'complete', usage, responseId: `msg_${this.calls.length}`, ...given };
  }
}

/** Never answers; fails when the call is given up. */
function endOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}
