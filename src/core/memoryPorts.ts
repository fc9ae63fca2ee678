import type { ModelAsker } from './versions/models/modelAsker';
import type { Summarizer } from './versions/types';
import type { HookStore } from './claude/hooks/hookStore';
import type { LayerStore, ProjectProbe } from './knowledge/layerStore';
import type { OtherToolReader } from './knowledge/otherTools/otherTools';
import type { ClaudeFolder } from './transcript/claudeFolder';
import type { Clock, HostProbe, Ledger, Log, MemoryStore } from './model/host';
import type { StatsCache } from './sessions/statsCache';
import type { TokenCounters } from './text/tokens/tokenCounter';
import type { ClaudeSetup } from './claude/setup/claudeSetup';
import type { OpenExcerpts } from './material/toolDetails';
import type { SaidMessagesParts, SearchFiles } from './search/saidMessages';
import type { Forgotten } from './model/forgotten';
import { expectedFailure } from './text/keepitError';
import type { OnProgress, SessionRef } from './sessions/results';

/** What a model asks for. */
export interface ToolCall {
  readonly name: string;
  /** Checked by the tool. */
  readonly input: unknown;
  /** Where the host is, the likeliest first. */
  readonly folders: readonly string[];
}

/** What a model gets back. */
export interface ToolAnswer {
  readonly text: string;
  /** It was not done; the text says what to do next. */
  readonly isError: boolean;
}

/** All that the facade needs of its host. */
export interface MemoryPorts {
  claude: ClaudeFolder;
  cache: StatsCache;
  store: MemoryStore;
  tokens: TokenCounters;
  host: HostProbe;
  ledger: Ledger;
  clock: Clock;
  log: Log;
  /** What can summarize besides the built-in compressor, and ways to ask a model single questions. */
  models: () => Promise<{ readonly summarizers: readonly Summarizer[]; readonly askers: readonly ModelAsker[] }>;
  /** What was said in sessions, for those who search. */
  searchFiles: SearchFiles;
  meaning: SaidMessagesParts['meaning'];
  /** The layers of projects on disk. */
  layerStore: LayerStore;
  /** What Claude Code's hooks left behind. */
  hookStore: HookStore;
  /** What the notebook compares with what was said. */
  projectProbe: ProjectProbe;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  openExcerpts: OpenExcerpts;
  /** What is not to be remembered. */
  forgetting: () => Promise<ForgettingStore>;
  /** Reads what other tools have stored. */
  otherTools: () => Promise<OtherToolReader>;
  /** Memory to and from archives; a host that moves nothing has none. */
  transfer?: () => Promise<TransferStore>;
  /** Sets Claude Code up for Keepit; a host that sets nothing up has none. */
  setup?: () => Promise<ClaudeSetup>;
  /** Runs what models are offered; a host that offers them nothing has none. */
  tools?: { run(call: ToolCall, signal?: AbortSignal): Promise<ToolAnswer> };
}

/** Where something that is to be erased stands. */
export interface ErasePlace {
  readonly kind: 'original' | 'version' | 'composition' | 'layer' | 'notebook' | 'trash' | 'cache' | 'hooks' | 'store';
  readonly file: string;
  /** How often. */
  readonly count: number;
}

/** What is to be erased. */
export interface EraseOrder {
  /** Texts; wherever they stand, also when they come again. */
  readonly words: readonly string[];
  /** Ids of transcript records; all that is said in them. */
  readonly records: readonly string[];
  /** What is to go with that: pieces of it go from all that was made of it, as do pieces of what was said in those records. */
  readonly said: readonly string[];
  /** The projects in which that was said, as far as it is known already. */
  readonly projectIds: readonly string[];
  /** The session of which that is a message, or of which all is to go. */
  readonly of?: SessionRef & { readonly message?: string | undefined };
}

/** One time of erasing. */
export interface Erasing {
  /** Overwrites what is to go in a text that was made of what a project's sessions said. */
  overwrite(projectId: string, text: string): { readonly text: string; readonly count: number };
  /** Everything in the store. */
  inStore(isDryRun: boolean): Promise<ErasePlace[]>;
  /** Files of Claude Code, and these ones, that say it; they are not Keepit's to change. */
  readonly stillIn: readonly string[];
  /** The projects whose sessions say it. */
  readonly projectIds: readonly string[];
  /** Nothing is left to do: it is no longer noted as begun. */
  end(): Promise<void>;
}

/** What is not to be remembered, and how it goes from the store. */
export interface ForgettingStore {
  /** Undefined when nothing was ever to be forgotten. */
  read(): Promise<Forgotten | undefined>;
  change(change: (forgotten: Forgotten) => Forgotten): Promise<Forgotten>;
  /** Transcripts with what was erased of them: an erase that was cut short is ended with the same words. */
  readonly transcripts: Pick<ClaudeFolder, 'read'>;
  /** Looks where it stands; unless that is all that is wanted, it is marked as erased and noted as begun, so that nobody takes it in again. */
  begin(order: EraseOrder, options: { isDryRun: boolean }, signal?: AbortSignal): Promise<Erasing>;
  /** All files of a project in the store, with those that are remembered of its transcripts. */
  filesOf(projectId: string): Promise<ErasePlace[]>;
  /** Removes them, for good. */
  remove(projectId: string): Promise<void>;
  /** What is kept of one session, its trash included. */
  filesOfSession(projectId: string, sessionId: string): Promise<ErasePlace[]>;
  /** Removes that, for good. */
  removeSession(projectId: string, sessionId: string): Promise<void>;
}

