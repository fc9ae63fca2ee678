import type { ModelAsker } from './versions/models/modelAsker';
import type { Summarizer } from './versions/types';
import type { HookStore } from './claude/hooks/hookStore';
import type { LayerStore } from './knowledge/layerStore';
import type { ProjectProbe } from './knowledge/notes/projectProbe';
import type { ClaudeFolder } from './transcript/claudeFolder';
import type { Clock, HostProbe, Ledger, Log, Pause } from './model/host';
import type { MemoryStore } from './model/memoryStore';
import type { SummaryCache } from './sessions/summaryCache';
import type { TokenCounters } from './text/tokens/tokenCounter';
import type { TranscriptScanner } from './sessions/transcriptScanner';
import type { ClaudeSetup } from './claude/setup/claudeSetup';
import type { ExcerptReader } from './material/toolDetails';
import type { SaidCache } from './search/saidMessages';

/** All that the facade needs of its host. */
export interface MemoryPorts {
  claude: ClaudeFolder;
  scanner: TranscriptScanner;
  cache: SummaryCache;
  store: MemoryStore;
  tokens: TokenCounters;
  host: HostProbe;
  ledger: Ledger;
  clock: Clock;
  pause: Pause;
  log: Log;
  /** What can summarize besides the built-in compressor. */
  summarizers: readonly Summarizer[];
  /** Ways to ask a model single questions; a host without models has none. */
  askers?: readonly ModelAsker[];
  /** What was said in sessions, for those who search. */
  saidCache: SaidCache;
  /** The layers of projects on disk. */
  layerStore: LayerStore;
  /** What Claude Code's hooks left behind. */
  hookStore: HookStore;
  /** What the notebook compares with what was said. */
  projectProbe: ProjectProbe;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  openExcerpts: (path: string) => ExcerptReader & { close(): Promise<void> };
  /** Sets Claude Code up for Keepit; a host that sets nothing up has none. */
  setup?: ClaudeSetup;
}
