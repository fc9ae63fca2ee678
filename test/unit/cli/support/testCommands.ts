import type { Answer, Command } from '../../../../src/cli/command';
import type { CommandInput } from '../../../../src/cli/commandInput';

/** A command with one of everything, which answers with what it was given. */
export function echoCommand(name: string, part: Partial<Command> = {}): Command {
  return {
    name,
    group: 'Sessions',
    summary: `Tell what ${name} was given`,
    details: [],
    args: [{ name: 'session', help: 'the session', arity: 'optional' }],
    options: {
      from: { type: 'string', value: 'N', help: 'Begin with message N' },
      all: { type: 'boolean', short: 'a', help: 'Everything' },
    },
    examples: [name],
    run: async (input) => echo(input),
    ...part,
  };
}

function echo(input: CommandInput): Answer {
  const json = { args: input.args, from: input.text('from'), all: input.has('all'), project: input.text('project') };
  return { json, text: ({ style }) => style.paint('good', `args: ${input.args.join(' ')}`) };
}
