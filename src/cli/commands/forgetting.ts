import type { ErasePlace } from '../../core/forgettingPort';
import type { Erased, EraseTarget, NotRemembered } from '../../core/forgetting';
import { nameOfNever } from '../../core/model/forgotten';
import { CliFailure } from '../cliErrors';
import { type Answer, type Command, type CommandContext, type Page, flag, mayDelete, valued } from '../command';
import type { CommandInput } from '../commandInput';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MOST_FILES = 20;

export const erase: Command = {
  name: 'erase',
  group: 'Memory',
  summary: 'Take words, a message or a session out of everything that is kept',
  details: [
    'Kept transcripts, versions, compositions, layers, notes, caches, the trash: what is to go is overwritten wherever it stands, and so is what was made of it. Nothing brings it back, and it does not come again: keyed hashes say what is not to be taken in, never the words.',
    "Claude Code's own files stay as they are; those that still have it are named.",
  ],
  args: [
    { name: 'session', help: 'the session', arity: 'optional' },
    { name: 'message', help: 'the uuid of one message; without it, the whole session goes', arity: 'optional' },
  ],
  options: {
    text: valued('T', 'Instead: these words, wherever they stand; `-` reads them from stdin'),
    'dry-run': flag('Show where it stands, and change nothing'),
    yes: flag('Do not ask'),
  },
  examples: ['erase --text sk-live-51H --dry-run', 'erase e3580bc6 0a1b2c3d-0000-4000-8000-000000000000 --yes'],
  async run(input, context) {
    const { memory, signal } = context;
    const target = await targetOf(input, context);
    const found = await memory.forgetting.erase(target, { isDryRun: true }, signal);
    if (input.has('dry-run')) return erasedAnswer(found);
    const question = (): string => `Erase it from ${filesText(found.places)}, for good?`;
    if (!input.has('yes') && context.confirm !== undefined && !(await context.confirm(question())))
      throw new CliFailure('kept', 'it');
    return erasedAnswer(await memory.forgetting.erase(target, {}, signal));
  },
};

async function targetOf(input: CommandInput, { scope, signal }: CommandContext): Promise<EraseTarget> {
  const text = input.text('text');
  const [session, message] = input.args;
  if ((text === undefined) === (session === undefined)) throw input.wrong('Name a session, or say --text; not both.');
  if (text === '-') return { text: await stdinText() };
  if (text !== undefined) return { text };
  return { ...(await scope.session(input.required(0), signal)), message };
}

async function stdinText(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
  return text.trim();
}

function filesText(places: readonly ErasePlace[]): string {
  return places.length === 1 ? '1 file' : `${places.length} files`;
}

function erasedAnswer({ places, erased, stillIn }: Erased): Answer {
  return {
    json: { places, erased, stillIn },
    text: ({ style }) => {
      const where =
        places.length === 0 ? 'Nothing that is kept says it.' : `${erased ? 'Erased from' : 'It stands in'}:`;
      const claudes = stillIn.map((file) => `  ${file}`);
      return [
        where,
        ...placeLines(places),
        ...(claudes.length === 0 ? [] : [style.paint('quiet', "Claude Code's own files still have it:"), ...claudes]),
      ].join('\n');
    },
  };
}

function placeLines(places: readonly ErasePlace[]): string[] {
  const lines = places.slice(0, MOST_FILES).map(({ kind, file, count }) => `  ${kind}  ${file}  ${count}×`);
  const left = places.length - lines.length;
  return left === 0 ? lines : [...lines, `  and ${left} more; --json lists all`];
}

export const never: Command = {
  name: 'never',
  group: 'Memory',
  summary: 'List what is never remembered',
  examples: ['never', 'never --json'],
  async run(_input, { memory }) {
    return neverAnswer(await memory.forgetting.notRemembered());
  },
};

