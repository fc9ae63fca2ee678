/** Which hook a command line calls. */
export interface HookArguments {
  /** As it stands there; empty when none does. */
  readonly event: string;
  /** Older set-ups have several hooks for one event: the first one says everything. */
  readonly isLeftover: boolean;
  /** It asks for nothing but what is decided about the file of the tool. */
  readonly isFileNote: boolean;
}

/** The options of the whole program that take the next word. A test holds them against the command line's own. */
export const OPTIONS_WITH_VALUE: readonly string[] = ['--project', '-p'];

const HELP: readonly string[] = ['--help', '-h'];
const PIECE = '--piece';
const FILE_NOTE = '--file-note';

/**
 * What a command line (without runtime and script) says of a hook, where it calls one. Whatever else stands there: Claude Code, which waits,
 * is never told that it was called wrongly. Undefined for all other commands, and where a person asks what this one is.
 */
export function hookArguments(argv: readonly string[]): HookArguments | undefined {
  let at = 0;
  while (argv[at]?.startsWith('-') === true) at += OPTIONS_WITH_VALUE.includes(argv[at] ?? '') ? 2 : 1;
  if (argv[at] !== 'hook') return undefined;
  const rest = argv.slice(at + 1);
  const event = rest.find((word, index) => !word.startsWith('-') && rest[index - 1] !== PIECE) ?? '';
  if (event === '' && argv.some((word) => HELP.includes(word))) return undefined;
  const isLeftover = rest.includes(PIECE) && Number(rest[rest.indexOf(PIECE) + 1]) > 1;
  return { event, isLeftover, isFileNote: rest.includes(FILE_NOTE) };
}
