import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import { decayLevel, thresholdText } from '../../core/keepits/decay';
import { KeepitMarkError } from '../../core/keepits/keepitMarkError';
import { weightName } from '../../core/keepits/weights';
import { aggressivenessSchema } from '../../core/model/compression';
import type { DecayedKeepit, KeepitRef, SessionRef } from '../../core/sessions/results';
import { weightLabel } from '../../core/sessions/view/keepitOutlook';
import { keepitNote, outcomeText, reachText } from '../../core/sessions/view/keepitTree';
import { oneLine } from '../../core/text/cleanText';
import { joinParts, shortId } from '../../core/text/formats';
import { CliFailure } from '../cliErrors';
import { command, failedLines, failureOf } from '../command';
import type { CommandContext } from '../context';
import {
  argument,
  flag,
  needed,
  oneOf,
  option,
  optional,
  ratio,
  session,
  several,
  text,
  weight,
  whole,
} from '../fields';
import type { Content, Page, Tone } from '../page';

const WORDS_LENGTH = 200;
const SHOWN_LENGTH = 100;
const LAST = 'last';
const WEIGHT = '0.00 to 1.00, a percentage, or a preset such as important';
const MARKER = 'its id, or the beginning of it, as `keepits` prints it';
const RESUMED =
  'A session that was resumed repeats the words of the one before it: a keepit in them is changed in every session in memory that has it.';

export const keepits = command({
  name: 'keepits',
  summary: 'List what is marked never to be lost, and how heavily',
  details: [
    'With a session: its keepits, whether it is in memory or not. Without one: those of all sessions in memory of the project; sessions without a marker are not opened.',
    'Keepits that were removed, that a rewind has left behind, or whose words are gone do not count and are listed apart; so are markers with a mistake in them.',
  ],
  input: { session: optional(session, 'the session') },
  examples: ['keepits', 'keepits e3580bc6', 'keepits --all-projects --json'],
  run: async ({ session: ref }, { scope, memory, onProgress, signal }) =>
    ref === undefined
      ? memory.keepits.listProjects(await scope.projectId(), onProgress, signal)
      : memory.keepits.list(ref, signal),
  text({ keepits: live, inactive, diagnostics, failed }, page, { session: ref }) {
    const { strong, table } = page;
    // The session is named where the keepits are of several.
    const isMixed = ref === undefined;
    const listed = (some: readonly EffectiveKeepit[]): string[] =>
      table(some, (keepit) => ({
        Keepit: ['accent', shortId(keepit.markerId)],
        Weight: keepit.effectiveWeight.toFixed(2),
        Preset: weightName(keepit.effectiveWeight),
        Session: isMixed && shortId(keepit.sessionId),
        'Words…': oneLine(keepit.content, WORDS_LENGTH),
        Note: ['quiet', keepitNote(keepit)],
      }));
    const where = isMixed ? 'in the sessions that are in memory here' : 'in this session';
    return [
      live.length === 0 ? `There are no keepits ${where}.` : listed(live),
      inactive.length > 0 && ['', strong('These do not count:'), listed(inactive)],
      diagnostics.length > 0 && [
        '',
        strong('Markers with a mistake, which do not count either:'),
        table(diagnostics, ({ messageUuid, start, problem, suggestion, sessionId }) => ({
          Message: ['accent', messageUuid],
          At: String(start),
          Session: isMixed && shortId(sessionId),
          'Problem…': problem,
          'Write instead': suggestion || 'nothing',
        })),
      ],
      failed.length > 0 && ['', failedLines(failed, page)],
    ];
  },
  failure: ({ failed }) => failureOf(failed),
});

/** What was changed, and how it is undone. */
interface Changed {
  readonly marker: EffectiveKeepit | undefined;
  readonly markers: readonly EffectiveKeepit[];
  readonly undo?: string;
}

function changed(markers: readonly EffectiveKeepit[], undo?: string): Changed {
  const ids = [...new Set(markers.map(({ markerId }) => markerId))].join(' ');
  return { marker: markers[0], markers, ...(undo !== undefined && { undo: `keepit keepit ${undo} ${ids}` }) };
}

