import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Delivered } from '../../core/compositions/deliveries';
import { deliveryTargetSchema } from '../../core/model/composition';
import { CliFailure } from '../cliErrors';
import type { Answer, Command, Page } from '../command';
import type { CommandInput } from '../commandInput';
import { namedComposition } from '../compositionScope';

const targets = deliveryTargetSchema.options.filter((target) => target !== 'clipboard');

export const deliver: Command = {
  name: 'deliver',
  group: 'Compositions',
  summary: 'Hand a composition over to Claude Code',
  details: [
    '`resume` writes a transcript of its own and prints the command that resumes it: run it in the project’s folder. `next-session` arms the composition: the SessionStart hook hands it to the next session of the project, once. `stdout` prints the text, `file` writes it.',
    '`keepit arrived` tells afterwards whether a session got it.',
  ],
  args: [{ name: 'name', help: 'its name, as `compositions` prints it', arity: 'one' }],
  options: {
    to: { type: 'string', value: 'TARGET', help: targets.join(', ') },
    out: {
      type: 'string',
      value: 'F',
      help: 'With --to file: where the Markdown is written; never over a file that is there',
    },
  },
  examples: [
    'deliver feature-x --to resume',
    'deliver feature-x --to next-session',
    'deliver feature-x --to stdout | claude -p "Go on with this"',
    'deliver feature-x --to file --out context.md',
  ],
  async run(input, context): Promise<Answer> {
    const to = targetOf(input);
    const out = input.text('out');
    if ((to === 'file') !== (out !== undefined)) throw input.wrong('--to file and --out FILE belong together.');
    const { projectId, record } = await namedComposition(input.required(0), context);
    const { saved, deliveries } = context.memory.compositions;
    const file = out === undefined ? undefined : path.resolve(out);
    if (file !== undefined) await writeNew(file, await saved.text(projectId, record.name, 'markdown'));
    const delivered = await deliveries.deliver(projectId, record.name, to, file === undefined ? {} : { file });
    return { json: { delivered: jsonOf(delivered) }, text: (page) => deliveredText(delivered, record.name, page) };
  },
};

export const arrived: Command = {
  name: 'arrived',
  group: 'Compositions',
  summary: 'Tell whether a composition reached a session',
  details: [
    'Looks into the sessions that were written to since it was handed over: for the line with its id in what was sent or put in by a hook, and for its records where a session goes on from them.',
  ],
  args: [{ name: 'name', help: 'its name, as `compositions` prints it', arity: 'one' }],
  options: {},
  examples: ['arrived feature-x', 'arrived feature-x --json'],
  async run(input, context): Promise<Answer> {
    const { projectId, record } = await namedComposition(input.required(0), context);
    const arrival = await context.memory.compositions.deliveries.arrived(projectId, record.name, context.signal);
    const { sessionId, evidence } = arrival;
    return {
      json: arrival,
      text: ({ style }) => {
        if (arrival.arrived === 'unknown') return `${style.paint('quiet', '? not known')}  ${evidence}`;
        if (!arrival.arrived) return `${style.paint('bad', '✗ did not arrive')}  ${evidence}`;
        return `${style.paint('good', '✓ arrived')}  ${style.paint('accent', sessionId ?? '')}  ${evidence}`;
      },
    };
  },
};

export const disarm: Command = {
  name: 'disarm',
  group: 'Compositions',
  summary: 'Let the next session start without the composition that waits for it',
  details: [],
  args: [],
  options: {},
  examples: ['disarm', 'disarm --project ~/code/tidewatch'],
  async run(input, { scope, memory }): Promise<Answer> {
    const projectId = await scope.projectId();
    if (projectId === undefined) throw input.wrong('Say of which project: --project PATH.');
    const disarmed = await memory.compositions.deliveries.disarm(projectId);
    return {
      json: { disarmed, projectId },
      text: ({ style }) => (disarmed ? `${style.paint('good', '✓ disarmed')}  ${projectId}` : 'Nothing was waiting.'),
    };
  },
};

function targetOf(input: CommandInput): Delivered['to'] {
  const text = input.text('to');
  if (text === undefined) throw input.wrong('Say where to: --to resume.');
  const target = deliveryTargetSchema.safeParse(text);
  if (!target.success || target.data === 'clipboard') throw input.wrong(`--to is one of: ${targets.join(', ')}.`);
  return target.data;
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CliFailure(isThere ? 'file-exists' : 'file-not-written', file, { cause: error });
  }
}

function jsonOf({ armed, ...delivered }: Delivered): object {
  if (armed === undefined) return delivered;
  return { ...delivered, pieces: armed.pieces.length, isWhole: armed.rest === undefined };
}

function deliveredText(delivered: Delivered, name: string, { style, formats }: Page): string {
  const { to, tokens, file, command, armed, text } = delivered;
  if (to === 'stdout') return (text ?? '').trimEnd();
  const done = `${style.paint('good', '✓ delivered')}  ${name}  ${formats.exact(tokens)} tokens`;
  if (command !== undefined)
    return [done, '', '  Run this in the project’s folder:', `  ${style.paint('accent', command)}`].join('\n');
  if (armed === undefined) return `${done}  ${file ?? ''}`;
  const whole =
    armed.rest === undefined
      ? ''
      : `\n  Only its beginning and what is pinned in the rest: the whole is too long for hooks, and is named there. \`--to resume\` brings all of it.`;
  return `${done}  waits for the next session of this project${whole}`;
}
