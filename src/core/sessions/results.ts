import type { TranscriptFile } from '../model/host';
import type { MessageDiagnostic } from '../keepits/collectKeepits';
import type { DecayConfig, DecayLevel, DecayOutcome, UsualCompression, DistanceFacts } from '../keepits/decay';
import type { EffectiveKeepit } from '../keepits/effectiveKeepits';
import type { KeepitMarker } from '../model/keepit';
import type { SessionManifestEntry } from '../model/manifest';
import type { SkippedFile } from '../transcript/claudeFolder';
import type { RedactedSecrets } from '../text/secrets/secrets';
import type { CalibratedTokens, Calibration } from '../text/tokens/calibration';
import type { Conversation } from '../transcript/types';

/** What the facade answers about projects and sessions: plain data, the same for every host. */

/** A session in Claude Code's folder or in the store, named without ambiguity. */
export interface SessionRef {
  projectId: string;
  sessionId: string;
}

/** A session with the files that it is to be read from. */
export interface SessionSource {
  ref: SessionRef;
  file: TranscriptFile;
  /** Claude Code's own file is gone, or may not be read: this is the kept original. */
  isKept: boolean;
  /** The file lies in the project's folder, where Claude Code's clean-up reaches it. */
  isInFolder: boolean;
  agents: readonly TranscriptFile[];
  /** Of a registered session. */
  entry?: SessionManifestEntry | undefined;
}

/** A session, with all that Claude Code needs to go on with it. */
export interface ResumableSession extends SessionRef {
  /** Its transcript. */
  readonly file: string;
  /** Claude Code has no such file of its own: this is the kept one, or one from elsewhere. It has to stay as it is. */
  readonly isCopy: boolean;
  /** The folder that it began in; '' when it does not say. */
  readonly folder: string;
}

/** A number of tokens and how it came about. */
export interface TokenFigure {
  count: number;
  /** `exact`: o200k_base over what the model would read. `estimate`: the fast scan. */
  kind: 'exact' | 'estimate';
}

/** One session as trees and `discover` show it, registered or not. */
export interface DiscoveredSession extends SessionRef {
  /** Absolute path of Claude Code's file, or of the kept original when Claude Code deleted its own. */
  file: string;
  bytes: number;
  mtimeMs: number;
  /** ISO; empty when the transcript has no valid timestamp at all. */
  firstTimestamp: string;
  lastTimestamp: string;
  /** Messages of the live conversation. */
  messages: number;
  tokens: TokenFigure;
  /** What the session's model would count, with the error of that figure; absent before the first answer. */
  claudeTokens?: CalibratedTokens | undefined;
  title: string;
  cwd: string;
  gitBranch?: string | undefined;
  subAgents: number;
  registered: boolean;
  /** Messages that came after the last registration or sync; 0 for a session that is not registered. */
  newMessages: number;
  /** Claude Code's own file is gone; the store still has the session. */
  isOriginalGone: boolean;
  /** Written within the last minutes: a session that is probably in use. */
  isLive: boolean;
  /** Days until Claude Code's clean-up deletes the file; negative when it is overdue; absent when the file is gone already. */
  expiresInDays?: number;
  /** Lines that could not be read. */
  brokenLines: number;
  /** What looks like a keepit marker in the live conversation, and what people changed about keepits: 0 where there are none for sure. */
  markers: number;
  /** When somebody last changed something about its keepits; absent when nobody has. */
  keepitsChangedAt?: string | undefined;
  /** A first look: messages, tokens and markers are not counted yet, and zero. */
  isUncounted?: boolean;
  /** Why the file could not be read at all; the other figures are then zero. */
  problem?: string | undefined;
}

/** One of Claude Code's project folders with its sessions, newest first. */
export interface DiscoveredProject {
  projectId: string;
  /** The working directory as the records say it; the folder name cannot be inverted. */
  originalPath: string;
  displayName: string;
  sessions: DiscoveredSession[];
  /** What lies in the folder and is not read, with the reason. Absent where there is nothing of the kind. */
  skipped?: SkippedFile[] | undefined;
  /** Why the folder or its manifest could not be read. */
  problem?: string | undefined;
}

export interface Discovery {
  projects: DiscoveredProject[];
  /** How the answer was made: a second discovery of an unchanged folder opens no transcript. */
  cost: { filesListed: number; filesRead: number; bytesRead: number };
}

/** Progress of long work, for a bar: `done` of `total` in the unit that the step has (bytes or sessions). */
export interface Progress {
  step:
    | 'discover'
    | 'register'
    | 'sync'
    | 'count'
    | 'unregister'
    | 'keepits'
    | 'compress'
    | 'compose'
    | 'layer'
    | 'search'
    | 'export'
    | 'import'
    | 'read';
  done: number;
  total: number;
  /** The session at hand, for people. */
  label?: string;
}
export type OnProgress = (progress: Progress) => void;

/** What "Add to Memory" shows before anything is written (seed 000, 5.1). */
export interface RegistrationPreview extends SessionRef {
  title: string;
  file: string;
  bytes: number;
  messages: number;
  tokens: TokenFigure;
  firstTimestamp: string;
  lastTimestamp: string;
  keepits: KeepitMarker[];
  /** Markers with a weight that does not count, such as `##keepit0.8##`. */
  malformedKeepits: number;
  alreadyRegistered: boolean;
}

export interface RegisterResult {
  registered: SessionManifestEntry[];
  /** Ids of sessions that were registered already and had nothing new. */
  unchanged: string[];
  failed: { session: string; error: string }[];
}

