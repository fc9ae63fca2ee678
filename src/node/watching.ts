import path from 'node:path';
import type { Log, TranscriptFile } from '../core/model/host';
import { DiskClaudeFolder } from './claude/claudeFolder';
import { defaultClaudeDir } from './claude/claudePlace';
import { FolderWatcher, type FolderWatcherOptions } from './claude/folderWatcher';
import { defaultMemoryDir } from './store/storeLayout';

/** Where a memory is, and what tells of changes there. Its owner disposes of it. */
export interface WatchedPlaces {
  readonly claudeDir: string;
  readonly memoryDir: string;
  /** Calls back with the ids of projects whose folders have changed, from the first call on. */
  watch(onChanged: (projectIds: readonly string[]) => void): { dispose(): void };
  /** Follows one transcript while it is open; told is its new size, or undefined when it is gone. */
  follow(file: string, onChanged: (file: TranscriptFile | undefined) => void): { dispose(): void };
  dispose(): Promise<void>;
}

/** Watches nothing yet. `end` is called when the places are disposed of. */
export function watching(
  options: {
    readonly log: Log;
    readonly claudeDir?: string | undefined;
    readonly memoryDir?: string | undefined;
    readonly watcher?: FolderWatcherOptions | undefined;
  },
  end: () => Promise<void>,
): WatchedPlaces {
  const claude = new DiskClaudeFolder(options.claudeDir ?? defaultClaudeDir());
  const watcher = new FolderWatcher(claude, options.log, options.watcher);
  return {
    claudeDir: claude.dir,
    memoryDir: path.resolve(options.memoryDir ?? defaultMemoryDir()),
    watch: (onChanged) => watcher.onDidChange(onChanged),
    follow: (file, onChanged) => watcher.follow(file, onChanged),
    dispose: async () => {
      watcher.dispose();
      await end();
    },
  };
}
