import { env, type Uri } from 'vscode';
import { Formats, readerLocale } from '../core/text/formats';
import type { MemoryService } from '../core/memory';
import { KeepitListings } from './keepits/keepitListings';
import type { MemoryHost } from './memory/memoryHost';
import { Notifier, type OutputLog } from './notifier';
import { Proposals } from './proposals';
import { SessionsModel } from './sessions/sessionsModel';
import { SessionTargets, RegisterFirst } from './sessions/sessionTargets';
import { SessionViews } from './sessions/sessionViews';
import type { Settings } from './settings';
import { TranscriptCommands } from './transcript/transcriptCommands';
import { TranscriptDocuments } from './transcript/transcriptDocuments';

/** What the features of the extension share; it is made once, in `activate`. */
export interface Context {
  readonly host: MemoryHost;
  /** What can be asked of the memory of this window. */
  readonly memory: MemoryService;
  readonly model: SessionsModel;
  readonly settings: Settings;
  readonly formats: Formats;
  readonly notifier: Notifier;
  readonly log: OutputLog;
  readonly extensionUri: Uri;
  readonly views: SessionViews;
  readonly targets: SessionTargets;
  readonly documents: TranscriptDocuments;
  readonly transcripts: TranscriptCommands;
  readonly registering: RegisterFirst;
  readonly listings: KeepitListings;
  readonly proposals: Proposals;
}

/** What a feature uses of all that, by name. */
export type Uses<Name extends keyof Context> = Pick<Context, Name>;

/** Of what the window is, all that features share. */
export function makeContext({
  host,
  settings,
  log,
  extensionUri,
}: Uses<'host' | 'settings' | 'log' | 'extensionUri'>): Context {
  const memory = host.service;
  const notifier = new Notifier(log);
  const locale = readerLocale(env.language);
  const formats = new Formats({ locale });
  const model = new SessionsModel(host, log);
  const views = new SessionViews({ model, host, settings, formats, notifier });
  const targets = new SessionTargets(model, views, settings, formats);
  const documents = new TranscriptDocuments(memory, settings, locale);
  const transcripts = new TranscriptCommands({ documents, model, targets, notifier, log });
  const listings = new KeepitListings(host);
  const registering = new RegisterFirst(memory, model, notifier);
  const proposals = new Proposals();
  const core = { host, memory, settings, log, extensionUri, notifier, formats, model, views, targets };
  return { ...core, documents, transcripts, listings, registering, proposals };
}
