import type { ProjectManifest } from '../model/manifest';
import type { KeepitError } from '../text/keepitError';

/** Where something that was found is kept. */
export const SEARCH_KINDS = [
  'fact',
  'keepit',
  'note',
  'memory',
  'concept',
  'exchange',
  'composition',
  'message',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** One thing that can be found. */
export interface SearchDocument {
  readonly kind: SearchKind;
  readonly projectId: string;
  /** What it is called where it is kept: a fact's id, a note's file, a composition's name, a message's uuid. Unique with kind and project. */
  readonly id: string;
  readonly text: string;
  /** What it is about, in a few words: counts more than the text. */
  readonly title?: string;
  /** What stands beside the text, such as what tools were used on: counts less. */
  readonly aside?: string;
  readonly sessionId?: string;
  readonly messageUuid?: string;
  /** ISO. */
  readonly timestamp?: string;
  /** Paths as they were written. */
  readonly files: readonly string[];
  readonly topics: readonly string[];
  /** Of a keepit, from 0 to 1. */
  readonly weight?: number;
  /** Who said a message. */
  readonly role?: 'user' | 'assistant';
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
