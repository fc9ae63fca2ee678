import type { Uri } from 'vscode';
import type { Log } from '../core/model/host';
import type { Formats } from '../core/text/formats';
import type { VersionChanges } from './compression/versionChanges';
import type { KeepitChanges, KeepitListings } from './keepits/keepitChanges';
import type { MemoryHost } from './memory/memoryHost';
import type { RegisterFirst } from './memory/registerFirst';
import type { Notifier } from './notifier';
import type { Proposals } from './proposals';
import type { SessionsModel } from './sessions/sessionsModel';
import type { SessionTargets } from './sessions/sessionTargets';
import type { SessionViews } from './sessions/sessionViews';
import type { Settings } from './settings';
import type { TranscriptCommands } from './transcript/transcriptCommands';
import type { TranscriptDocuments } from './transcript/transcriptDocuments';

/** What the features of the extension share; it is made once, in `activate`. */
export interface Context {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: Log;
  readonly extensionUri: Uri;
  readonly views: SessionViews;
  readonly targets: SessionTargets;
  readonly documents: TranscriptDocuments;
  readonly transcripts: TranscriptCommands;
  readonly registering: RegisterFirst;
  readonly listings: KeepitListings;
  /** Of keepits. */
  readonly changes: KeepitChanges;
  readonly versions: VersionChanges;
  readonly proposals: Proposals;
}

/** What a feature uses of all that, by name. */
export type Uses<Name extends keyof Context> = Pick<Context, Name>;
