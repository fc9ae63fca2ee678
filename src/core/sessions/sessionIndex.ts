import type { TranscriptFile, MemoryStore } from '../model/host';
import { isSafeSegment, sessionKey } from '../model/fields';
import type { SessionManifestEntry } from '../model/manifest';
import { settled } from '../text/mapLimited';
import { ownValue } from '../text/ownValue';
import { TranscriptUnreadableError, type ProjectFolder, type SessionFile } from '../transcript/claudeFolder';
import type { Counting } from '../transcript/sessionStats';
import type { Conversation } from '../transcript/types';
import { agentsBySession, findAgentParents, readBeginning } from './agentFiles';
import { projectFolderName } from './projectNames';
import { readConversation, type ConversationRequest } from './readConversation';
import type { ResumableSession, SessionRef, SessionSource } from './results';
import { onlySession, SessionLookupError, type KnownSession } from './sessionLookupError';
import { emptyProjectCache } from './statsCache';
import { StatsReader, type StatsReaderPorts, type StatsReading } from './statsReader';

interface SessionIndexPorts extends StatsReaderPorts {
  store: MemoryStore;
}

interface ProjectSources {
  folder: ProjectFolder;
  agents: Map<string, TranscriptFile[]>;
  entries: Record<string, SessionManifestEntry>;
}

const TRANSCRIPT = /\.jsonl$/i;

/** Where each session is, what it is called, how big it is, and what was said in it. */
export class SessionIndex {
  /** Figures of whole projects. */
  readonly reader: StatsReader;
  /** Transcripts outside of Claude Code's folder that were named by path, by `projectId/sessionId`. */
  private readonly adopted = new Map<string, string>();

