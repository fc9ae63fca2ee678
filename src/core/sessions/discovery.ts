import { errorText, failureText, onlyExpected } from '../text/keepitError';
import type { ProjectManifest } from '../model/manifest';
import type { ClaudeFolder, ProjectFolder } from '../transcript/claudeFolder';
import type { Clock, Log, TranscriptFile, MemoryStore } from '../model/host';
import { discoveredSession, calibrationsOf } from './discoveredSession';
import { mapLimited } from '../text/mapLimited';
import { projectNames } from './projectNames';
import type { SessionIndex } from './sessionIndex';
import type { ProjectPlan, ReadProject, ReadTranscript } from './statsReader';
import type { DiscoveredProject, DiscoveredSession, Discovery, OnProgress, SessionSource } from './results';
import { sumOf } from '../text/ownValue';

interface DiscoveryPorts {
  claude: ClaudeFolder;
  store: MemoryStore;
  clock: Clock;
  log: Log;
}

export interface DiscoverRequest {
  /** All projects when absent. */
  projectIds?: readonly string[];
  /** Only this session of theirs: no other is opened. */
  sessionId?: string;
  /** Whatever is known without reading transcripts whole: for showing a list at once, whatever its size. */
  isFirstLook?: boolean;
  onProgress?: OnProgress;
}

/** A project with all that is known before a transcript is opened. */
interface Survey {
  plan: ProjectPlan;
  /** Of a project that other worktrees belong to. */
  folder: string | undefined;
  /** The only session that is asked for, if it is one. */
  sessionId: string | undefined;
  manifest: ProjectManifest | undefined;
  problem: string | undefined;
}

const PARALLEL_PROJECTS = 16;
/** More rows than anybody sees at once. */
const FIRST_LOOKS = 60;

/** Finds all projects and sessions, in Claude Code's folder and in the store. */
export class DiscoveryService {
  constructor(
    private readonly ports: DiscoveryPorts,
    private readonly index: SessionIndex,
  ) {}

  /** Opens only the transcripts that have changed since the last time; those that cannot be read are shown as problems. */
  async discover(request: DiscoverRequest = {}, signal?: AbortSignal): Promise<Discovery> {
    signal?.throwIfAborted();
    const folders = await this.listFolders(request.projectIds, signal);
    const surveys = await mapLimited(folders, PARALLEL_PROJECTS, (folder) => this.survey(folder, request.sessionId));
    const newest = request.isFirstLook === true ? newestChanged(surveys) : undefined;
    const onBytes = progressOf(surveys, request.onProgress);
    const cleanupPeriodDays = await this.ports.claude.cleanupPeriodDays();
    const cost = { filesListed: 0, filesRead: 0, bytesRead: 0 };
    const projects: DiscoveredProject[] = [];
    // One after the other: several transcripts of each are read at once, and held in memory.
    for (const survey of surveys) {
      signal?.throwIfAborted();
      const read = await (newest === undefined
        ? this.index.reader.readProject(survey.plan, onBytes, signal)
        : this.index.reader.firstLook(survey.plan, newest, signal));
      cost.filesListed += filesIn(survey.plan.folder);
      cost.filesRead += read.cost.filesRead;
      cost.bytesRead += read.cost.bytesRead;
      projects.push(this.describe(survey, read, cleanupPeriodDays));
    }
    return { projects: projects.sort(byNewest), cost };
  }

  /** The folders of Claude Code, and those of projects that only the store has any more. */
  private async listFolders(only: readonly string[] | undefined, signal?: AbortSignal): Promise<ProjectFolder[]> {
    const folders = await this.ports.claude.list(only, signal);
    const listed = new Set(folders.map(({ projectId }) => projectId));
    const stored = (await this.storedProjects()).filter((id) => !listed.has(id) && (only?.includes(id) ?? true));
    return [...folders, ...stored.map((projectId) => ({ projectId, sessions: [], strayAgents: [] }))];
  }

  private async storedProjects(): Promise<string[]> {
    try {
      return await this.ports.store.listProjects();
    } catch (error) {
      this.ports.log.warn(`The store cannot be listed: ${errorText(error)}`);
      return [];
    }
  }

