import type { SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { ClaudeFolder, ProjectFolder } from '../transcript/claudeFolder';
import type { TranscriptFile } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import { SessionLookupError } from './sessionLookupError';
import type { LookupService } from './lookup';
import type { SummaryCache } from './summaryCache';
import { agentsBySession, findAgentParents } from './agentFiles';
import type { SessionRef } from './results';
import type { SessionFiles } from './sessionFiles';

/** A session with the files that it is to be read from. */
export interface SessionSource {
  ref: SessionRef;
  file: TranscriptFile;
  /** Claude Code's own file is gone: this is the kept original. */
  isKept: boolean;
  /** The file lies in the project's folder, where Claude Code's clean-up reaches it. */
  isInFolder: boolean;
  agents: TranscriptFile[];
  /** Present for a registered session. */
  entry?: SessionManifestEntry;
}

/** Finds the files of sessions that are known by reference. */
export class SessionSources {
  constructor(
    private readonly ports: { claude: ClaudeFolder; store: MemoryStore; cache: SummaryCache },
    private readonly files: SessionFiles,
    private readonly lookup: LookupService,
  ) {}

  /** Throws `SessionLookupError` when there is no such session. */
  async locate(ref: SessionRef, signal?: AbortSignal): Promise<SessionSource> {
    const [source] = await this.locateAll([ref], signal);
    if (source === undefined) throw new SessionLookupError('not-found', ref.sessionId);
    return source;
  }

  /** In the order of `refs`; undefined for what is not there. Each project is listed once. */
  async locateAll(refs: readonly SessionRef[], signal?: AbortSignal): Promise<(SessionSource | undefined)[]> {
    const projects = new Map<string, ProjectSources>();
    const sources: (SessionSource | undefined)[] = [];
    for (const ref of refs) {
      signal?.throwIfAborted();
      let project = projects.get(ref.projectId);
      if (project === undefined) {
        project = await this.open(ref.projectId, signal);
        projects.set(ref.projectId, project);
      }
      sources.push(await this.find(ref, project));
    }
    return sources;
  }

  private async open(projectId: string, signal?: AbortSignal): Promise<ProjectSources> {
    const [folder = { projectId, sessions: [], strayAgents: [] }] = await this.ports.claude.list([projectId], signal);
    const cache = await this.ports.cache.load(projectId);
    const opened = await findAgentParents(this.ports.claude, folder, cache, signal);
    if (opened.length > 0) {
      const { agentParents } = cache;
      await this.ports.cache.update(projectId, (current) => ({
        ...current,
        agentParents: { ...current.agentParents, ...agentParents },
      }));
    }
    const manifest = await this.ports.store.readManifest(projectId);
    return { folder, agents: agentsBySession(folder, cache), entries: manifest?.sessions ?? {} };
  }

  private async find(ref: SessionRef, project: ProjectSources): Promise<SessionSource | undefined> {
    const { projectId, sessionId } = ref;
    const entry = ownValue(project.entries, sessionId);
    const listed = project.folder.sessions.find((session) => session.sessionId === sessionId);
    const agents = project.agents.get(sessionId) ?? [];
    const registered = entry === undefined ? {} : { entry };
    if (listed !== undefined) {
      const { path, bytes, mtimeMs } = listed;
      return { ref, file: { path, bytes, mtimeMs }, isKept: false, isInFolder: true, agents, ...registered };
    }
    if (entry !== undefined) {
      const located = await this.files.locate(projectId, entry);
      if (located === undefined) return undefined;
      const kept = await this.ports.store.keptSubAgents(projectId, sessionId);
      return { ref, ...located, isInFolder: false, agents: agents.length > 0 ? agents : kept, ...registered };
    }
    const foreign = this.lookup.foreignFile(ref);
    const file = foreign === undefined ? undefined : await this.ports.claude.stat(foreign);
    return file && { ref, file, isKept: false, isInFolder: false, agents };
  }
}

interface ProjectSources {
  folder: ProjectFolder;
  agents: Map<string, TranscriptFile[]>;
  entries: Record<string, SessionManifestEntry>;
}
