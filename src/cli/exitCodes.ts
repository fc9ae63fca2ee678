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
