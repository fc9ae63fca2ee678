import type { Log, TranscriptFile } from '../model/host';
import { mapLimited, settled } from '../text/mapLimited';
import { ownValue, setOwnValue } from '../text/ownValue';
import { EstimatingTokenCounter } from '../text/tokens/estimatingTokenCounter';
import { TokenRanksError } from '../text/tokens/rankTable';
import { ExactEstimator, uncounted, type TokenCounters } from '../text/tokens/tokenCounter';
import { TranscriptUnreadableError, type ClaudeFolder, type ProjectFolder } from '../transcript/claudeFolder';
import type { Counting, SessionStats } from '../transcript/sessionStats';
import { agentsBySession, findAgentParents } from './agentFiles';
import type { SessionSource } from './results';
import type { CachedTranscript, ProjectCache, StatsCache } from './statsCache';

export interface StatsReaderPorts {
  claude: ClaudeFolder;
  tokens: TokenCounters;
  cache: StatsCache;
  log: Log;
}

/** The figures of a transcript, and the title that another file of the project has for its session, as far as is known. */
export interface StatsReading {
  stats: SessionStats;
  foreignTitle?: string | undefined;
}

/** A transcript with its figures, or with the reason why there are none. */
export interface ReadTranscript {
  source: SessionSource;
  stats?: SessionStats | undefined;
  foreignTitle?: string | undefined;
  /** The figures are those of its ends, if there are any. */
  isFirstLook?: boolean;
  problem?: string;
}

/** What a look at all of one project found. A file that vanished while it was looked at is left out. */
export interface ReadProject {
  transcripts: ReadTranscript[];
  cost: { filesRead: number; bytesRead: number };
}

/** A look at a project that has been prepared: what changed since the last one is known, nothing was opened yet. */
export interface ProjectPlan {
  folder: ProjectFolder;
  /** Those that are asked for. */
  sources: SessionSource[];
  /** Of all transcripts of the project. */
  paths: ReadonlySet<string>;
  cache: ProjectCache;
  changed: TranscriptFile[];
}

/** While some transcripts wait for the disk, others are read. */
const PARALLEL_READINGS = 4;

/** Reads figures of transcripts, and remembers them for the size and date that the files had: unchanged ones are not opened. */
export class StatsReader {
  constructor(private readonly ports: StatsReaderPorts) {}

  /**
   * Several files of a project, in their order: each is read or fails with `TranscriptUnreadableError` by itself. Where the data for
   * exact counts is missing, the answer is an estimate, and says so: nothing is left unkept for that.
   */
  async readAll(
    projectId: string,
    files: readonly TranscriptFile[],
    counting: Counting,
    signal?: AbortSignal,
  ): Promise<PromiseSettledResult<StatsReading>[]> {
    const look = new Look(this.ports, await this.ports.cache.load(projectId), signal);
    const readings = await mapLimited(files, PARALLEL_READINGS, (file) =>
      settled(look.at(file, counting).then(() => file)),
    );
    signal?.throwIfAborted();
    await look.save(projectId, (current) => current);
    return readings.map((reading) =>
      reading.status === 'rejected' ? reading : { status: 'fulfilled', value: look.readingOf(reading.value) },
    );
  }

  /** Finds out what has changed of sessions of a project, or of the only one that is asked for. */
  async prepare(folder: ProjectFolder, all: readonly SessionSource[], only?: string): Promise<ProjectPlan> {
    const known = await this.ports.cache.load(folder.projectId);
    const paths = new Set([...all.map(({ file }) => file), ...folder.strayAgents].map(({ path }) => path));
    const cache = { transcripts: onlyOf(paths, known.transcripts), agentParents: onlyOf(paths, known.agentParents) };
    const sources = all.filter(({ ref }) => only === undefined || ref.sessionId === only);
    const changed = sources
      .map(({ file }) => file)
      .filter((file) => !isCurrent(ownValue(cache.transcripts, file.path), file));
    return { folder, sources, paths, cache, changed };
  }

  /** As `readProject`, without the figures of transcripts that have changed; only the ends of some of them are read, and nothing is saved. */
  async firstLook(plan: ProjectPlan, opened: ReadonlySet<TranscriptFile>, signal?: AbortSignal): Promise<ReadProject> {
    const look = new Look(this.ports, plan.cache, signal);
    const isUnknown = new Set(plan.changed);
    const transcripts = await mapLimited(
      withAgents(plan),
      PARALLEL_READINGS,
      async (source): Promise<ReadTranscript> => {
        const { file } = source;
        if (!isUnknown.has(file)) return { source, ...look.readingOf(file) };
        const ends = opened.has(file) ? await settled(readEnds(this.ports.claude, file, signal)) : undefined;
        return { source, stats: ends?.status === 'fulfilled' ? ends.value : undefined, isFirstLook: true };
      },
    );
    return { transcripts, cost: look.cost };
  }

  /** Reads what has changed. What was read stays known even when the signal ends the work half-way. */
  async readProject(plan: ProjectPlan, onBytes: (bytes: number) => void, signal?: AbortSignal): Promise<ReadProject> {
    const { folder, paths, cache, changed } = plan;
    const look = new Look(this.ports, cache, signal);
    const failed = new Map<string, TranscriptUnreadableError>();
    try {
      await mapLimited(changed, PARALLEL_READINGS, async (file) => {
        await look.at(file, 'estimate').catch((error: unknown) => {
          if (!(error instanceof TranscriptUnreadableError)) throw error;
          failed.set(file.path, error);
        });
        onBytes(file.bytes);
      });
      look.cost.filesRead += (await findAgentParents(this.ports.claude, folder, cache, signal)).length;
    } finally {
      await look.save(folder.projectId, ({ transcripts, agentParents }) => ({
        transcripts: onlyOf(paths, transcripts),
        agentParents: onlyOf(paths, { ...agentParents, ...cache.agentParents }),
      }));
    }
    const transcripts = withAgents(plan).flatMap((source): ReadTranscript[] => {
      const problem = failed.get(source.file.path);
      if (problem === undefined) return [{ source, ...look.readingOf(source.file) }];
      return problem.reason === 'vanished' ? [] : [{ source, problem: problem.message }];
    });
    return { transcripts, cost: look.cost };
  }
}

