import { expectedFailure } from '../../text/keepitError';

/** A notebook that cannot be read or written as was asked. What was there before is still there. */
export class NotebookError extends expectedFailure('notebook-', {
  'no-master': (file) => ({
    message: `There is no ${file} yet.`,
    hint: '`keepit summarize` writes summaries of sessions, and `keepit synthesize` makes it of them.',
  }),
  'foreign-master': (count) => ({
    message: `There is no memory of this project yet, but what was found in it and is not yours: ${count}.`,
    hint: '`keepit notebook accept --dry-run` shows it, and `keepit notebook accept` takes it over.',
  }),
  'bad-scope': (scope) => ({
    message: `${JSON.stringify(scope)} cannot be the name of a scope.`,
    hint: 'A scope is a plain name such as frontend; it becomes a folder of the notebook.',
  }),
  'no-summaries': (folder) => ({
    message: `There are no summaries in ${folder}.`,
    hint: '`keepit summarize <session>` writes one.',
  }),
  'nothing-said': (sessionId) => ({
    message: `Nothing was said in ${sessionId}: there is nothing to summarize.`,
    hint: '`keepit show` tells how its transcript was read.',
  }),
  'not-an-archive': (file) => ({
    message: `${file} is no exported notebook.`,
    hint: '`keepit notebook export` writes one.',
  }),
  'damaged-archive': (file) => ({
    message: `${file} is damaged: its checksum is not that of what it holds. Nothing was changed.`,
    hint: 'Export the notebook again.',
  }),
  differs: (names) => ({
    message: `The notebook has other texts already: ${names}. Nothing was changed.`,
    hint: '`--merge` keeps those, `--replace` moves them into the archive.',
  }),
  changed: (folder) => ({
    message: `${folder} was changed while what is to be written was looked at. Nothing was written.`,
    hint: '`keepit synthesize` shows what would be written now.',
  }),
  'changed-since': (file) => ({
    message: `${file.slice(file.lastIndexOf('/') + 1)} was changed since it was written. Nothing was taken back.`,
    hint: 'What was put into it would be lost: change it by hand.',
  }),
}) {}