export const neverAdd: Command = {
  name: 'never add',
  group: 'Memory',
  summary: 'Take nothing more from a folder, with all below it, or from a session',
  details: [
    '`current` is the session of Claude Code that this is called in: the rest of it is not remembered. What is kept already stays; `keepit erase` takes it away.',
  ],
  args: [{ name: 'what', help: 'a folder, or a session', arity: 'one' }],
  examples: ['never add ~/src/secret-client', 'never add current'],
  async run(input, context) {
    const folder = await context.scope.folderNamed(input.required(0));
    const what = folder === undefined ? await context.scope.session(input.required(0), context.signal) : { folder };
    return neverAnswer(await context.memory.forgetting.never(what));
  },
};

export const neverRemove: Command = {
  name: 'never remove',
  group: 'Memory',
  summary: 'Remember a folder or a session again',
  args: [{ name: 'what', help: 'the folder, or the session', arity: 'one' }],
  examples: ['never remove ~/src/secret-client'],
  async run(input, { memory, scope }) {
    const word = input.required(0);
    return neverAnswer(await memory.forgetting.allow((await scope.folderNamed(word)) ?? word));
  },
};

export const pause: Command = {
  name: 'pause',
  group: 'Memory',
  summary: 'Remember nothing of what is said from now on, in any session',
  details: ['What was said in a pause is never remembered, also not later.'],
  options: { for: valued('TIME', 'How long, such as 30m, 2h or 1d; without it, until `keepit unpause`') },
  examples: ['pause', 'pause --for 2h'],
  async run(input, { memory }) {
    const wanted = input.text('for');
    const [, number, unit] = /^(\d{1,4})([mhd])$/.exec(wanted ?? '') ?? [];
    if (wanted !== undefined && unit !== 'm' && unit !== 'h' && unit !== 'd')
      throw input.wrong(`--for takes a time such as 30m, 2h or 1d, not ${JSON.stringify(wanted)}.`);
    const forMs = unit === 'm' || unit === 'h' || unit === 'd' ? Number(number) * UNITS[unit] : undefined;
    return neverAnswer(await memory.forgetting.pause(forMs));
  },
};

export const unpause: Command = {
  name: 'unpause',
  group: 'Memory',
  summary: 'Remember what is said again',
  examples: ['unpause'],
  async run(_input, { memory }) {
    return neverAnswer(await memory.forgetting.unpause());
  },
};

function neverAnswer({ never: all, isPaused, until }: NotRemembered): Answer {
  const paused =
    until === undefined ? 'Paused: nothing is remembered until `keepit unpause`.' : `Paused until ${until}.`;
  return {
    json: { never: all, paused: isPaused, ...(until !== undefined && { until }) },
    text: () =>
      [isPaused ? paused : 'What is said is remembered.', ...all.map((one) => `Never: ${nameOfNever(one)}`)].join('\n'),
  };
}

export const cleanUp: Command = {
  name: 'clean-up',
  group: 'Memory',
  summary: 'Take all away that is kept of a project, for good',
  details: ['Shows what there is first. Claude Code’s own transcripts stay as they are.'],
  options: { 'dry-run': flag('Show what is kept, and change nothing'), yes: flag('Do not ask') },
  examples: ['clean-up --dry-run', 'clean-up --project ~/src/old --yes'],
  async run(input, context) {
    const { memory, scope } = context;
    const projectId = await scope.projectId();
    if (projectId === undefined) throw new CliFailure('project-needed', 'What is kept');
    if (input.has('dry-run')) return cleanedAnswer(await memory.forgetting.stored(projectId), false);
    const stored = await memory.forgetting.stored(projectId);
    const question = (): string => `Delete ${filesText(stored)} of ${projectId}, for good?`;
    const isAllowed = input.has('yes') || (await mayDelete(question, input, context));
    if (!isAllowed) throw new CliFailure('kept', projectId);
    return cleanedAnswer(await memory.forgetting.cleanUp(projectId), true);
  },
};

function cleanedAnswer(places: ErasePlace[], removed: boolean): Answer {
  return {
    json: { places, removed },
    text: (page: Page) => {
      const kinds = new Map<string, number>();
      for (const { kind } of places) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const lines = [...kinds].map(([kind, count]) => `  ${kind}  ${page.formats.plural(count, 'file')}`);
      if (places.length === 0) return 'Nothing is kept of it.';
      return [removed ? 'Deleted:' : 'Kept of it:', ...lines].join('\n');
    },
  };
}
