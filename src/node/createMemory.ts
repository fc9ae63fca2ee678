import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openMemory, type MemoryService } from '../core/memory';
import type { Clock, Log } from '../core/model/host';
import { redactSecrets } from '../core/text/secrets/secrets';
import { DiskClaudeFolder } from './claude/claudeFolder';
import { defaultClaudeDir } from './claude/claudePlace';
import { NodeHostProbe } from './hostProbe';
import { DiskProjectProbe } from './notebook/diskProjectProbe';
import { defaultMemoryDir } from './store/storeLayout';
import type { ModelAccess } from './summarizers/createModelSummarizers';
import { NodeTokenCounters } from './tokens/nodeTokenCounters';
import { watching, type WatchedPlaces } from './watching';
import { openStores } from './store/openStores';
import { Worktrees } from './claude/worktrees';

interface MemoryOptions {
  log: Log;
  /** Default: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  claudeDir?: string | undefined;
  /** Default: `CLAUDE_MEMORY_DIR`, else `~/.claude-memory`. */
  memoryDir?: string | undefined;
  /** Where the other products of the build lie. Default: beside the running bundle. */
  distDir?: string;
  clock?: Clock;
  watcher?: Parameters<typeof watching>[0]['watcher'];
  /** Keys, and ways to ask a model that only this host has. */
  models?: ModelAccess;
}

/** A memory on this machine's disks. Its owner disposes of it. */
export interface Memory extends WatchedPlaces {
  readonly service: MemoryService;
}

/** Messages of errors quote what they are about: files, answers, commands. */
function cleanLog(log: Log): Log {
  const clean = (message: string): string => redactSecrets(message).text;
  return {
    debug: (message) => log.debug(clean(message)),
    info: (message) => log.info(clean(message)),
    warn: (message) => log.warn(clean(message)),
    error: (message, error) => log.error(clean(message), error),
  };
}

/** Wires the facade to this machine. Opens no file and starts no thread yet. */
export function createMemory(options: MemoryOptions): Memory {
  const { clock = { now: () => new Date() } } = options;
  const log = cleanLog(options.log);
  const distDir = options.distDir ?? path.dirname(fileURLToPath(import.meta.url));
  const dir = options.memoryDir ?? defaultMemoryDir();
  const claudeDir = path.resolve(options.claudeDir ?? defaultClaudeDir());
  const meaningFile = path.join(distDir, 'meaning.bin');
  const stores = openStores({ dir, claudeDir, meaningFile, clock, log });
  const { store, layerStore, ledger } = stores;
  const { forgotten } = store;
  const areTogether = async () => (await store.readConfig().catch(() => undefined))?.storage.worktrees !== 'apart';
  const claude = new DiskClaudeFolder(claudeDir, forgotten, new Worktrees(store.dir, areTogether));
  const ranksFile = path.join(distDir, 'o200k_base.bin');
  const tokens = new NodeTokenCounters(ranksFile);
  const settings = async () => (await store.readConfig()).models;
  const models = { storeDir: store.dir, settings, access: options.models, clock, log, ledger };
  const setup = { claudeDir: claude.dir, memoryDir: store.dir, distDir, env: process.env, log };
  const forgetting = async () => {
    const { StoreEraser } = await import('./forgetting/storeEraser');
    return new StoreEraser({ store, claude, forgotten });
  };
  const projects = async () => (await service.sessions.discover()).projects;
  const transfer = async () => {
    const { FileTransfer } = await import('./transfer/fileTransfer');
    return new FileTransfer({ store, layerStore, clock, projects, forgetting: await forgetting() });
  };
  const service: MemoryService = openMemory({
    ...stores,
    claude,
    tokens,
    clock,
    log,
    host: new NodeHostProbe(),
    models: async () => (await import('./summarizers/createModelSummarizers')).createModelSummarizers(models),
    otherTools: async () => {
      const { DiskOtherTools } = await import('./transfer/otherTools');
      return new DiskOtherTools(forgotten);
    },
    transfer,
    projectProbe: new DiskProjectProbe(log),
    openExcerpts: (file) => claude.openExcerpts(file),
    forgetting,
    setup: async () => {
      const { DiskSetupMachine } = await import('./setup/diskSetupMachine');
      const { ClaudeSetup } = await import('../core/claude/setup/claudeSetup');
      return new ClaudeSetup(new DiskSetupMachine(setup), clock);
    },
    tools: {
      run: async (call, signal) => {
        const { runTool } = await import('../core/agentTools/memoryTools'); // nobody else has a use for them
        return runTool(service, call, clock.now(), signal);
      },
    },
  });
  const places = { claudeDir: claude.dir, memoryDir: store.dir, watcher: options.watcher, log };
  return { service, ...watching(places, async () => undefined) };
}
