import { expectedFailure } from './text/keepitError';

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