/** Says what was done to each keepit. */
function told(done: string): (result: Changed, page: Page) => string[] {
  return ({ markers, undo }, { good, accent, quiet }) => [
    ...markers.map((keepit) => {
      const { markerId, effectiveWeight, sessionId, content } = keepit;
      const words = oneLine(content, SHOWN_LENGTH);
      const weighs = weightLabel(effectiveWeight);
      const parts = [good(`✓ ${done}`), accent(shortId(markerId)), weighs, `in ${shortId(sessionId)}`, words];
      return joinParts([...parts, quiet(keepitNote(keepit))], '  ');
    }),
    ...(undo === undefined ? [] : [`To undo: ${undo}`]),
  ];
}

export const keepitAdd = command({
  name: 'keepit add',
  summary: 'Mark words that were said as a keepit; the transcript stays as it is',
  details: [
    'The message `last` is the last answer that has words. Without --start and --end the whole message is marked, as one keepit for each piece of text in it. Offsets count UTF-16 units of `text` as `keepit messages --json` prints it; the end is not included.',
  ],
  input: {
    session: argument(session, 'the session; it has to be in memory, unless --register is given'),
    message: argument(text, 'its uuid, a unique beginning of it, or its index, as `messages` prints them; or `last`'),
    weight: needed(weight, 'W', '0.00 to 1.00, a percentage, or a preset such as important', '0.80'),
    start: option(whole, 'N', 'Begin at this offset'),
    end: option(whole, 'N', 'End before this offset'),
    register: flag('Take the session into memory first, when it is not there yet'),
  },
  examples: [
    'keepit add e3580bc6 12 --weight 0.80',
    'keepit add e3580bc6 0b5c6b0e --weight pinned --start 10 --end 42',
    'keepit add current last --weight pinned --register',
  ],
  async run({ session: ref, message, register, ...request }, context) {
    if (register) await ensureRegistered(ref, context);
    const messageUuid = message === LAST ? await lastAnswer(ref, context) : message;
    return changed(await context.memory.keepits.add(ref, { messageUuid, ...request }, context.signal), 'remove');
  },
  text: told('marked'),
});

/** The last answer that has words: one that only calls tools has nothing to mark. */
async function lastAnswer(ref: SessionRef, { memory, signal }: CommandContext): Promise<string> {
  const messages = await memory.sessions.messages(ref, {}, signal);
  const last = messages.findLast((message) => message.role === 'assistant' && message.text.trim() !== '');
  if (last === undefined) throw new CliFailure('no-last-answer', ref.sessionId);
  return last.uuid;
}

async function ensureRegistered(ref: SessionRef, { memory, signal }: CommandContext) {
  const entries = await memory.sessions.list(ref.projectId);
  if (entries.some(({ sessionId }) => sessionId === ref.sessionId)) return;
  const { failed } = await memory.sessions.register([ref], undefined, signal);
  if (failed[0] !== undefined) throw new CliFailure('partly-failed', `Taking ${ref.sessionId} into memory`);
}

const inSession = option(
  session,
  'SESSION',
  'Only in this session; without it, in every session that repeats the words',
);

export const keepitWeight = command({
  name: 'keepit weight',
  summary: 'Give a keepit another weight; its own stays known',
  details: [RESUMED],
  input: { markerId: argument(text, MARKER), weight: argument(weight, WEIGHT), session: inSession },
  examples: ['keepit weight 6566736 0.80', 'keepit weight 6566736 pinned'],
  run: async ({ markerId, weight: wanted, session: ref }, context) =>
    changed(
      await changeAll([markerId], ref, context, (one) => context.memory.keepits.setWeight(one, wanted, context.signal)),
      'restore',
    ),
  text: told('weighs now'),
});

export const keepitRemove = command({
  name: 'keepit remove',
  summary: 'Let a keepit count no more; the transcript stays as it is',
  details: [RESUMED],
  input: { markerId: several(text, MARKER), session: inSession },
  examples: ['keepit remove 6566736', 'keepit remove 6566736 0f1e2d3c --session e3580bc6'],
  run: async ({ markerId, session: ref }, context) =>
    changed(
      await changeAll(markerId, ref, context, (one) => context.memory.keepits.remove(one, context.signal)),
      'restore',
    ),
  text: told('removed'),
});

