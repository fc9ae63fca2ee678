import type { SetupInstall, SetupMode, SetupRecord, SetupRuntime, SetupScope } from '../../model/setupRecord';
import { expectedFailure } from '../../text/keepitError';

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

/** A set-up of Claude Code that cannot be made or taken back. The settings are as they were. */
export class SetupError extends expectedFailure('setup-', {
  'broken-settings': (file, detail) => ({
    message: `${file} is no valid JSON: ${detail}. Nothing was changed.`,
    hint: 'Correct the file; Claude Code cannot read it either.',
  }),
  'unfit-settings': (file, detail) => ({
    message: `${file} cannot take the entries: ${detail}. Nothing was changed.`,
    hint: 'Correct the file; Claude Code expects an object there.',
  }),
  'not-utf8': (file) => ({
    message: `${file} is no UTF-8 text. Nothing was changed.`,
    hint: 'Save it as UTF-8.',
  }),
  'dangling-link': (file) => ({
    message: `${file} is a symbolic link that leads nowhere. Nothing was changed.`,
    hint: 'Make the file that it leads to, or remove the link.',
  }),
  'not-permitted': (file) => ({
    message: `${file} may not be written by this user. What had been written before it was taken back.`,
    hint: 'Give yourself write access to the file and its folder; where another tool makes it, add the entries that `--dry-run` shows there.',
  }),
  changed: (file) => ({
    message: `${file} has changed since it was looked at. Nothing was changed.`,
    hint: 'Try again.',
  }),
  'other-mode': (where, mode) => ({
    message: `Keepit is set up ${where} as ${mode} already; together, every hook would run twice. Nothing was changed.`,
    hint: 'Take that out first with `keepit uninstall-hooks`.',
  }),
  'not-installed': (where) => ({
    message: `Keepit is not set up ${where}.`,
    hint: '`keepit install-hooks --dry-run` shows what setting it up would do; `--scope` says where.',
  }),
  'no-plugin': (folder) => ({
    message: `The plugin for Claude Code is not in ${folder}, or not whole.`,
    hint: 'Install Keepit again; in a checkout, run `npm run build`.',
  }),
  'no-folder': (folder) => ({
    message: `There is no folder ${folder}.`,
    hint: 'Name the project’s folder with `--project`.',
  }),
  'newer-record': (file) => ({
    message: `${file} was written by a newer Keepit.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  io: (file, detail) => ({
    message: `${file} could not be read or written: ${detail}. What had been written before it was taken back.`,
    hint: 'Check the disk that holds it, and try again.',
  }),
}) {}
