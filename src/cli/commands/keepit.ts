import { KeepitMarkError } from '../../core/keepits/keepitMarkError';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import { parseWeight } from '../../core/keepits/weights';
import { oneLine } from '../../core/text/cleanText';
import { shortId } from '../../core/text/formats';
import { keepitNote } from '../../core/presentation/keepitTexts';
import type { KeepitRef, SessionRef } from '../../core/sessions/results';
import { CliFailure } from '../cliErrors';
import type { Answer, ArgumentSpec, Command, CommandContext, OptionSpecs, Page } from '../command';
import type { CommandInput } from '../commandInput';
import { weightLabel } from '../../core/presentation/keepitOutlook';

const WORDS_LENGTH = 100;
const LAST = 'last';

const onlySession: OptionSpecs = {
  session: {
    type: 'string',
    value: 'SESSION',
    help: 'Only in this session; without it, in every session that repeats the words',
  },
};

const keepitArgument: ArgumentSpec = {
  name: 'markerId',
  help: 'its id, or the beginning of it, as `keepits` prints it',
  arity: 'one',
};
const keepitArguments: ArgumentSpec = { ...keepitArgument, arity: 'any' };

const RESUMED =
  'A session that was resumed repeats the words of the one before it: a keepit in them is changed in every session in memory that has it.';

export const keepitAdd: Command = {
  name: 'keepit add',
  group: 'Keepits',
  summary: 'Mark words that were said as a keepit; the transcript stays as it is',
  details: [
    'The message `last` is the last answer that has words. Without --start and --end the whole message is marked, as one keepit for each piece of text in it. Offsets count UTF-16 units of `text` as `keepit messages --json` prints it; the end is not included.',
  ],
  args: [
    { name: 'session', help: 'the session; it has to be in memory, unless --register is given', arity: 'one' },
    {
      name: 'message',
      help: 'its uuid, a unique beginning of it, or its index, as `messages` prints them; or `last`',
      arity: 'one',
    },
  ],
  options: {
    weight: { type: 'string', value: 'W', help: '0.00 to 1.00, a percentage, or a preset such as important' },
    start: { type: 'string', value: 'N', help: 'Begin at this offset' },
    end: { type: 'string', value: 'N', help: 'End before this offset' },
    register: { type: 'boolean', help: 'Take the session into memory first, when it is not there yet' },
  },
  examples: [
    'keepit add e3580bc6 12 --weight 0.80',
    'keepit add e3580bc6 0b5c6b0e --weight pinned --start 10 --end 42',
    'keepit add current last --weight pinned --register',
  ],
  async run(input, context): Promise<Answer> {
    const { scope, memory, signal } = context;
    const weight = weightOf(input, input.text('weight') ?? missingWeight(input));
    const [start, end] = [input.count('start'), input.count('end')];
    const word = input.required(1);
    const ref = await scope.session(input.required(0), signal);
    if (input.has('register')) await ensureRegistered(ref, context);
    const messageUuid = word === LAST ? await lastAnswer(ref, context) : word;
    const markers = await memory.addKeepit(ref, { messageUuid, weight, start, end }, signal);
    return answerOf('marked', markers, `keepit keepit remove ${idsOf(markers)}`);
  },
};

export const keepitWeight: Command = {
  name: 'keepit weight',
  group: 'Keepits',
  summary: 'Give a keepit another weight; its own stays known',
  details: [RESUMED],
  args: [
    keepitArgument,
    { name: 'weight', help: '0.00 to 1.00, a percentage, or a preset such as important', arity: 'one' },
  ],
  options: onlySession,
  examples: ['keepit weight 6566736 0.80', 'keepit weight 6566736 pinned'],
  async run(input, context): Promise<Answer> {
    const weight = weightOf(input, input.required(1));
    const markers = await changeAll([input.required(0)], input, context, (ref) =>
      context.memory.setKeepitWeight(ref, weight, context.signal),
    );
    return answerOf('weighs now', markers, `keepit keepit restore ${idsOf(markers)}`);
  },
};