  private async survey(folder: ProjectFolder, sessionId?: string): Promise<Survey> {
    let manifest: ProjectManifest | undefined;
    let problem = folder.problem;
    let sources: SessionSource[] | undefined;
    try {
      manifest = await this.ports.store.readManifest(folder.projectId);
      sources = await this.index.sourcesOf(folder, manifest?.sessions ?? {});
    } catch (error) {
      onlyExpected(error);
      problem ??= failureText(error);
    }
    const plan = await this.index.reader.prepare(
      folder,
      sources ?? (await this.index.sourcesOf(folder, {})),
      sessionId,
    );
    const path = await this.ports.claude.folderOf(folder.projectId);
    return {
      plan,
      folder: path,
      sessionId,
      manifest,
      problem,
    };
  }

  private describe(survey: Survey, read: ReadProject, cleanupPeriodDays: number): DiscoveredProject {
    const { manifest, problem } = survey;
    const { projectId } = survey.plan.folder;
    const now = this.ports.clock.now();
    const known = read.transcripts.flatMap(({ stats }) => stats ?? []);
    const context = { now, cleanupPeriodDays, calibrations: calibrationsOf(known) };
    const all = [...read.transcripts, ...lostSessions(projectId, survey, read)];
    const sessions = all.map((transcript) => discoveredSession(transcript, context));
    const cached = Object.values(survey.plan.cache.transcripts).map(({ stats }) => stats);
    const names = projectNames(projectId, [...known, ...cached], survey.folder);
    if (names.originalPath === '' && manifest !== undefined) {
      names.originalPath = manifest.originalPath;
      names.displayName = manifest.displayName;
    }
    const { skipped } = survey.plan.folder;
    for (const one of skipped ?? []) this.ports.log.info(one.problem);
    return {
      projectId,
      ...names,
      sessions: newestFirst(sessions),
      skipped,
      problem,
    };
  }
}

/** Registered sessions without any transcript: what the store remembers is shown, and that the rest is gone. */
function lostSessions(
  projectId: string,
  { manifest, sessionId: only }: Survey,
  { transcripts }: ReadProject,
): ReadTranscript[] {
  const found = new Set(transcripts.map(({ source }) => source.ref.sessionId));
  return Object.values(manifest?.sessions ?? {}).flatMap((entry) => {
    const { sessionId, originalFile: path } = entry;
    if (found.has(sessionId) || (only !== undefined && only !== sessionId)) return [];
    const file = { path, bytes: 0, mtimeMs: 0 };
    const source = { ref: { projectId, sessionId }, file, isKept: true, isInFolder: false, agents: [], entry };
    return { source, problem: 'The transcript is gone or cannot be read, and the store has no copy of it.' };
  });
}

/** The transcripts that a first look may open. */
function newestChanged(surveys: readonly Survey[]): ReadonlySet<TranscriptFile> {
  const changed = surveys.flatMap(({ plan }) => plan.changed);
  return new Set(changed.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, FIRST_LOOKS));
}

function progressOf(surveys: readonly Survey[], onProgress?: OnProgress): (bytes: number) => void {
  const total = sumOf(surveys, ({ plan }) => plan.changed.reduce((bytes, file) => bytes + file.bytes, 0));
  let done = 0;
  return (bytes) => {
    done += bytes;
    onProgress?.({ step: 'discover', done, total });
  };
}

function filesIn({ sessions, strayAgents }: ProjectFolder): number {
  return sessions.reduce((sum, { subAgents }) => sum + 1 + subAgents.length, strayAgents.length);
}

/** By what was said last; sessions without any valid time by their files' date. */
function newestFirst(sessions: readonly DiscoveredSession[]): DiscoveredSession[] {
  const timed = sessions.map((session) => ({ session, time: timeOf(session) }));
  timed.sort((a, b) => b.time - a.time || (a.session.sessionId < b.session.sessionId ? -1 : 1));
  return timed.map(({ session }) => session);
}

function timeOf({ lastTimestamp, mtimeMs }: DiscoveredSession): number {
  const said = Date.parse(lastTimestamp);
  return Number.isNaN(said) ? mtimeMs : said;
}

function byNewest(a: DiscoveredProject, b: DiscoveredProject): number {
  const [newestA, newestB] = [a.sessions[0], b.sessions[0]].map((session) => (session ? timeOf(session) : 0));
  return (newestB ?? 0) - (newestA ?? 0) || (a.projectId < b.projectId ? -1 : 1);
}
