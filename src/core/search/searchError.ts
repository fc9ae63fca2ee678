import { KeepitError, type ErrorText } from '../text/keepitError';

export type SearchReason = 'empty-query' | 'bad-date' | 'unknown-project';

const texts: Record<SearchReason, (subject: string) => ErrorText> = {
  'empty-query': () => ({
    message: 'There is nothing to search for.',
    hint: 'Give some words; "words in quotation marks" have to be there as they are.',
  }),
  'bad-date': (date) => ({
    message: `${JSON.stringify(date)} is not a date.`,
    hint: 'Write 2026-01-31, a time such as 2026-01-31T12:00:00Z, or how long ago: 12h, 7d, 4w.',
  }),
  'unknown-project': (project) => ({
    message: `There is nothing in memory of ${JSON.stringify(project)}.`,
    hint: 'Name a project by its folder, or by its id as `keepit discover` lists it.',
  }),
};

/** A search that cannot be made as it was asked for. */
export class SearchError extends KeepitError {
  readonly reason: SearchReason;

  constructor(reason: SearchReason, subject = '') {
    super(`search-${reason}`, texts[reason](subject));
    this.reason = reason;
  }
}