export const keepitRestore = command({
  name: 'keepit restore',
  summary: 'Bring back a removed keepit; one that is there gets its own weight back',
  details: [RESUMED],
  input: { markerId: several(text, MARKER), session: inSession },
  examples: ['keepit restore 6566736'],
  run: async ({ markerId, session: ref }, context) =>
    changed(await changeAll(markerId, ref, context, (one) => context.memory.keepits.restore(one, context.signal))),
  text: told('restored'),
});

/** Changes each keepit in every session that holds it. Where some of these need no change, the others are changed all the same. */
async function changeAll(
  words: readonly string[],
  ref: SessionRef | undefined,
  { scope, memory, signal, wrong }: CommandContext,
  change: (ref: KeepitRef) => Promise<EffectiveKeepit>,
): Promise<EffectiveKeepit[]> {
  if (words.length === 0) throw wrong('Name a keepit.');
  // An id means the same keepit wherever it is typed: only what was named narrows.
  const within = ref === undefined ? { projectId: await scope.askedProject() } : { session: ref };
  const all: EffectiveKeepit[] = [];
  for (const word of words) {
    const before = all.length;
    const refused: KeepitMarkError[] = [];
    for (const one of await memory.keepits.find(word, within, signal)) {
      try {
        all.push(await change(one));
      } catch (error) {
        if (!(error instanceof KeepitMarkError)) throw error;
        refused.push(error);
      }
    }
    if (all.length === before && refused[0] !== undefined) throw refused[0];
  }
  return all;
}

const tones: Record<DecayedKeepit['outcome'], Tone> = { survives: 'good', barely: 'warning', fades: 'bad' };

export const decay = command({
  name: 'decay',
  summary: 'Tell which keepits of a session would survive a compression',
  details: [
    'A keepit survives when its weight reaches the threshold, which is the base of the level plus ratio/100 × distance/10; pinned ones (1.00) always survive. The numbers of the formula are settings: `keepit config list`.',
    'The distance is the rank of the session by recency among those of its project that are in memory, 1 = newest.',
  ],
  input: {
    session: argument(session, 'the session, in memory or not'),
    ratio: needed(ratio, 'N', 'How much smaller it gets: 30 for 30:1', '30'),
    level: option(
      oneOf(['light', ...aggressivenessSchema.options]),
      'LEVEL',
      'light (or minimal), moderate or aggressive; without it, as the ratio suggests',
    ),
    distance: option(whole, 'N', 'How many sessions ago; without it, as computed'),
  },
  examples: ['decay e3580bc6 --ratio 30 --level aggressive', 'decay e3580bc6 --ratio 10 --distance 5 --json'],
  run: async ({ session: ref, level, ...request }, { memory, signal }) =>
    memory.keepits.decayPreview(
      ref,
      { ...request, level: level === undefined || level === 'light' ? level : decayLevel(level) },
      signal,
    ),
  text({ markers, threshold, isDecayOn, ratio: times, level, distance }, { strong, table, exact, plural }) {
    const survivors = markers.filter(({ survives }) => survives).length;
    const settings = `${level} ${times}:1 at distance ${distance}`;
    if (markers.length === 0)
      return `There are no keepits in this session; the threshold would be ${thresholdText(threshold)} (${settings}).`;
    return [
      !isDecayOn && 'Decay is off in this project: every keepit is kept. This is what would happen if it was on.',
      `${strong(`Threshold ${thresholdText(threshold)}`)}  ${settings}`,
      table(markers, ({ markerId, weight: weighs, outcome, reason, reach, content }): Record<string, Content> => ({
        Keepit: ['accent', shortId(markerId)],
        Weight: weighs.toFixed(2),
        Fate: [tones[outcome], outcomeText(outcome)],
        Why: reason,
        'Words…': oneLine(content, WORDS_LENGTH),
        Reach: ['quiet', reachText(reach, times)],
      })),
      `${exact(survivors)} of ${plural(markers.length, 'keepit')} ${survivors === 1 ? 'survives' : 'survive'}.`,
    ];
  },
});
