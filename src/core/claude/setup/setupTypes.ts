import type { SetupInstall, SetupMode, SetupRecord, SetupRuntime, SetupScope } from '../../model/setupRecord';

/** How, and where, Claude Code is to be set up. */
export interface SetupRequest {
  mode: SetupMode;
  scope: SetupScope;
  /** The project's folder, absolute; for the scopes `project` and `local`. */
  folder?: string | undefined;
}

/** A file as it is and as it would be, in whole; undefined means that there is none. */
export interface FileChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** What would become of the copy of the plugin that Claude Code loads. */
export interface PluginChange {
  path: string;
  version: string;
  change: 'copy' | 'update' | 'keep' | 'remove';
}

/** Everything that would be done; nothing else is. */
export interface SetupPlan {
  action: 'install' | 'uninstall';
  request: SetupRequest;
  files: FileChange[];
  plugin: PluginChange;
  /** What the hooks would be run with. */
  runtime: SetupRuntime | undefined;
  /** What a person should know about it. */
  notes: string[];
  /** What was remembered when it was planned. */
  recordBefore: SetupRecord;
  /** What is remembered afterwards. */
  record: SetupRecord;
  /** Folders that Claude Code made for the plugin, and that go with it. */
  leftovers: string[];
}

/** What is set up. */
export interface SetupStatus {
  installs: SetupInstall[];
  /** The copy that Claude Code loads; undefined when there is none. */
  plugin: { path: string; version: string } | undefined;
  /** The plugin that this Keepit carries. */
  available: { path: string; version: string } | undefined;
  runtime: SetupRuntime | undefined;
}

/** A plugin's folder, with the hash of each of its files. */
export interface PluginFolder {
  path: string;
  version: string;
  files: Readonly<Record<string, string>>;
}

/** What setting up needs of the machine. All paths are absolute. */
export interface SetupMachine {
  readonly claudeDir: string;
  /** Where the copy of the plugin that Claude Code loads is, or would be. */
  readonly pluginDir: string;
  readonly platform: 'posix' | 'windows';
  join(...parts: string[]): string;
  /** The text of a file; undefined when there is none. Throws `SetupError` for what is no text or a link that leads nowhere. */
  readText(path: string): Promise<string | undefined>;
  isFolder(path: string): Promise<boolean>;
  /** The plugin that this Keepit carries; undefined when it is not there. */
  carriedPlugin(): Promise<PluginFolder | undefined>;
  /** The copy; undefined when there is none. */
  copiedPlugin(): Promise<PluginFolder | undefined>;
  /** Files of the copy that are not as they were written. */
  damagedFiles(copy: PluginFolder): Promise<string[]>;
  readRecord(): Promise<SetupRecord | undefined>;
  findRuntime(signal?: AbortSignal): Promise<SetupRuntime>;
  /** What the copy says about its version when it is run as hooks run it; a problem when it cannot be run. */
  tryRun(runtime: SetupRuntime, signal?: AbortSignal): Promise<{ version: string } | { problem: string }>;
  /** Does what a plan says, whole or not at all: refused when one of its files is not as it was planned. */
  apply(plan: SetupPlan, signal?: AbortSignal): Promise<void>;
  /** Brings the copy up to date. */
  copyPlugin(runtime: SetupRuntime, signal?: AbortSignal): Promise<void>;
}
