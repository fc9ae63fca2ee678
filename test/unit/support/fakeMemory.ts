import { PendingCosts } from '../../../src/core/versions/models/costGate';
import { ModelAsker } from '../../../src/core/versions/models/modelAsker';
import type { Meaning } from '../../../src/core/search/meaning';
import { openMemory, type MemoryService } from '../../../src/core/memory';
import type { StoredElsewhere } from '../../../src/core/knowledge/otherTools/otherTools';
import type { ProjectLook } from '../../../src/core/knowledge/layerStore';
import type { Summarizer } from '../../../src/core/versions/types';
import { LocalSummarizer } from '../../../src/core/versions/local/localSummarizer';
import type { HostProbe } from '../../../src/core/model/host';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';
import { FakeCaller } from './fakeCaller';
import { FakeClaudeFolder } from './fakeClaudeFolder';
import { FakeExcerpts } from './fakeExcerpts';
import { FakeForgetting } from './fakeForgetting';
import { FakeHookStore } from './fakeHookStore';
import { FakeLayerStore } from './fakeLayerStore';
import { FakeLedger } from './fakeLedger';
import { FakeMemoryStore } from './fakeMemoryStore';
import { FakeSearchFiles } from './fakeSearchFiles';
import { FakeStatsCache } from './fakeStatsCache';
import { ManualClock } from './manualClock';
import { RecordingLog } from './recordingLog';

/** One token per character. */
const characterCounter: TokenCounter = {
  id: 'o200k_base',
  count: (text) => text.length,
};

/** The built-in compressor by another name. */
function renamedSummarizer(): Summarizer {
  const local = new LocalSummarizer();
  return {
    name: 'claude-cli',
    estimate: (...args) => local.estimate(...args),
    summarize: (...args) => local.summarize(...args),
  };
}

/** The facade over folders, store and cache in memory. */
export class FakeMemory {
  readonly claude = new FakeClaudeFolder();
  readonly store = new FakeMemoryStore(this.claude);
  readonly cache = new FakeStatsCache();
  /** Counts exactly, unless a test has it fail. */
  exact = async (): Promise<TokenCounter> => characterCounter;
  readonly clock = new ManualClock('2026-01-20T12:00:00Z');
  readonly log = new RecordingLog();
  readonly ledger = new FakeLedger();
  /** The model behind the provider `anthropic`. */
  readonly model = new FakeCaller();
  /** The provider `claude-cli`, when compressing: as the built-in one, until a test changes that. */
  readonly summarizer = renamedSummarizer();
  readonly layerStore = new FakeLayerStore();
  readonly hookStore = new FakeHookStore();
  readonly searchFiles = new FakeSearchFiles();
  readonly forgetting = new FakeForgetting(this.claude);
  /** What another tool has stored. */
  elsewhere: StoredElsewhere = { files: new Map(), tables: new Map() };
  /** What words mean, where a test asks for it. */
  meaning: Meaning | undefined;
  /** What the notebook finds in the project. */
  look: ProjectLook = { docs: [], manifests: [], missing: [] };
  /** What is at paths of the project. */
  find: (paths: readonly string[]) => ReadonlyMap<string, string> = () => new Map();
  host: Awaited<ReturnType<HostProbe['facts']>> = {
    nodeVersion: '20.20.2',
    freeBytes: 1e10,
    claudeCommand: '/bin/claude',
  };
  private readonly asker = new ModelAsker({
    caller: this.model,
    settings: async () => (await this.store.readConfig()).models,
    ledger: this.ledger,
    pending: new PendingCosts(),
    clock: this.clock,
    log: this.log,
  });
  readonly service: MemoryService = openMemory({
    models: async () => ({ summarizers: [this.summarizer], askers: [this.asker] }),
    claude: this.claude,
    store: this.store,
    cache: this.cache,
    clock: this.clock,
    log: this.log,
    ledger: this.ledger,
    layerStore: this.layerStore,
    hookStore: this.hookStore,
    searchFiles: this.searchFiles,
    meaning: async () => this.meaning,
    forgetting: async () => this.forgetting,
    projectProbe: {
      look: async () => this.look,
      find: async (_path, paths) => ({ stamp: '', found: Object.fromEntries(this.find(paths)) }),
    },
    openExcerpts: (path) => new FakeExcerpts(this.claude, path),
    otherTools: async () => ({ read: async () => this.elsewhere }),
    tokens: { exact: async () => this.exact() },
    host: { facts: async () => this.host },
  });

  /** The only project, or the one with this id, as a discovery shows it. */
  async project(projectId?: string) {
    const { projects } = await this.service.sessions.discover(
      projectId === undefined ? {} : { projectIds: [projectId] },
    );
    return projects[0]!;
  }
}
