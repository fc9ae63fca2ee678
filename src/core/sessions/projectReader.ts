import { TranscriptUnreadableError } from '../transcript/unreadableError';
import type { ClaudeFolder, ProjectFolder } from '../transcript/claudeFolder';
import type { TranscriptFile } from '../model/host';
import type { Scan, TranscriptScanner } from './transcriptScanner';
import type { SummaryCache } from './summaryCache';
import { hasRecord, type RecordIds } from '../transcript/recordIds';
import { agentsBySession, findAgentParents } from './agentFiles';
import { mapLimited } from '../text/mapLimited';
import { mergeTranscript, type CachedTranscript, type ProjectCache } from './projectCache';
import type { TranscriptDigest } from './transcriptDigest';
import { ownValue, setOwnValue } from '../text/ownValue';

/** A transcript with its digest, or with the reason why there is none. */
export interface ReadTranscript {
  file: TranscriptFile;
  digest?: TranscriptDigest;
  problem?: string;
}

/** What a look at one project found. */
export interface ReadProject {
  projectId: string;
  /** By session id. A file that vanished while it was looked at is left out. */
  transcripts: Map<string, ReadTranscript>;
  /** Files of sub-agents, wherever they lie, by the session that they worked for. */
  agents: Map<string, TranscriptFile[]>;
  /** Titles that other files have for a session, by its id. */
  foreignTitles: Map<string, string>;
  cost: { filesRead: number; bytesRead: number };
  problem?: string;
}

/** A look at a project that has been prepared: what changed since the last one is known, nothing was opened yet. */
export interface ProjectPlan {
  folder: ProjectFolder;
  /** Transcripts by session id: those of the folder, and those that the caller added. */
  files: Map<string, TranscriptFile>;
  cache: ProjectCache;
  changed: Set<string>;
  changedBytes: number;
}

export interface ProjectReaderPorts {
  claude: ClaudeFolder;
  scanner: TranscriptScanner;
  cache: SummaryCache;
}

/** How many transcripts are handed to the scanner at once: it decides which of them it reads at the same time. */
const PARALLEL_SCANS = 32;

/**
 * Reads the transcripts of one project, opening only those whose size or date has changed since the last time.
 */
export class ProjectReader {
  constructor(private readonly ports: ProjectReaderPorts) {}

  /** Finds out what has changed. `extra` are transcripts outside of the folder: kept originals of sessions that are gone. */
  async prepare(folder: ProjectFolder, extra: ReadonlyMap<string, TranscriptFile> = new Map()): Promise<ProjectPlan> {
    const cache = await this.ports.cache.load(folder.projectId);
    const files = new Map<string, TranscriptFile>(extra);
    for (const session of folder.sessions) files.set(session.sessionId, session);
    const changed = new Set<string>();
    let changedBytes = 0;
    for (const [sessionId, file] of files) {
      const known = ownValue(cache.transcripts, file.path);
      if (known?.bytes === file.bytes && known.mtimeMs === file.mtimeMs) continue;
      changed.add(sessionId);
      changedBytes += file.bytes;
    }
    return { folder, files, cache, changed, changedBytes };
  }

  /** Reads what has changed. What was read stays known even when the signal ends the work half-way. */
  async read(plan: ProjectPlan, onBytes: (bytes: number) => void, signal?: AbortSignal): Promise<ReadProject> {
    const work = new ProjectWork(this.ports, plan, signal);
    try {
      await work.scanChanged(onBytes);
      await work.findAgentParents();
      await work.findTitleOwners();
    } finally {
      await work.saveCache();
    }
    return work.result();
  }
}

/** One look at one project. */
class ProjectWork {
  private readonly problems = new Map<string, string>();
  private readonly vanished = new Set<string>();
  /** By the path of a file that was read: the ids of its records. */
  private readonly ids = new Map<string, RecordIds>();
  private readonly cost = { filesRead: 0, bytesRead: 0 };
  private readonly changedPaths = new Set<string>();
  private isChanged = false;

