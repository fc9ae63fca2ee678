import { expectedFailure, KeepitError } from '../core/text/keepitError';

/** The command line was wrong: nothing has been done. Ends with exit code 2. */
export class UsageError extends KeepitError {
  /** The command whose help answers the question, when it is known. */
  readonly command: string | undefined;

  constructor(message: string, options: { command?: string | undefined; suggestion?: string | undefined } = {}) {
    const help = `keepit ${options.command === undefined ? '' : `${options.command} `}--help`;
    const meant = options.suggestion === undefined ? '' : `Did you mean ${options.suggestion}? `;
    super('usage', { message, hint: `${meant}\`${help}\` shows what there is.` });
    this.command = options.command;
  }
}

/** An expected failure that only the command line knows. */
export class CliFailure extends expectedFailure('', {
  'project-not-found': (subject) => ({
    message: `There is no project ${JSON.stringify(subject)}.`,
    hint: '`keepit discover --all-projects` lists all projects; a project is named by its folder, its id or its name.',
  }),
  'project-ambiguous': (subject) => ({
    message: `Several projects are called ${JSON.stringify(subject)}.`,
    hint: '`keepit discover --all-projects` lists them with their folders; name one by its folder.',
  }),
  'project-needed': (subject) => ({
    message: `${subject} is a setting of one project, and this folder is none that Claude Code has worked in.`,
    hint: 'Name one with `--project`.',
  }),
  'not-in-trash': (subject) => ({
    message: `The trash of no project holds ${JSON.stringify(subject)}.`,
    hint: 'Write the name as `keepit unregister` printed it.',
  }),
  'partly-failed': (subject) => ({
    message: `${subject} could not be done.`,
    hint: 'The others are done; see `failed` for the reasons, and repeat the command when they are gone.',
  }),
  kept: (subject) => ({ message: `Nothing was removed: ${subject} stays.`, hint: '`--yes` removes without asking.' }),
  'not-compressed': (subject) => ({
    message: `${subject} was not compressed: no model was asked.`,
    hint: '`--yes` goes on without asking; `--provider local` costs nothing.',
  }),
  'not-read': (subject) => ({
    message: `${subject} no model was asked.`,
    hint: '`--dry-run` tells what it would cost; `--yes` goes on without asking.',
  }),
  'versions-in-use': (subject) => ({
    message: `Compositions use ${subject}: not deleted.`,
    hint: 'Delete those compositions, or use `--force`.',
  }),
  'nothing-to-compose': (subject) => ({
    message: `There are no sessions in memory ${subject}.`,
    hint: '`keepit register --all` keeps them; `--project` says which project is meant.',
  }),
  'file-exists': (subject) => ({
    message: `${subject} is there already. Nothing was written.`,
    hint: 'Choose another name, or remove the file.',
  }),
  'file-not-written': (subject) => ({
    message: `${subject} could not be written.`,
    hint: 'Check that its folder exists and that you may write there.',
  }),
  'no-current-session': (subject) => ({
    message: `There is no ${subject} session: this was not called by Claude Code.`,
    hint: 'Name a session by its id; `keepit discover` lists them.',
  }),
  'no-last-answer': (subject) => ({
    message: `There is no answer yet in ${subject} that could be marked.`,
    hint: '`keepit messages <session>` lists what was said.',
  }),
  'answer-not-written': (subject) => ({
    message: `The answer could not be written (${subject}).`,
    hint: 'What was asked for is done; see where the output goes.',
  }),
  'file-failed': (subject) => ({
    message: `The system refused what was to be done with a file: ${subject}.`,
    hint: 'Check the disk and who may use the folder, and try again; `keepit doctor` looks all folders over.',
  }),
  'left-out': (count) => ({
    message: `${count} of it were left out: what is here is another.`,
    hint: '`--replace` takes what is in the archive, and moves what is here to the trash.',
  }),
  'port-taken': (port) => ({
    message: `Port ${port} is taken by another program.`,
    hint: 'Choose another one, or none: then a free one is taken.',
  }),
  'no-claude': (command) => ({
    message: 'The command `claude` was not found on this machine.',
    hint: `Install Claude Code, and run ${command}`,
  }),
  'claude-ended': (code) => ({
    message: `Claude Code ended with ${code}.`,
    hint: '`keepit resume … --print` prints what was started.',
  }),
  'left-alone': (subject) => ({ message: `${subject} stays as it is.`, hint: '`--yes` goes on without asking.' }),
}) {}

/** The exit codes of the command line. Hooks have their own table: they always exit with 0. */
export const exitCodes = {
  done: 0,
  /** An expected failure, told in one line. */
  failure: 1,
  /** The command line itself was wrong. */
  usage: 2,
  /** A bug of ours: the only case in which a stack is printed. */
  bug: 70,
  /** Ended by Ctrl-C (128 + SIGINT). */
  interrupted: 130,
  /** Ended by `kill` (128 + SIGTERM). */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
