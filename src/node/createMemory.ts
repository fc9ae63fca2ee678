import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MemoryService } from '../core/memory';
import type { ClaudeSetup } from '../core/claude/setup/claudeSetup';
import { byteSize } from '../core/model/config';
import type { Clock, Log } from '../core/model/host';
import type { TranscriptFile } from '../core/model/host';
import { redactSecrets } from '../core/text/secrets/secrets';
import { defaultClaudeDir, DiskClaudeFolder } from './claude/claudeFolder';
import { FolderWatcher } from './claude/folderWatcher';
import type { FolderWatcherOptions } from './claude/folderWatcher';
import { FileExcerpts } from './claude/fileExcerpts';
import { InProcessScanner } from './claude/inProcessScanner';
import { ScannerPool } from './claude/scannerPool';
import { CompressionPool } from './compression/compressionPool';
import { createCompressionEngine } from './compression/createCompressionEngine';
import { FileHookStore } from './hooks/fileHookStore';
import { NodeHostProbe } from './hostProbe';
import { FileLayerStore } from './layers/fileLayerStore';
import { DiskProjectProbe } from './notebook/diskProjectProbe';
import { FileSaidCache } from './search/fileSaidCache';
import { createClaudeSetup } from './setup/createClaudeSetup';
import { FileLedger } from './store/fileLedger';
import { FileMemoryStore } from './store/fileMemoryStore';
import { FileSummaryCache } from './store/fileSummaryCache';
import { defaultMemoryDir } from './store/storeLayout';
import { createModelSummarizers, type ModelAccess } from './summarizers/createModelSummarizers';
import { NodeTokenCounters } from './tokens/nodeTokenCounters';

export interface MemoryOptions {
  log: Log;
  /** Default: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  claudeDir?: string | undefined;
  /** Default: `CLAUDE_MEMORY_DIR`, else `~/.claude-memory`. */
  memoryDir?: string | undefined;
  /** Where the other products of the build lie. Default: beside the running bundle. */
  distDir?: string;
  clock?: Clock;
  watcher?: FolderWatcherOptions;
  /** Keys, and ways to ask a model that only this host has. */
  models?: ModelAccess;
}

/** A memory on this machine's disks. Its owner disposes of it. */
export interface Memory {
  readonly service: MemoryService;
  /** Sets Claude Code up for Keepit, and takes that back. */
  readonly setup: ClaudeSetup;
  readonly claudeDir: string;
  readonly memoryDir: string;
  /** Calls back with the ids of projects whose folders have changed, from the first call on. */
  watch(onChanged: (projectIds: readonly string[]) => void): { dispose(): void };
  /** Follows one transcript while it is open; told is its new size, or undefined when it is gone. */
  follow(file: string, onChanged: (file: TranscriptFile | undefined) => void): { dispose(): void };
  dispose(): Promise<void>;
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
  const claude = new DiskClaudeFolder(options.claudeDir ?? defaultClaudeDir());
  const store = new FileMemoryStore({ dir: options.memoryDir ?? defaultMemoryDir(), clock, log });
  const ranksFile = path.join(distDir, 'o200k_base.bin');
  const tokens = new NodeTokenCounters(ranksFile);
  const scanner = new ScannerPool({
    workerFile: path.join(distDir, 'scannerWorker.js'),
    ranksFile,
    inProcess: new InProcessScanner(claude, tokens),
    log,
  });
  const ledger = new FileLedger(store.dir, log);
  const host = { pause: () => pause(), clock, log };
  const settings = async () => (await store.readConfig()).models;
  const models = { storeDir: store.dir, settings, access: options.models };
  const { summarizers, askers } = createModelSummarizers({ ...models, ...host, ledger });
  const engine = { claude, tokens, summarizers, pause: () => pause() };
  const compression = new CompressionPool({
    ...engine,
    workerFile: path.join(distDir, 'compressionWorker.js'),
    claudeDir: claude.dir,
    inProcess: createCompressionEngine(engine),
    ranksFile,
    log,
  });
  const maxCacheBytes = async () => byteSize((await store.readConfig()).storage.maxCacheSize);
  const setup = createClaudeSetup({ claudeDir: claude.dir, memoryDir: store.dir, distDir, clock, log });
  const service = new MemoryService({
    claude,
    scanner,
    store,
    tokens,
    clock,
    log,
    pause: () => pause(),
    cache: new FileSummaryCache(store.dir, maxCacheBytes, log),
    host: new NodeHostProbe(),
    compression,
    askers,
    ledger,
    layerStore: new FileLayerStore({ memoryDir: store.dir, clock }),
    hookStore: new FileHookStore(store.dir),
    saidCache: new FileSaidCache(store.dir, log),
    projectProbe: new DiskProjectProbe(log),
    openExcerpts: (file) => new FileExcerpts(file),
    setup,
  });
  const places = { claudeDir: claude.dir, memoryDir: store.dir };
  const watching = watchOver(new FolderWatcher(claude, log, options.watcher), [scanner, compression]);
  return { service, setup, ...places, ...watching };
}

/** The part of a memory that lives on after each call, and its end. */
function watchOver(
  watcher: FolderWatcher,
  pools: readonly { dispose(): Promise<void> }[],
): Pick<Memory, 'watch' | 'follow' | 'dispose'> {
  return {
    watch: (onChanged) => watcher.onDidChange(onChanged),
    follow: (file, onChanged) => watcher.follow(file, onChanged),
    dispose: async () => {
      watcher.dispose();
      await Promise.all(pools.map((pool) => pool.dispose()));
    },
  };
}