  constructor(
    private readonly ports: ProjectReaderPorts,
    private readonly plan: ProjectPlan,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async scanChanged(onBytes: (bytes: number) => void): Promise<void> {
    await mapLimited([...this.plan.changed], PARALLEL_SCANS, async (sessionId) => {
      this.signal?.throwIfAborted();
      const file = this.plan.files.get(sessionId);
      if (file === undefined) return;
      await this.unlessUnreadable(sessionId, async () => {
        const { digest, ids } = await this.scan(file);
        this.learn(file.path, { bytes: file.bytes, mtimeMs: file.mtimeMs, digest, leaves: {} });
        this.ids.set(file.path, ids);
      });
      onBytes(file.bytes);
    });
  }

  async findAgentParents(): Promise<void> {
    const { folder, cache } = this.plan;
    const opened = await findAgentParents(this.ports.claude, folder, cache, this.signal);
    this.isChanged ||= opened.length > 0;
    this.cost.filesRead += opened.length;
  }

  /** Finds the sessions whose titles stand in other files: the owner of a title is who has the line that it names. */
  async findTitleOwners(): Promise<void> {
    const wanted = this.foreignTitles().map(({ leafUuid }) => leafUuid);
    if (wanted.length === 0) return;
    for (const file of this.plan.files.values()) {
      const known = this.known(file);
      const unknown = wanted.filter((leaf) => ownValue(known?.leaves, leaf) === undefined);
      if (known === undefined || unknown.length === 0) continue;
      await this.unlessUnreadable(file.path, async () => {
        const ids = this.ids.get(file.path) ?? (await this.scan(file)).ids;
        const leaves = { ...known.leaves };
        for (const leaf of unknown) setOwnValue(leaves, leaf, hasRecord(ids, leaf));
        this.learn(file.path, { ...known, leaves });
      });
    }
  }

  /** Saves what was found out, beside what others have found out meanwhile; forgets files that are gone. */
  async saveCache(): Promise<void> {
    if (!this.isChanged) return;
    const { cache, folder, files } = this.plan;
    const paths = new Set([...files.values(), ...folder.strayAgents].map(({ path }) => path));
    const own = <T>(record: Record<string, T>) =>
      Object.fromEntries(Object.entries(record).filter(([path]) => paths.has(path)));
    await this.ports.cache.update(folder.projectId, (current) => {
      const transcripts = own(current.transcripts);
      for (const path of this.changedPaths) {
        const read = ownValue(cache.transcripts, path);
        if (read !== undefined) setOwnValue(transcripts, path, mergeTranscript(ownValue(transcripts, path), read));
      }
      return { transcripts, agentParents: own({ ...current.agentParents, ...cache.agentParents }) };
    });
  }

  result(): ReadProject {
    const { folder, files } = this.plan;
    const transcripts = new Map<string, ReadTranscript>();
    for (const [sessionId, file] of files) {
      const problem = this.problems.get(sessionId);
      const digest = this.known(file)?.digest;
      if (problem !== undefined) transcripts.set(sessionId, { file, problem });
      else if (digest !== undefined && !this.vanished.has(sessionId)) transcripts.set(sessionId, { file, digest });
    }
    return {
      projectId: folder.projectId,
      transcripts,
      agents: agentsBySession(folder, this.plan.cache),
      foreignTitles: this.titlesByOwner(),
      cost: this.cost,
      ...(folder.problem !== undefined && { problem: folder.problem }),
    };
  }

  private learn(path: string, transcript: CachedTranscript): void {
    setOwnValue(this.plan.cache.transcripts, path, transcript);
    this.changedPaths.add(path);
    this.isChanged = true;
  }

  private known({ path }: Pick<TranscriptFile, 'path'>): CachedTranscript | undefined {
    return ownValue(this.plan.cache.transcripts, path);
  }

  private async scan({ path, bytes }: TranscriptFile): Promise<Scan> {
    const scan = await this.ports.scanner.scan(path, { counting: 'estimate', bytes }, this.signal);
    this.cost.filesRead++;
    this.cost.bytesRead += scan.bytesRead;
    return scan;
  }

  /** A file that cannot be read is a problem of its own; the others go on. */
  private async unlessUnreadable(key: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TranscriptUnreadableError)) throw error;
      if (error.reason === 'vanished') this.vanished.add(key);
      else this.problems.set(key, error.message);
    }
  }

  private foreignTitles(): { leafUuid: string; title: string }[] {
    return [...this.plan.files.values()].flatMap((file) => this.known(file)?.digest.foreignTitles ?? []);
  }

  private titlesByOwner(): Map<string, string> {
    const titles = new Map<string, string>();
    const foreign = this.foreignTitles();
    for (const [sessionId, file] of this.plan.files) {
      const leaves = this.known(file)?.leaves ?? {};
      const own = foreign.findLast(({ leafUuid }) => ownValue(leaves, leafUuid) === true);
      if (own !== undefined) titles.set(sessionId, own.title);
    }
    return titles;
  }
}
