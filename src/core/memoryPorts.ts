import type { ForgettingStore } from './forgettingPort';
import type { TransferStore } from './transferPort';
import type { ModelAsker } from './versions/models/modelAsker';
import type { Summarizer } from './versions/types';
import type { HookStore } from './claude/hooks/hookStore';
import type { LayerStore } from './knowledge/layerStore';
import type { OtherToolReader } from './knowledge/otherTools/otherTools';
import type { ProjectProbe } from './knowledge/notes/projectProbe';
import type { ClaudeFolder } from './transcript/claudeFolder';
import type { Clock, HostProbe, Ledger, Log } from './model/host';
import type { MemoryStore } from './model/memoryStore';
import type { StatsCache } from './sessions/statsCache';
import type { TokenCounters } from './text/tokens/tokenCounter';
import type { ClaudeSetup } from './claude/setup/claudeSetup';
import type { ExcerptReader } from './material/toolDetails';
import type { SaidMessagesParts, SearchFiles } from './search/saidMessages';

/** What a model asks for. */
export interface ToolCall {
  readonly name: string;
  /** Checked by the tool. */
  readonly input: unknown;
  /** Where the host is, the likeliest first. */
  readonly folders: readonly string[];
}

/** What a model gets back. */
export interface ToolAnswer {
  readonly text: string;
  /** It was not done; the text says what to do next. */
  readonly isError: boolean;
}

/** All that the facade needs of its host. */
export interface MemoryPorts {
  claude: ClaudeFolder;
  cache: StatsCache;
  store: MemoryStore;
  tokens: TokenCounters;
  host: HostProbe;
  ledger: Ledger;
  clock: Clock;
  log: Log;
  /** What can summarize besides the built-in compressor, and ways to ask a model single questions. */
  models: () => Promise<{ readonly summarizers: readonly Summarizer[]; readonly askers: readonly ModelAsker[] }>;
  /** What was said in sessions, for those who search. */
  searchFiles: SearchFiles;
  meaning: SaidMessagesParts['meaning'];
  /** The layers of projects on disk. */
  layerStore: LayerStore;
  /** What Claude Code's hooks left behind. */
  hookStore: HookStore;
  /** What the notebook compares with what was said. */
  projectProbe: ProjectProbe;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  openExcerpts: (path: string) => ExcerptReader & { close(): Promise<void> };
  /** What is not to be remembered. */
  forgetting: () => Promise<ForgettingStore>;
  /** Reads what other tools have stored. */
  otherTools: () => Promise<OtherToolReader>;
  /** Memory to and from archives; a host that moves nothing has none. */
  transfer?: () => Promise<TransferStore>;
  /** Sets Claude Code up for Keepit; a host that sets nothing up has none. */
  setup?: () => Promise<ClaudeSetup>;
  /** Runs what models are offered; a host that offers them nothing has none. */
  tools?: { run(call: ToolCall, signal?: AbortSignal): Promise<ToolAnswer> };
}