/** What is to be forgotten cannot be. Nothing was changed. */
export class ForgettingError extends expectedFailure('', {
  'too-short': (subject) => ({
    message: `${JSON.stringify(subject)} is too short to be erased: it stands in too much.`,
    hint: 'Name six characters or more, or the message that says it.',
  }),
  'unknown-message': (subject) => ({
    message: `There is no message ${JSON.stringify(subject)} in this session.`,
    hint: '`keepit messages <session>` lists them with their uuids.',
  }),
  'not-never': (subject) => ({
    message: `${subject} is remembered as usual already.`,
    hint: '`keepit never` lists what is never remembered.',
  }),
  'nothing-stored': (subject) => ({
    message: `Nothing is stored of ${subject}.`,
    hint: '`keepit stats --all-projects` says what there is.',
  }),
}) {}

/** What is to be put into an archive. */
export interface ExportRequest {
  /** An absolute path; nothing may be there. */
  readonly file: string;
  /** All projects when absent. */
  readonly projectId?: string | undefined;
  /** Only these sessions, without compositions and knowledge. */
  readonly sessionIds?: readonly string[] | undefined;
  /** Who does not know it cannot read the archive. */
  readonly passphrase?: string | undefined;
}

export interface Exported {
  readonly file: string;
  readonly bytes: number;
  readonly files: number;
  readonly projects: readonly {
    readonly projectId: string;
    readonly sessions: number;
    readonly compositions: number;
  }[];
}

export interface ImportRequest {
  readonly file: string;
  readonly isDryRun?: boolean;
  /** What is there already and another, goes to the trash for what the archive has. */
  readonly replaces?: boolean;
  /** For an archive that is encrypted. */
  readonly passphrase?: string | undefined;
  /** Where the folders of its projects are on this machine, by the ids that they have in the archive. */
  readonly folders?: Readonly<Record<string, string>> | undefined;
}

/** What an import brings into one project, or would bring. */
export interface ImportedProject {
  readonly projectId: string;
  /** What it was called where it was exported. */
  readonly from: string;
  readonly originalPath: string;
  /** What it was known by here: `nothing` where its folder is not on this machine, and it keeps its path. */
  readonly knownBy: 'folder' | 'remote' | 'name' | 'answer' | 'nothing';
  readonly sessions: Merged;
  readonly versions: Merged;
  /** Weights and marks that people gave, of sessions that are here already. */
  readonly keepits: Merged;
  readonly compositions: Merged;
  readonly links: Merged;
  /** Layers and notes: `kept` where the project has some of its own, which stay as they are; `never` where they were made of a session that is never to be remembered. */
  readonly knowledge: 'added' | 'kept' | 'never' | 'none';
}

export interface Merged {
  readonly added: string[];
  readonly same: string[];
  readonly conflicts: Conflict[];
}

/** Something that does not come in: mostly it is there already, and another. */
interface Conflict {
  readonly name: string;
  readonly reason: string;
  /** Nothing is to be remembered of it: it is not replaced either. */
  readonly isNever?: boolean;
}

export interface Imported {
  readonly projects: readonly ImportedProject[];
  readonly isDone: boolean;
}

/** Memory as one file, to be taken to another machine. */
export interface TransferStore {
  /** A failure leaves no file. */
  export(request: ExportRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Exported>;
  /** Reads and verifies all of it before anything is changed; it comes in whole, or not at all. */
  import(request: ImportRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Imported>;
}

/** Memory could not be written into an archive, or read from one. Nothing was changed. */
export class TransferError extends expectedFailure('', {
  'file-there': (file) => ({ message: `${file} is there already.`, hint: 'Choose another name, or remove the file.' }),
  'no-export-folder': (folder) => ({
    message: `There is no folder ${folder} to put the archive into.`,
    hint: 'Make it first, or name a file in a folder that is there.',
  }),
  'no-archive': (file) => ({
    message: `${file} is no archive of Keepit.`,
    hint: 'Name a file that `keepit export` has written.',
  }),
  'no-passphrase': (file) => ({
    message: `${file} is encrypted.`,
    hint: '`--passphrase-file F` names a file that holds its passphrase.',
  }),
  'wrong-passphrase': (file) => ({
    message: `The passphrase does not open ${file}.`,
    hint: 'Nothing was changed; try the one that it was exported with.',
  }),
  'damaged-archive': (what) => ({
    message: `The archive is damaged: ${what}.`,
    hint: 'Nothing was changed; export it again, or copy it once more.',
  }),
  'newer-archive': (what) => ({
    message: `The archive was written by a newer Keepit (${what}).`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  'nothing-to-export': (what) => ({
    message: `Nothing is kept of ${what}.`,
    hint: '`keepit sessions --all-projects` lists what there is.',
  }),
}) {}