/** The sessions with the files of their sub-agents, wherever those lie. */
function withAgents({ folder, sources, cache }: ProjectPlan): SessionSource[] {
  const agents = agentsBySession(folder, cache);
  return sources.map((source) => ({ ...source, agents: agents.get(source.ref.sessionId) ?? [] }));
}

/** One look at transcripts of one project. */
class Look {
  readonly cost = { filesRead: 0, bytesRead: 0 };
  private readonly learned = new Set<string>();
  private titles: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly ports: StatsReaderPorts,
    private readonly cache: ProjectCache,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** What is known of a file, which is opened if it has changed, or was not counted as is asked for. */
  async at(file: TranscriptFile, counting: Counting): Promise<void> {
    this.signal?.throwIfAborted();
    const { path, bytes, mtimeMs } = file;
    const known = ownValue(this.cache.transcripts, path);
    if (isCurrent(known, file) && (counting === 'estimate' || known.stats.counting === 'exact')) return;
    const stats = await this.read(file, counting);
    this.cost.filesRead++;
    this.cost.bytesRead += bytes;
    setOwnValue(this.cache.transcripts, path, { bytes, mtimeMs, stats });
    this.learned.add(path);
    this.titles = undefined;
  }

  /** Saves what was found out, beside what others have found out meanwhile, of which `keep` says what still holds. */
  async save(projectId: string, keep: (current: ProjectCache) => ProjectCache): Promise<void> {
    if (this.cost.filesRead === 0) return;
    await this.ports.cache.update(projectId, (current) => {
      const { transcripts, agentParents } = keep(current);
      const merged = { ...transcripts };
      for (const path of this.learned) {
        const read = ownValue(this.cache.transcripts, path);
        const other = ownValue(merged, path);
        if (read === undefined || (isCurrent(other, read) && other.stats.counting === 'exact')) continue;
        setOwnValue(merged, path, read);
      }
      return { transcripts: merged, agentParents };
    });
  }

  /** Of a file that was looked at. A title in another file is of the one that has its leaf. */
  readingOf({ path }: TranscriptFile): StatsReading {
    const known = ownValue(this.cache.transcripts, path);
    if (known === undefined) throw new TypeError(`${path} was not looked at`);
    const titles = (this.titles ??= foreignTitles(this.cache));
    const named = known.stats.leaves.findLast((leaf) => titles.has(leaf));
    return { stats: known.stats, foreignTitle: titles.get(named ?? '') };
  }

  /** Reads the file as far as it went when the caller saw its size. A last line that is not whole yet is left out. */
  private async read({ path, bytes }: TranscriptFile, asked: Counting): Promise<SessionStats> {
    const { readTranscript } = await import('../transcript/transcriptReader'); // loaded with the first transcript
    const exact = asked === 'exact' ? await this.exact(path) : undefined;
    const how = { estimator: exact ?? estimating, counting: exact ? asked : 'estimate', detail: 'counts' } as const;
    const reader = await readTranscript(this.ports.claude.read(path, { end: bytes }, this.signal), how, this.signal);
    return reader.stats();
  }

  private async exact(path: string): Promise<ExactEstimator | undefined> {
    try {
      return new ExactEstimator(await this.ports.tokens.exact());
    } catch (error) {
      if (!(error instanceof TokenRanksError)) throw error;
      this.ports.log.warn(`${path} is counted by estimate: ${error.message}`);
      return undefined;
    }
  }
}

const estimating = new EstimatingTokenCounter();

function foreignTitles({ transcripts }: ProjectCache): Map<string, string> {
  const titles = Object.values(transcripts).flatMap(({ stats }) => stats.titles.foreign);
  return new Map(titles.map(({ leafUuid, title }) => [leafUuid, title]));
}

/** How much of a transcript a first look reads, at its beginning and at its end. */
const END_BYTES = 16 * 1024;
const NEWLINE = new Uint8Array([0x0a]);

/** The figures in the first and the last bytes of a transcript: its names and dates are those of the whole, its counts are not. */
async function readEnds(
  claude: ClaudeFolder,
  { path, bytes }: TranscriptFile,
  signal?: AbortSignal,
): Promise<SessionStats> {
  const { TranscriptReader } = await import('../transcript/transcriptReader');
  const reader = new TranscriptReader({ estimator: uncounted, detail: 'counts' });
  const tail = Math.max(bytes - END_BYTES, END_BYTES);
  for await (const chunk of claude.read(path, { end: END_BYTES }, signal)) reader.feed(chunk);
  reader.feed(NEWLINE); // the last line of the beginning is cut off, and so is the first one of the end
  if (tail < bytes) for await (const chunk of claude.read(path, { start: tail }, signal)) reader.feed(chunk);
  return reader.stats();
}

function isCurrent(
  known: CachedTranscript | undefined,
  file: Pick<TranscriptFile, 'bytes' | 'mtimeMs'>,
): known is CachedTranscript {
  return known?.bytes === file.bytes && known.mtimeMs === file.mtimeMs;
}

function onlyOf<T>(paths: ReadonlySet<string>, record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([path]) => paths.has(path)));
}
