import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod/mini';
import type { Log } from '../../core/model/host';
import type { KnownModel, ModelAnswer, ModelCaller } from '../../core/versions/models/modelCaller';
import { createMemory } from '../createMemory';
import { answering, Peer } from './peer';

/** The thread that memory runs in, so that whoever asks for it is never held up. Started by `openMemoryThread`. */

/** What the thread is told at its start. */
const dataSchema = z.object({
  claudeDir: z.optional(z.string()),
  memoryDir: z.optional(z.string()),
  /** Models that only the window can ask. */
  callers: z.array(
    z.object({
      name: z.enum(['anthropic', 'claude-cli', 'vscode-lm']),
      parallelCalls: z.number(),
      overheadTokens: z.number(),
    }),
  ),
});

if (parentPort === null) throw new Error('This is a thread, and not to be started by itself');
const { callers, ...places } = dataSchema.parse(workerData);
const objects = new Map<string, object>();
const peer = new Peer(parentPort, answering(objects));
const tell = (name: string, ...args: unknown[]): void => void peer.call(name, args);
const log: Log = {
  debug: (message) => tell('log.debug', message),
  info: (message) => tell('log.info', message),
  warn: (message) => tell('log.warn', message),
  error: (message, cause) => tell('log.error', message, cause),
};
const memory = createMemory({
  ...places,
  log,
  models: {
    anthropicKey: () => peer.call('models.anthropicKey', []) as Promise<string | undefined>,
    callers: callers.map((caller): ModelCaller => ({
      ...caller,
      model: (...args) => peer.call('models.model', [caller.name, ...args]) as Promise<KnownModel>,
      call: (...args) => peer.call('models.call', [caller.name, ...args]) as Promise<ModelAnswer>,
    })),
  },
});
for (const [feature, operations] of Object.entries(memory.service)) objects.set(feature, operations);