export const keepitRemove: Command = {
  name: 'keepit remove',
  group: 'Keepits',
  summary: 'Let a keepit count no more; the transcript stays as it is',
  details: [RESUMED],
  args: [keepitArguments],
  options: onlySession,
  examples: ['keepit remove 6566736', 'keepit remove 6566736 0f1e2d3c --session e3580bc6'],
  async run(input, context): Promise<Answer> {
    input.required(0);
    const markers = await changeAll(input.args, input, context, (ref) =>
      context.memory.removeKeepit(ref, context.signal),
    );
    return answerOf('removed', markers, `keepit keepit restore ${idsOf(markers)}`);
  },
};

export const keepitRestore: Command = {
  name: 'keepit restore',
  group: 'Keepits',
  summary: 'Bring back a removed keepit; one that is there gets its own weight back',
  details: [RESUMED],
  args: [keepitArguments],
  options: onlySession,
  examples: ['keepit restore 6566736'],
  async run(input, context): Promise<Answer> {
    input.required(0);
    const markers = await changeAll(input.args, input, context, (ref) =>
      context.memory.restoreKeepit(ref, context.signal),
    );
    return answerOf('restored', markers);
  },
};

/** The last answer that has words: one that only calls tools has nothing to mark. */
async function lastAnswer(ref: SessionRef, { memory, signal }: CommandContext): Promise<string> {
  const messages = await memory.messages(ref, {}, signal);
  const last = messages.findLast(({ role, text }) => role === 'assistant' && text.trim() !== '');
  if (last === undefined) throw new CliFailure('no-last-answer', ref.sessionId);
  return last.uuid;
}

async function ensureRegistered(ref: SessionRef, { memory, signal }: CommandContext): Promise<void> {
  const entries = await memory.sessions(ref.projectId);
  if (entries.some(({ sessionId }) => sessionId === ref.sessionId)) return;
  const { failed } = await memory.register([ref], undefined, signal);
  if (failed[0] !== undefined) throw new CliFailure('partly-failed', `Taking ${ref.sessionId} into memory`);
}

function missingWeight(input: CommandInput): never {
  throw input.wrong('The weight is missing: --weight 0.80.');
}

function weightOf(input: CommandInput, text: string): number {
  const parsed = parseWeight(text);
  if ('problem' in parsed) throw input.wrong(`${JSON.stringify(text)} is no weight. ${parsed.problem}`);
  return parsed.weight;
}

/** Changes each keepit in every session that holds it. Where some of these need no change, the others are changed all the same. */
async function changeAll(
  words: readonly string[],
  input: CommandInput,
  { scope, memory, signal }: CommandContext,
  change: (ref: KeepitRef) => Promise<EffectiveKeepit>,
): Promise<EffectiveKeepit[]> {
  const session = input.text('session');
  // An id means the same keepit wherever it is typed: only what was named narrows.
  const within =
    session !== undefined
      ? { session: await scope.session(session, signal) }
      : { projectId: input.has('project') ? await scope.projectId() : undefined };
  const changed: EffectiveKeepit[] = [];
  for (const word of words) {
    const before = changed.length;
    const refused: KeepitMarkError[] = [];
    for (const ref of await memory.findKeepit(word, within, signal)) {
      try {
        changed.push(await change(ref));
      } catch (error) {
        if (!(error instanceof KeepitMarkError)) throw error;
        refused.push(error);
      }
    }
    if (changed.length === before && refused[0] !== undefined) throw refused[0];
  }
  return changed;
}

function idsOf(markers: readonly EffectiveKeepit[]): string {
  return [...new Set(markers.map(({ markerId }) => markerId))].join(' ');
}

function answerOf(done: string, markers: readonly EffectiveKeepit[], undo?: string): Answer {
  return {
    json: { marker: markers[0], markers, undo },
    text: (page) =>
      [
        ...markers.map((marker) => markerLine(done, marker, page)),
        ...(undo === undefined ? [] : [`To undo: ${undo}`]),
      ].join('\n'),
  };
}

function markerLine(done: string, keepit: EffectiveKeepit, { style }: Page): string {
  const note = keepitNote(keepit);
  return [
    style.paint('good', `✓ ${done}`),
    style.paint('accent', shortId(keepit.markerId)),
    weightLabel(keepit.effectiveWeight),
    `in ${shortId(keepit.sessionId)}`,
    oneLine(keepit.content, WORDS_LENGTH),
    ...(note === '' ? [] : [style.paint('quiet', note)]),
  ].join('  ');
}
