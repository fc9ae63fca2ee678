import { removeDialog } from '../../core/presentation/memoryDialogs';
import { formatBytes } from '../../core/text/formats';
import type { Answer, Command } from '../command';
import { CliFailure } from '../cliErrors';
import { mayDelete } from '../mayDelete';

export const unregister: Command = {
  name: 'unregister',
  group: 'Memory',
  summary: 'Take a session out of memory',
  details: [
    "Removes what Keepit holds of a session: the kept original, its compressed versions and the overview of its keepits. Claude Code's own file is not touched. What was removed waits in the trash of the project: `keepit restore` brings it back.",
    'On a terminal it asks first.',
  ],
  args: [{ name: 'session', help: 'the session to remove', arity: 'one' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  examples: ['unregister e3580bc6', 'unregister e3580bc6 --yes --json'],
  async run(input, context): Promise<Answer> {
    const word = input.required(0);
    const ref = await context.scope.session(word, context.signal);
    const question = async (): Promise<string> => {
      const { title, detail } = removeDialog([await context.memory.previewUnregister(ref)], context.formats);
      return `${detail}\n${title}`;
    };
    if (!(await mayDelete(question, input, context))) throw new CliFailure('declined', word);
    const unregistered = await context.memory.unregister(ref);
    const size = unregistered.bytes === 0 ? '' : ` (${formatBytes(unregistered.bytes)})`;
    const undo = `keepit restore ${unregistered.trash} --project ${unregistered.projectId}`;
    return {
      json: { unregistered, undo },
      text: ({ style }) =>
        [
          `${style.paint('good', '✓ removed')}  ${style.paint('accent', unregistered.sessionId)}  in the trash${size}`,
          `To undo: ${undo}`,
        ].join('\n'),
    };
  },
};
