import type { Clock, Pause } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import type { ExcerptReader } from '../material/toolDetails';
import type { ConversationLoader } from '../sessions/conversationLoader';
import type { DigestReader } from '../sessions/digestReader';
import { MaterialReader } from '../sessions/sessionMaterial';
import type { SessionSources } from '../sessions/sessionSources';
import type { SessionUpdater } from '../sessions/sessionUpdater';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import type { ClaudeFolder } from '../transcript/claudeFolder';
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
  readonly openExcerpts: (path: string) => ExcerptReader & { close(): Promise<void> };
  readonly pause: Pause;
  readonly sources: SessionSources;
  readonly updater: SessionUpdater;
  readonly digests: DigestReader;
  readonly loader: ConversationLoader;
}

/** Wires what makes, lists and compares versions. */
export function openVersions(ports: VersionPorts) {
  const { store, claude, clock, tokens, pause, sources, updater, digests, loader, openExcerpts } = ports;
  const material = new MaterialReader({ loader, openExcerpts, pause });
  const summarizers = [new LocalSummarizer(), ...ports.summarizers];
  const compression = new CompressionEngine({ material, tokens, summarizers });
  const compressions = new CompressionService({ store, claude, clock, sources, updater, work: compression });
  const versions = new VersionService({ store, sources, digests, loader, clock, pause, work: compression });
  return { compression, compressions, versions };
}
