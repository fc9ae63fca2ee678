import { setTimeout as sleep } from 'node:timers/promises';
import { PendingCosts } from '../../core/versions/models/costGate';
import { ModelAsker } from '../../core/versions/models/modelAsker';
import type { ModelCaller } from '../../core/versions/models/modelCaller';
import { ModelSummarizer } from '../../core/versions/models/modelSummarizer';
import type { ModelSettings } from '../../core/model/models';
import type { Clock, Ledger, Log } from '../../core/model/host';
import { AnthropicCaller } from './anthropicCaller';
import { ClaudeCliCaller } from './claudeCliCaller';

/** What only a host has: a key that it keeps, and ways to ask models of its own. */
export interface HostModels {
  readonly anthropicKey: () => Promise<string | undefined>;
  readonly callers: readonly ModelCaller[];
}

/** What the host knows of models and their keys. The key's default is `ANTHROPIC_API_KEY`. */
export interface ModelAccess extends Partial<HostModels> {
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

interface ModelSummarizerOptions {
  readonly storeDir: string;
  readonly ledger: Ledger;
  readonly settings: () => Promise<ModelSettings>;
  readonly clock: Clock;
  readonly log: Log;
  readonly access?: ModelAccess | undefined;
}

/** All that asks a model, within limits that they share. */
interface ModelSummarizers {
  readonly summarizers: readonly ModelSummarizer[];
  readonly askers: readonly ModelAsker[];
}

/** What asks a model. Nothing is loaded, started or asked for before one of them is used. */
export function createModelSummarizers(options: ModelSummarizerOptions): ModelSummarizers {
  const { storeDir, ledger, settings, clock, log, access = {} } = options;
  const { env = process.env } = access;
  const pending = new PendingCosts();
  const callers: ModelCaller[] = [
    new AnthropicCaller({
      key: access.anthropicKey ?? (async () => env.ANTHROPIC_API_KEY),
      baseUrl: env.ANTHROPIC_BASE_URL,
      politeness: {
        log,
        sleep: (delayMs, signal) => sleep(delayMs, undefined, signal === undefined ? {} : { signal }),
        now: () => performance.now(),
        random: () => Math.random(),
      },
    }),
    new ClaudeCliCaller({ storeDir, env }),
    ...(access.callers ?? []),
  ];
  return {
    summarizers: callers.map((caller) => new ModelSummarizer({ caller, settings, ledger, pending, clock, log })),
    askers: callers.map((caller) => new ModelAsker({ caller, settings, ledger, pending, clock, log })),
  };
}
