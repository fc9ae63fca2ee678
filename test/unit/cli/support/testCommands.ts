import { command, type Command } from '../../../../src/cli/command';
import { flag, option, optional, text, whole } from '../../../../src/cli/fields';

/** A command with one of everything, which answers with what it was given. */
export function echoCommand(name: string, part: Partial<Command> = {}): Command {
  const echo = command({
    name,
    group: 'Sessions',
    summary: `Tell what ${name} was given`,
    details: [],
    input: {
      session: optional(text, 'the session'),
      from: option(whole, 'N', 'Begin with message N'),
      all: flag('Everything', 'a'),
    },
    examples: [name],
    run: async ({ session, from, all }, { scope }) => ({ all, session, from, project: scope.asked }),
    text: ({ session }, { good }) => good(`session: ${String(session)}`),
  });
  return { ...echo, ...part };
}
