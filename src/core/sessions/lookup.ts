import { isSafeSegment } from '../model/ids';
import { ownValue } from '../text/ownValue';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { TranscriptFile } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import { mapLimited } from '../text/mapLimited';
import { sessionKey } from '../model/sessionKey';
import { SessionLookupError, type LookupCandidate } from './sessionLookupError';
import type { SummaryCache } from './summaryCache';
import { projectFolderName } from './projectNames';
import type { SessionRef } from './results';
import { titleOf } from './discoveredSession';
import { readBeginning } from './transcriptBeginning';

interface LookupPorts {
  claude: ClaudeFolder;
  store: MemoryStore;
  cache: SummaryCache;
}

interface KnownSession extends SessionRef {
  path: string;
  mtimeMs: number;
  title?: string;
}

const MIN_PREFIX = 4;
const TRANSCRIPT = /\.jsonl$/i;

/** Finds the session or project that a person means. */
export class LookupService {
  /** Transcripts outside of Claude Code's folder that were named by path, by `projectId/sessionId`. */
  private readonly foreign = new Map<string, string>();

  constructor(private readonly ports: LookupPorts) {}

  /** A session id, a unique prefix of one, or the path of a transcript. Throws `SessionLookupError`. */
  async resolve(ref: string, request: { projectId?: string } = {}, signal?: AbortSignal): Promise<SessionRef> {
    if (TRANSCRIPT.test(ref)) return this.resolvePath(ref, signal);
    const known = await this.knownSessions(request.projectId, signal);
    const exact = known.filter(({ sessionId }) => sessionId === ref);
    if (exact.length > 0) return this.only(ref, exact);
    if (ref.length < MIN_PREFIX) throw new SessionLookupError('too-short', ref);
    const prefix = ref.toLowerCase();
    return this.only(
      ref,
      known.filter(({ sessionId }) => sessionId.toLowerCase().startsWith(prefix)),
    );
  }

  /** The project of a working directory, or the one with that very id; undefined when there is no such project. */
  async resolveProject(pathOrId: string): Promise<string | undefined> {
    const ids = await this.projectIds();
    if (ids.includes(pathOrId)) return pathOrId;
    const path = await this.ports.claude.realPath(pathOrId);
    const own = projectFolderName(path);
    if (ids.includes(own)) return own;
    for (const projectId of ids) {
      const { transcripts } = await this.ports.cache.load(projectId);
      if (Object.values(transcripts).some(({ digest }) => ownValue(digest.cwds, path) !== undefined)) return projectId;
    }
    return undefined;
  }

  /** Where a transcript lies that was named by its path and is not in its project's folder. */
  foreignFile(ref: SessionRef): string | undefined {
    return this.foreign.get(sessionKey(ref));
  }

  private async resolvePath(ref: string, signal?: AbortSignal): Promise<SessionRef> {
    const path = await this.ports.claude.realPath(ref);
    const known = await this.knownSessions(undefined, signal);
    const listed = known.find((session) => session.path === path);
    if (listed !== undefined) return { projectId: listed.projectId, sessionId: listed.sessionId };
    const file = await this.ports.claude.stat(path);
    const sessionId = fileName(path).replace(TRANSCRIPT, '');
    if (file === undefined || !isSafeSegment(sessionId)) throw new SessionLookupError('not-found', ref);
    return this.adopt(file, sessionId, signal);
  }

  /** A transcript from elsewhere belongs to the project of the directory that it was written in. */
  private async adopt(file: TranscriptFile, sessionId: string, signal?: AbortSignal): Promise<SessionRef> {
    const firstCwd = (await readBeginning(this.ports.claude, file.path, signal))?.firstCwd;
    const folder = file.path.slice(0, -fileName(file.path).length);
    const projectId = projectFolderName(firstCwd ?? folder);
    const adopted = { projectId, sessionId };
    this.foreign.set(sessionKey(adopted), file.path);
    return adopted;
  }

  private async only(ref: string, matches: readonly KnownSession[]): Promise<SessionRef> {
    const [first, ...others] = matches;
    if (first === undefined) throw new SessionLookupError('not-found', ref);
    if (others.length === 0) return { projectId: first.projectId, sessionId: first.sessionId };
    const newest = [...matches].sort((a, b) => b.mtimeMs - a.mtimeMs);
    throw new SessionLookupError('ambiguous', ref, await mapLimited(newest, 4, (session) => this.candidate(session)));
  }

  private async candidate({ projectId, sessionId, path, title }: KnownSession): Promise<LookupCandidate> {
    const digest = ownValue((await this.ports.cache.load(projectId)).transcripts, path)?.digest;
    return { projectId, sessionId, title: digest === undefined ? (title ?? '') : titleOf(digest) };
  }

  private async projectIds(): Promise<string[]> {
    const folders = await this.ports.claude.projectIds();
    return [...new Set([...folders, ...(await this.ports.store.listProjects())])];
  }

  /** All sessions, each once, from directory entries and manifests alone. */
  private async knownSessions(projectId?: string, signal?: AbortSignal): Promise<KnownSession[]> {
    const only = projectId === undefined ? undefined : [projectId];
    const sessions = new Map<string, KnownSession>();
    for (const folder of await this.ports.claude.list(only, signal)) {
      for (const { sessionId, path, mtimeMs } of folder.sessions) {
        const known = { projectId: folder.projectId, sessionId, path, mtimeMs };
        sessions.set(sessionKey(known), known);
      }
    }
    for (const id of only ?? (await this.ports.store.listProjects())) {
      const manifest = await this.ports.store.readManifest(id);
      for (const { sessionId, originalFile, lastTimestamp, metadata } of Object.values(manifest?.sessions ?? {})) {
        const key = sessionKey({ projectId: id, sessionId });
        if (sessions.has(key)) continue;
        const mtimeMs = Date.parse(lastTimestamp) || 0;
        const title = metadata.title ?? '';
        sessions.set(key, { projectId: id, sessionId, path: originalFile, mtimeMs, title });
      }
    }
    return [...sessions.values()];
  }
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
