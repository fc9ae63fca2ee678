import { expectedFailure } from '../../text/keepitError';

/** A set-up of Claude Code that cannot be made or taken back. The settings are as they were. */
export class SetupError extends expectedFailure('setup-', {
  'broken-settings': (file, detail) => ({
    message: `${file} is no valid JSON: ${detail}. Nothing was changed.`,
    hint: 'Correct the file; Claude Code cannot read it either.',
  }),
  'unfit-settings': (file, detail) => ({
    message: `${file} cannot take the entries: ${detail}. Nothing was changed.`,
    hint: 'Correct the file; Claude Code expects an object there.',
  }),
  'not-utf8': (file) => ({
    message: `${file} is no UTF-8 text. Nothing was changed.`,
    hint: 'Save it as UTF-8.',
  }),
  'dangling-link': (file) => ({
    message: `${file} is a symbolic link that leads nowhere. Nothing was changed.`,
    hint: 'Make the file that it leads to, or remove the link.',
  }),
  'not-permitted': (file) => ({
    message: `${file} may not be written by this user. What had been written before it was taken back.`,
    hint: 'Give yourself write access to the file and its folder; where another tool makes it, add the entries that `--dry-run` shows there.',
  }),
  changed: (file) => ({
    message: `${file} has changed since it was looked at. Nothing was changed.`,
    hint: 'Try again.',
  }),
  'other-mode': (where, mode) => ({
    message: `Keepit is set up ${where} as ${mode} already; together, every hook would run twice. Nothing was changed.`,
    hint: 'Take that out first with `keepit uninstall-hooks`.',
  }),
  'not-installed': (where) => ({
    message: `Keepit is not set up ${where}.`,
    hint: '`keepit install-hooks --dry-run` shows what setting it up would do; `--scope` says where.',
  }),
  'no-plugin': (folder) => ({
    message: `The plugin for Claude Code is not in ${folder}, or not whole.`,
    hint: 'Install Keepit again; in a checkout, run `npm run build`.',
  }),
  'no-folder': (folder) => ({
    message: `There is no folder ${folder}.`,
    hint: 'Name the project’s folder with `--project`.',
  }),
  'newer-record': (file) => ({
    message: `${file} was written by a newer Keepit.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  io: (file, detail) => ({
    message: `${file} could not be read or written: ${detail}. What had been written before it was taken back.`,
    hint: 'Check the disk that holds it, and try again.',
  }),
}) {}