  constructor(private readonly ports: SessionIndexPorts) {
    this.reader = new StatsReader(ports);
  }

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
        project = await this.openProject(ref.projectId, signal);
        projects.set(ref.projectId, project);
      }
      sources.push(await this.find(ref, project));
    }
    return sources;
  }

  /** The sessions of a project that can be read: those that its folder lists, and registered ones whose files are elsewhere. */
  async sourcesOf(folder: ProjectFolder, entries: Record<string, SessionManifestEntry>): Promise<SessionSource[]> {
    const { projectId } = folder;
    const sources = new Map<string, SessionSource>();
    for (const session of folder.sessions) sources.set(session.sessionId, listedSource(projectId, session, entries));
    for (const entry of Object.values(entries)) {
      const ref = { projectId, sessionId: entry.sessionId };
      if (sources.has(ref.sessionId)) continue;
      const located = await settled(this.locateElsewhere(projectId, entry));
      if (located.status === 'rejected') {
        if (!(located.reason instanceof TranscriptUnreadableError)) throw located.reason;
      } else if (located.value !== undefined) {
        sources.set(ref.sessionId, { ref, ...located.value, isInFolder: false, agents: [], entry });
      }
    }
    return [...sources.values()];
  }

  /** Opens the file only when it has changed, or was not counted exactly yet. Throws `TranscriptUnreadableError`. */
  async stats(
    { ref, file }: Pick<SessionSource, 'ref' | 'file'>,
    counting: Counting,
    signal?: AbortSignal,
  ): Promise<StatsReading> {
    const [outcome] = await this.reader.readAll(ref.projectId, [file], counting, signal);
    if (outcome?.status !== 'fulfilled') throw outcome?.reason;
    return outcome.value;
  }

  /** What was said, from Claude Code's file, else from the kept original. Throws `TranscriptUnreadableError`. */
  async open(
    session: SessionRef | SessionSource,
    request?: ConversationRequest,
    signal?: AbortSignal,
  ): Promise<Conversation> {
    const { file } = 'ref' in session ? session : await this.locate(session, signal);
    return readConversation(this.ports.claude, file.path, request, signal);
  }

  /** What Claude Code needs to go on with a session. Throws `SessionLookupError` when there is no such session. */
  async resumable(ref: SessionRef, signal?: AbortSignal): Promise<ResumableSession> {
    const { file, isKept, isInFolder } = await this.locate(ref, signal);
    const folder = (await readBeginning(this.ports.claude, file.path, signal))?.firstCwd ?? '';
    return { ...ref, file: file.path, isCopy: isKept || !isInFolder, folder };
  }

  /** A session id, a unique prefix of one, or the path of a transcript. Throws `SessionLookupError`. */
  async resolve(ref: string, request: { projectId?: string } = {}, signal?: AbortSignal): Promise<SessionRef> {
    if (TRANSCRIPT.test(ref)) return this.resolvePath(ref, signal);
    const known = await this.knownSessions(request.projectId, signal);
    return onlySession(ref, known, this.ports.cache);
  }

  /** The project of a working directory, or the one with that very id; undefined when there is no such project. */
  async resolveProject(pathOrId: string): Promise<string | undefined> {
    const { claude, store, cache } = this.ports;
    const path = await claude.realPath(pathOrId);
    const own = projectFolderName(await claude.mainFolder(path));
    const ids = [...new Set([...(await claude.projectIds()), ...(await store.listProjects())])];
    if (ids.includes(pathOrId)) return pathOrId;
    if (ids.includes(own)) return own;
    for (const projectId of ids) {
      const { transcripts } = await cache.load(projectId, path);
      if (Object.values(transcripts).some(({ stats }) => ownValue(stats.meta.cwds, path) !== undefined))
        return projectId;
    }
    return undefined;
  }

  private async openProject(projectId: string, signal?: AbortSignal): Promise<ProjectSources> {
    const { claude, cache, store } = this.ports;
    const [folder = { projectId, sessions: [], strayAgents: [] }] = await claude.list([projectId], signal);
    const known = folder.strayAgents.length === 0 ? emptyProjectCache() : await cache.load(projectId);
    const opened = await findAgentParents(claude, folder, known, signal);
    if (opened.length > 0) {
      await cache.update(projectId, (current) => ({
        ...current,
        agentParents: { ...current.agentParents, ...known.agentParents },
      }));
    }
    const manifest = await store.readManifest(projectId);
    return { folder, agents: agentsBySession(folder, known), entries: manifest?.sessions ?? {} };
  }

  private async find(ref: SessionRef, project: ProjectSources): Promise<SessionSource | undefined> {
    const { projectId, sessionId } = ref;
    const { claude, store } = this.ports;
    const entry = ownValue(project.entries, sessionId);
    const listed = project.folder.sessions.find((session) => session.sessionId === sessionId);
    const agents = project.agents.get(sessionId) ?? [];
    if (listed !== undefined) return { ...listedSource(projectId, listed, project.entries), agents };
    if (entry !== undefined) {
      const located = await this.locateElsewhere(projectId, entry);
      if (located === undefined) return undefined;
      const kept = await store.sessions.subAgents(projectId, sessionId);
      return { ref, ...located, isInFolder: false, agents: agents.length > 0 ? agents : kept, entry };
    }
    const adopted = this.adopted.get(sessionKey(ref));
    const file = adopted === undefined ? undefined : await claude.stat(adopted);
    return file && { ref, file, isKept: false, isInFolder: false, agents };
  }

  /** A registered session's file where its project's folder does not list it: undefined when the kept original is gone as well. */
  private async locateElsewhere(
    projectId: string,
    entry: SessionManifestEntry,
  ): Promise<Pick<SessionSource, 'file' | 'isKept'> | undefined> {
    const { claude, store } = this.ports;
    const original = await settled(
      entry.originalFile === '' ? Promise.resolve(undefined) : claude.stat(entry.originalFile),
    );
    if (original.status === 'fulfilled' && original.value !== undefined) return { file: original.value, isKept: false };
    if (original.status === 'rejected' && !(original.reason instanceof TranscriptUnreadableError))
      throw original.reason;
    const path = await store.sessions.path(projectId, entry.sessionId);
    const file = path === undefined ? undefined : await claude.stat(path);
    if (file !== undefined) return { file, isKept: true };
    if (original.status === 'rejected') throw original.reason;
    return undefined;
  }

  /** A transcript from elsewhere belongs to the project of the directory that it was written in. */
  private async resolvePath(ref: string, signal?: AbortSignal): Promise<SessionRef> {
    const { claude } = this.ports;
    const path = await claude.realPath(ref);
    const listed = (await this.knownSessions(undefined, signal)).find((session) => session.path === path);
    if (listed !== undefined) return { projectId: listed.projectId, sessionId: listed.sessionId };
    const file = await claude.stat(path);
    const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    const sessionId = name.replace(TRANSCRIPT, '');
    if (file === undefined || !isSafeSegment(sessionId)) throw new SessionLookupError('not-found', ref);
    const firstCwd = (await readBeginning(claude, file.path, signal))?.firstCwd;
    const folder = await claude.mainFolder(firstCwd ?? file.path.slice(0, -name.length));
    const adopted = { projectId: projectFolderName(folder), sessionId };
    this.adopted.set(sessionKey(adopted), file.path);
    return adopted;
  }

  /** All sessions, each once, from directory entries and manifests alone. */
  private async knownSessions(projectId?: string, signal?: AbortSignal): Promise<KnownSession[]> {
    const { claude, store } = this.ports;
    const only = projectId === undefined ? undefined : [projectId];
    const sessions = new Map<string, KnownSession>();
    for (const folder of await claude.list(only, signal)) {
      for (const { sessionId, path, mtimeMs } of folder.sessions) {
        const known = { projectId: folder.projectId, sessionId, path, mtimeMs };
        sessions.set(sessionKey(known), known);
      }
    }
    for (const id of only ?? (await store.listProjects())) {
      const manifest = await store.readManifest(id);
      for (const { sessionId, originalFile, lastTimestamp, metadata } of Object.values(manifest?.sessions ?? {})) {
        const key = sessionKey({ projectId: id, sessionId });
        if (sessions.has(key)) continue;
        const mtimeMs = Date.parse(lastTimestamp) || 0;
        sessions.set(key, { projectId: id, sessionId, path: originalFile, mtimeMs, title: metadata.title ?? '' });
      }
    }
    return [...sessions.values()];
  }
}

function listedSource(
  projectId: string,
  { sessionId, path, bytes, mtimeMs, fileId }: SessionFile,
  entries: Record<string, SessionManifestEntry>,
): SessionSource {
  const entry = ownValue(entries, sessionId);
  const file = { path, bytes, mtimeMs, fileId };
  return { ref: { projectId, sessionId }, file, isKept: false, isInFolder: true, agents: [], entry };
}
