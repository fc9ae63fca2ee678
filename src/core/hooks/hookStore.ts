/** A file of hooks, as its directory entry shows it. */
export interface HookFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** What hooks keep in the store. Nothing of it is asked for by anybody else; losing it costs a word to the model at most. */
export interface HookStore {
  /** The ids of projects in which hooks have run. */
  projectIds(): Promise<string[]>;
  /** The folder with the activity of a project's sessions, whether it is there or not. */
  activityFolder(projectId: string): string;
  /** The activity of a project's sessions, by their ids. */
  activityFiles(projectId: string): Promise<Map<string, HookFile>>;
  /** The text of a session's activity; undefined when there is none. */
  activity(projectId: string, sessionId: string): Promise<string | undefined>;
  /** Where problems are told. */
  readonly logFile: string;
  /** Its last lines, oldest first. */
  logLines(count: number): Promise<string[]>;
}
