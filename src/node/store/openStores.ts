import type { Clock, Log } from '../../core/model/host';
import { FileHookStore } from '../hooks/fileHookStore';
import { FileLayerStore } from '../layers/fileLayerStore';
import { DiskSearchFiles, meaningIn } from '../search/diskSearchFiles';
import { FileLedger } from './fileLedger';
import { FileMemoryStore } from './fileMemoryStore';
import { FileStatsCache } from './fileStatsCache';

interface StorePlace {
  readonly dir: string;
  readonly claudeDir: string;
  /** Of what the words of searches mean. */
  readonly meaningFile: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** All that is kept in the store's folder, and what is looked up for it. Opens no file yet. */
export function openStores({ dir, claudeDir, meaningFile, clock, log }: StorePlace) {
  const store = new FileMemoryStore({ dir, clock, log });
  return {
    store,
    meaning: meaningIn(meaningFile, log),
    layerStore: new FileLayerStore({ memoryDir: store.dir, clock }),
    ledger: new FileLedger(store.dir, log),
    cache: new FileStatsCache(store, log),
    hookStore: new FileHookStore(store.dir, claudeDir),
    searchFiles: new DiskSearchFiles(store, log),
  };
}
