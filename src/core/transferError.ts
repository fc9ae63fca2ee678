import { expectedFailure } from './text/keepitError';

/** Memory could not be written into an archive, or read from one. Nothing was changed. */
export class TransferError extends expectedFailure('', {
  'file-there': (file) => ({ message: `${file} is there already.`, hint: 'Choose another name, or remove the file.' }),
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
