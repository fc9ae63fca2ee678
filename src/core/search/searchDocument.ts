import type { ProjectManifest } from '../model/manifest';
import { expectedFailure, type KeepitError } from '../text/keepitError';

/** Where something that was found is kept. */
export const SEARCH_KINDS = [
  'fact',
  'keepit',
  'note',
  'memory',
  'concept',
  'exchange',
  'composition',
  'version',
  'message',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** What people call them. */
export const kindNames: Readonly<Record<SearchKind, string>> = {
  fact: 'fact',
  keepit: 'keepit',
  note: 'note',
  memory: 'rolling memory',
  concept: 'concept',
  exchange: 'exchange',
  composition: 'composition',
  version: 'version',
  message: 'message',
};

/** How sure a fact is, or of which type (seed 000, 7.4), as far as one can ask for it. */
export const SEARCH_TRUSTS = ['stated', 'proved', 'pattern', 'decision', 'preference', 'fact'] as const;
export type SearchTrust = (typeof SEARCH_TRUSTS)[number];

/** One thing that can be found. */
export interface SearchDocument {
  readonly kind: SearchKind;
  readonly projectId: string;
  /** What it is called where it is kept: a fact's id, a note's file, a composition's name, a message's uuid. Unique with kind and project. */
  readonly id: string;
  readonly text: string;
  /** What it is about, in a few words: counts more than the text. */
  readonly title?: string | undefined;
  /** What stands beside the text, such as what tools were used on: counts less. */
  readonly aside?: string;
  readonly sessionId?: string | undefined;
  readonly messageUuid?: string | undefined;
  /** ISO. */
  readonly timestamp?: string | undefined;
  /** Paths as they were written. */
  readonly files: readonly string[];
  readonly topics: readonly string[];
  /** Of a keepit, from 0 to 1. */
  readonly weight?: number | undefined;
  /** Who said a message. */
  readonly role?: 'user' | 'assistant' | undefined;
  /** How sure a fact is, and what has replaced it since. */
  readonly trust?: string | undefined;
  /** Of a fact: pattern, decision, preference or fact. */
  readonly type?: string | undefined;
  readonly replacedBy?: string | undefined;
  /** The messages that it is known from, where these are several. */
  readonly sources?: readonly string[] | undefined;
  /** Of a message: which exchange of its session it belongs to, and what it is there. */
  readonly exchange?: number | undefined;
  readonly place?: 'request' | 'answer' | 'within' | 'closing' | undefined;
}

/** What is known of a project besides what was said. */
export interface DocumentSource {
  /** All that a search takes. What cannot be read is told in `failed`; layers that are not enabled are simply not there. */
  read(
    projectId: string,
    manifest: ProjectManifest | undefined,
    wanted: { takes: (kind: SearchKind) => boolean; failed: (what: string, error: KeepitError) => void },
  ): AsyncIterable<SearchDocument>;
}

/** A search that cannot be made as it was asked for. */
export class SearchError extends expectedFailure('search-', {
  'empty-query': () => ({
    message: 'There is nothing to search for.',
    hint: 'Give some words; +word and +"some words" have to be there as they are.',
  }),
  'bad-cursor': () => ({
    message: 'That is no place in the answers to this search.',
    hint: 'Give `nextCursor` of the page before, with the same words and options.',
  }),
  'bad-date': (date) => ({
    message: `${JSON.stringify(date)} is not a date.`,
    hint: 'Write 2026-01-31, a time such as 2026-01-31T12:00:00Z, or how long ago: 12h, 7d, 4w.',
  }),
  'unknown-project': (project) => ({
    message: `There is nothing in memory of ${JSON.stringify(project)}.`,
    hint: 'Name a project by its folder, or by its id as `keepit discover` lists it.',
  }),
}) {}