/** What removing a session from memory takes away; the transcript of Claude Code is never touched. */
export interface UnregisterPreview extends SessionRef {
  title: string;
  versions: number;
  keepits: number;
  /** Compositions that use the session. They stay; they can no longer be rebuilt from it. */
  compositions: string[];
  /** Bytes that are freed in the store. */
  bytes: number;
  /** Claude Code's own file is gone: removing the session from memory loses it altogether. */
  isLastCopy: boolean;
}

export interface UnregisterResult extends UnregisterPreview {
  /** Where the removed files wait, so that the removal can be undone: pass it to `restore`. */
  trash: string;
}

export interface SyncResult {
  synced: { sessionId: string; newMessages: number; newTokens: number }[];
  failed: { session: string; error: string }[];
}

/** The new messages of a session and the part that they would become (seed 001). */
interface SessionDelta {
  /** Messages that came after the last registration or sync. */
  newMessages: number;
  /** Messages that are in no part yet; all of them where there are no parts. */
  uncompressed: number;
  nextPart: number;
}

/** Lines in = used + skipped by reason + broken. */
export interface ReaderFigures {
  lines: number;
  used: number;
  skipped: Record<string, number>;
  /** The first thousand of `brokenCount`. */
  broken: { line: number; error: string }[];
  /** `lines` = `used` + all of `skipped` + `brokenCount`. */
  brokenCount: number;
  /** Lines that are used although a part of them is damaged; the first thousand. */
  salvaged: { line: number; error: string }[];
  /** A last line without an end, which is not among `lines`: it is being written, or what wrote it broke off. */
  unfinished?: { line: number; bytes: number };
}

export interface SessionDetails {
  /** The manifest entry for a registered session, else what `discover` knows. */
  session: SessionManifestEntry | DiscoveredSession;
  registered: boolean;
  claudeTokens?: CalibratedTokens | undefined;
  delta: SessionDelta;
  reader: ReaderFigures;
  /** Secrets that are left out of what the store holds of the session and of its versions, by kind. Empty for one that is not registered. */
  redacted: RedactedSecrets[];
}

/** The dialogue of a sub-agent. */
export interface SubAgentConversation {
  agentId: string;
  /** What it was asked to do, in one line. */
  title: string;
  /** The file that the byte ranges in `conversation` are in: its own, or that of the session. */
  file: string;
  conversation: Conversation;
  /** The tool call that started it, when it can be told. */
  toolUseId?: string | undefined;
}

/** One message as the command line prints it. */
export interface MessageRow {
  index: number;
  uuid: string;
  role: 'user' | 'assistant';
  timestamp: string;
  text: string;
  tokens: number;
  tools: { name: string; target: string }[];
}

/** One keepit of one session: the same words in a resumed session are another one, under the same id. */
export interface KeepitRef extends SessionRef {
  markerId: string;
}

/** The keepits of a session, or of many. Newest session first, each in the order of its conversation. */
export interface KeepitListing {
  /** Those that count. */
  keepits: EffectiveKeepit[];
  /** Those that do not: removed by a person, left behind by a rewind, or without their words. */
  inactive: EffectiveKeepit[];
  /** What looks like a marker and does not count as one. */
  diagnostics: (MessageDiagnostic & SessionRef)[];
  /** Sessions that could not be read. */
  failed: { session: string; error: string }[];
}

/** What the survival of a project's keepits depends on besides their weights. */
export interface DecayContext {
  config: DecayConfig;
  /** The project's default preset, at its hardest. */
  usual: UsualCompression;
  /** Off: everything is kept, whatever its weight. */
  isDecayOn: boolean;
  /** The sessions in memory, for the distance of each. */
  inMemory: DistanceFacts[];
}

/** What becomes of the keepits of a session in one compression (seed 000, appendix A). */
export interface DecayPreview extends SessionRef {
  /** In the order of the conversation. */
  markers: DecayedKeepit[];
  /** The weight from which on a keepit survives. */
  threshold: number;
  /** False where the project keeps every keepit: then this is what would happen if decay was on. */
  isDecayOn: boolean;
  ratio: number;
  level: DecayLevel;
  distance: number;
}

export interface DecayedKeepit {
  markerId: string;
  /** What counts: its own weight, or the one that a person gave it. */
  weight: number;
  survives: boolean;
  outcome: DecayOutcome;
  /** For people: `0.80 ≥ 0.65`. */
  reason: string;
  /** The largest distance at which it survives at this ratio and level; 0 when there is none. */
  reach: number | 'any';
  content: string;
}

export interface DoctorCheck {
  name: string;
  ok: boolean;
  detail: string;
  /** What to do about it. */
  hint?: string;
  /** Set when `doctor --repair` can mend it. */
  isRepairable?: boolean;
}

export interface MemoryStats {
  projects: number;
  sessions: number;
  versions: number;
  compositions: number;
  keepits: number;
  /** Over all registered sessions. */
  originalTokens: number;
  originalBytes: number;
  /** Tokens of all versions, and how much smaller they are than what they came from. */
  versionTokens: number;
  ratio: number;
  /** What a model need not read when it gets the versions instead of what they came from. */
  savedTokens: number;
  /** Bytes of the whole store; hard links to Claude Code's files cost nothing and are counted apart. */
  storeBytes: number;
  linkedBytes: number;
  /** What waits in the trash, and is part of the store's bytes. */
  trash: { items: number; bytes: number };
  /** Sessions whose transcript Claude Code has deleted and the store still has. */
  savedSessions: number;
  /** How our tokens relate to each model's own, the most frequent model first. */
  calibration: Calibration[];
  byProject: { projectId: string; displayName: string; sessions: number; tokens: number; bytes: number }[];
}
