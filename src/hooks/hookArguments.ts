/** Which hook a command line calls. */
export interface HookArguments {
  /** As it stands there; empty when none does. */
  readonly event: string;
  /** Which of the hooks of its event, from 1. */
  readonly piece: number;
}

/** The options of the whole program that take the next word. A test holds them against the command line's own. */
export const OPTIONS_WITH_VALUE: readonly string[] = ['--project', '-p'];

const HELP: readonly string[] = ['--help', '-h'];
const PIECE = '--piece';

/**
 * What a command line (without runtime and script) says of a hook, where it calls one. Whatever else stands there: Claude Code, which waits,
 * is never told that it was called wrongly. Undefined for all other commands, and where a person asks what this one is.
 */
export function hookArguments(argv: readonly string[]): HookArguments | undefined {
  let at = 0;
  while (argv[at]?.startsWith('-') === true) at += OPTIONS_WITH_VALUE.includes(argv[at] ?? '') ? 2 : 1;
  if (argv[at] !== 'hook') return undefined;
  const rest = argv.slice(at + 1).flatMap((word) => (word.startsWith(`${PIECE}=`) ? word.split('=', 2) : [word]));
  const event = rest.find((word, index) => !word.startsWith('-') && rest[index - 1] !== PIECE) ?? '';
  if (event === '' && argv.some((word) => HELP.includes(word))) return undefined;
  const piece = rest.includes(PIECE) ? Number(rest[rest.indexOf(PIECE) + 1]) : 1;
  return { event, piece: Number.isInteger(piece) && piece > 0 ? piece : 1 };
}
