import type { Forgotten } from './model/forgotten';
import { expectedFailure } from './text/keepitError';

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
  /** What was said there: pieces of it go from all that was made of it. */
  readonly said: readonly string[];
  /** The projects in which that was said, as far as it is known already. */
  readonly projectIds: readonly string[];
  /** All that this session says is to go. */
  readonly sessionId?: string;
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
}

/** What is not to be remembered, and how it goes from the store. */
export interface ForgettingStore {
  /** Undefined when nothing was ever to be forgotten. */
  read(): Promise<Forgotten | undefined>;
  change(change: (forgotten: Forgotten) => Forgotten): Promise<Forgotten>;
  /** Looks where it stands; unless that is all that is wanted, it is marked as erased first, so that nobody takes it in again. */
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
