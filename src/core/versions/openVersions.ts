import type { Clock, MemoryStore } from '../model/host';
import type { OpenExcerpts } from '../material/toolDetails';
import { MaterialReader } from '../sessions/sessionMaterial';
import type { SessionIndex } from '../sessions/sessionIndex';
import type { SessionUpdater } from '../sessions/sessionUpdater';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { Aging, type AgingParts } from './aging';
import { CompressionEngine } from './compressionEngine';
import { CompressionService } from './compressionService';
import { LocalSummarizer } from './local/localSummarizer';
import type { Summarizer } from './types';
import { VersionService } from './versionService';

interface VersionPorts {
  readonly store: MemoryStore;
  readonly claude: ClaudeFolder;
  readonly clock: Clock;
  readonly tokens: TokenCounters;
  /** What can summarize besides the built-in compressor. */
  readonly summarizers: readonly Summarizer[];
  readonly openExcerpts: OpenExcerpts;
  readonly sources: SessionIndex;
  readonly updater: SessionUpdater;
  readonly hookStore: AgingParts['hookStore'];
}

/** Wires what makes, lists and compares versions. */
export function openVersions(ports: VersionPorts) {
  const { store, claude, clock, tokens, sources, updater, openExcerpts, hookStore } = ports;
  const material = new MaterialReader({ claude, openExcerpts });
  const summarizers = [new LocalSummarizer(), ...ports.summarizers];
  const compression = new CompressionEngine({ material, tokens, summarizers });
  const compressions = new CompressionService({ store, claude, clock, sources, updater, work: compression });
  const versions = new VersionService({ store, sources, clock, work: compression });
  const aging = new Aging({ store, clock, compressions, versions, hookStore });
  return { compression, compressions, versions, aging };
}
