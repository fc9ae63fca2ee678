import type { FileNotes, PreparedBrief, ReminderIndex, SessionState } from '../../model/preparedBrief';
import type { Taken } from '../../model/host';
import { REQUEST_REASONS, type HookRequest, type RequestReason } from '../../model/hookInput';
import type { HookActivity, NoteRequest } from '../../model/hookActivity';

/** A file of hooks, as its directory entry shows it. */
export interface HookFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** A request as it was found: another one may take its place meanwhile. */
export interface FoundRequest extends HookRequest {
  /** Tells this one from a newer one of the same name. */
  readonly mark: string;
}

/** Tells a request from a newer one of the same session and reason. */
export function nameOf({ sessionId, reason, at }: FoundRequest): string {
  return `${sessionId} ${reason} ${at}`;
}

/** The reason of these that asks for the most. */
export function strongest(requests: readonly FoundRequest[]): RequestReason {
  return REQUEST_REASONS.findLast((reason) => requests.some((request) => request.reason === reason)) ?? 'start';
}

/** What hooks keep in the store. Nothing of it is asked for by anybody else; losing it costs a word to the model at most. */
export interface HookStore {
  /** The ids of projects in which hooks have run. */
  projectIds(): Promise<string[]>;
  /** The activity of a project's sessions, by their ids. */
  activityFiles(projectId: string): Promise<Map<string, HookFile>>;
  /** The text of a session's activity; undefined when there is none. */
  activity(projectId: string, sessionId: string): Promise<string | undefined>;
  /** What hooks gave to a session as a whole, as a file's text; undefined when there is none. */
  given(projectId: string, sessionId: string): Promise<string | undefined>;
  /** Adds a line, whole. */
  addActivity(projectId: string, sessionId: string, activity: HookActivity): Promise<void>;
  /** The last lines of the log, oldest first. */
  logLines(count: number): Promise<string[]>;
  /** Adds a line, which must not hold what anybody said. */
  addLogLine(problem: string): Promise<void>;

  /** Makes the caller the only one that works for a project; undefined when somebody else does. */
  takeWork(projectId: string): Promise<Taken | undefined>;
  /** Makes the caller the only one that has a model read sessions, of all projects; undefined when somebody else does. */
  takeReading(): Promise<Taken | undefined>;
  /** Makes the caller the only one that lets versions of a project age; undefined when somebody else does. */
  takeAging(projectId: string): Promise<Taken | undefined>;
  /** Lets time pass: what Claude Code tells hooks is on disk a moment later. */
  sleep(ms: number): Promise<void>;
  /** What hooks asked for, the oldest first. */
  requests(projectId: string): Promise<FoundRequest[]>;
  /** Takes a request away, unless a newer one is in its place. */
  finish(projectId: string, request: FoundRequest): Promise<void>;
  /** Leaves a request that failed to the next process, unless a newer one is in its place. */
  postpone(projectId: string, request: FoundRequest): Promise<void>;

  saveBrief(projectId: string, brief: PreparedBrief): Promise<void>;
  saveFileNotes(projectId: string, notes: FileNotes): Promise<void>;
  saveReminders(projectId: string, index: ReminderIndex): Promise<void>;
  /** Where so many sessions stand, the latest first; one where it is named. */
  sessionStates(projectId: string, most: number, sessionId?: string): Promise<SessionState[]>;
  saveSessionState(projectId: string, state: SessionState): Promise<void>;
  /** Keeps a note of the user's words until its session was read. */
  addNote(projectId: string, note: NoteRequest): Promise<void>;
  /** Gives the notes that wait, where there are any; they wait no more when the work with them is done. */
  takeNotes(projectId: string, work: (notes: readonly NoteRequest[]) => Promise<void>): Promise<void>;
  /** Remembers that a session has begun which is to be taken in, should it never come to tell that it goes on. */
  expect(projectId: string, sessionId: string): Promise<void>;
  /** The sessions that are expected still. */
  expected(projectId: string): Promise<string[]>;
  /** Forgets that one is. */
  endExpecting(projectId: string, sessionId: string): Promise<void>;
  /** Takes away what is kept only while a session runs. */
  endSession(projectId: string, sessionId: string): Promise<void>;
  /** Takes away what hooks left of sessions that nobody has touched since then. */
  sweep(projectId: string, before: Date): Promise<void>;

  /** The stamps by which hooks tell whether these files, the configuration and the project's manifest are still as they were. */
  stamps(projectId: string, files: readonly string[]): Promise<Record<string, string>>;
  /** What Claude Code itself gives to every session of a project: `CLAUDE.md` and its like with what they import, its own memory. */
  contextTexts(projectId: string, projectPath: string): Promise<{ readonly file: string; readonly text: string }[]>;
  /** The bytes of a project's `CLAUDE.md`, or of another file in its place, each as one character; undefined when there is none. */
  readInstructions(projectPath: string, name?: string): Promise<string | undefined>;
  /** Replaces them in one step; undefined takes the file away. */
  writeInstructions(projectPath: string, bytes: string | undefined, name?: string): Promise<void>;
}
