import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import { weightName, parseWeight } from '../../core/keepits/weights';
import { oneLine } from '../../core/text/cleanText';
import { shortId } from '../../core/text/formats';
import { keepitNote, outcomeText, reachText } from '../../core/sessions/view/keepitTree';
import type { KeepitListing, KeepitRef, SessionRef, DecayedKeepit, DecayPreview } from '../../core/sessions/results';
import {
  type Answer,
  type Command,
  type Page,
  type ArgumentSpec,
  type CommandContext,
  type OptionSpecs,
  flag,
  valued,
} from '../command';
import { renderTable, type Cell, type Column, type Tone } from '../terminal';
import { KeepitMarkError } from '../../core/keepits/keepitMarkError';
import { CliFailure } from '../cliErrors';
import type { CommandInput } from '../commandInput';
import { weightLabel } from '../../core/sessions/view/keepitOutlook';
import { aggressivenessSchema } from '../../core/model/compression';
import { decayLevel, thresholdText, type DecayLevel } from '../../core/keepits/decay';
import { failedLines, failureOf } from './registering';

const WORDS_LENGTH = 200;

const columns: readonly Column[] = [
  { title: 'Keepit' },
  { title: 'Weight', align: 'right' },
  { title: 'Preset' },
  { title: 'Session' },
  { title: 'Words', isFlexible: true },
  { title: 'Note' },
];

const problemColumns: readonly Column[] = [
  { title: 'Message' },
  { title: 'At', align: 'right' },
  { title: 'Session' },
  { title: 'Problem', isFlexible: true },
  { title: 'Write instead' },
];

export const keepits: Command = {
  name: 'keepits',
  group: 'Keepits',
  summary: 'List what is marked never to be lost, and how heavily',
  details: [
    'With a session: its keepits, whether it is in memory or not. Without one: those of all sessions in memory of the project; sessions without a marker are not opened.',
    'Keepits that were removed, that a rewind has left behind, or whose words are gone do not count and are listed apart; so are markers with a mistake in them.',
  ],
  args: [{ name: 'session', help: 'the session', arity: 'optional' }],
  examples: ['keepits', 'keepits e3580bc6', 'keepits --all-projects --json'],
  async run(input, { scope, memory, onProgress, signal }) {
    const word = input.args[0];
    const listing =
      word === undefined
        ? await memory.keepits.listProjects(await scope.projectId(), onProgress, signal)
        : await memory.keepits.list(await scope.session(word, signal), signal);
    return {
      json: listing,
      text: (page) => listingText(listing, word === undefined, page),
      failure: failureOf(listing.failed),
    };
  },
};

function listingText(
  { keepits: live, inactive, diagnostics, failed }: KeepitListing,
  isMixed: boolean,
  page: Page,
): string {
  const { style, width } = page;
  const table = (some: readonly EffectiveKeepit[]): string[] =>
    renderTable(
      columns,
      some.map((keepit) => keepitCells(keepit, isMixed)),
      { style, width },
    );
  const where = isMixed ? 'in the sessions that are in memory here' : 'in this session';
  const sections = [live.length === 0 ? [`There are no keepits ${where}.`] : table(live)];
  if (inactive.length > 0) sections.push([style.paint('strong', 'These do not count:'), ...table(inactive)]);
  if (diagnostics.length > 0) {
    const rows = diagnostics.map((diagnostic) => problemCells(diagnostic, isMixed));
    const heading = style.paint('strong', 'Markers with a mistake, which do not count either:');
    sections.push([heading, ...renderTable(problemColumns, rows, { style, width })]);
  }
  if (failed.length > 0) sections.push(failedLines(failed, page));
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

/** The session is named where the keepits are of several. */
function keepitCells(keepit: EffectiveKeepit, isMixed: boolean): Cell[] {
  return [
    { text: shortId(keepit.markerId), tone: 'accent' },
    { text: keepit.effectiveWeight.toFixed(2) },
    { text: weightName(keepit.effectiveWeight) },
    { text: isMixed ? shortId(keepit.sessionId) : '' },
    { text: oneLine(keepit.content, WORDS_LENGTH) },
    { text: keepitNote(keepit), tone: 'quiet' },
  ];
}

function problemCells(
  { messageUuid, start, problem, suggestion, sessionId }: KeepitListing['diagnostics'][number],
  isMixed: boolean,
): Cell[] {
  return [
    { text: messageUuid, tone: 'accent' },
    { text: String(start) },
    { text: isMixed ? shortId(sessionId) : '' },
    { text: problem },
    { text: suggestion === '' ? 'nothing' : suggestion },
  ];
}

const SHOWN_LENGTH = 100;
const LAST = 'last';

const onlySession: OptionSpecs = {
  session: valued('SESSION', 'Only in this session; without it, in every session that repeats the words'),
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
    weight: valued('W', '0.00 to 1.00, a percentage, or a preset such as important'),
    start: valued('N', 'Begin at this offset'),
    end: valued('N', 'End before this offset'),
    register: flag('Take the session into memory first, when it is not there yet'),
  },
  examples: [
    'keepit add e3580bc6 12 --weight 0.80',
    'keepit add e3580bc6 0b5c6b0e --weight pinned --start 10 --end 42',
    'keepit add current last --weight pinned --register',
  ],
  async run(input, context) {
    const { scope, memory, signal } = context;
    const weight = weightOf(input, input.text('weight') ?? missingWeight(input));
    const [start, end] = [input.count('start'), input.count('end')];
    const word = input.required(1);
    const ref = await scope.session(input.required(0), signal);
    if (input.has('register')) await ensureRegistered(ref, context);
    const messageUuid = word === LAST ? await lastAnswer(ref, context) : word;
    const markers = await memory.keepits.add(ref, { messageUuid, weight, start, end }, signal);
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
  async run(input, context) {
    const weight = weightOf(input, input.required(1));
    const markers = await changeAll([input.required(0)], input, context, (ref) =>
      context.memory.keepits.setWeight(ref, weight, context.signal),
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
  async run(input, context) {
    input.required(0);
    const markers = await changeAll(input.args, input, context, (ref) =>
      context.memory.keepits.remove(ref, context.signal),
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
  async run(input, context) {
    input.required(0);
    const markers = await changeAll(input.args, input, context, (ref) =>
      context.memory.keepits.restore(ref, context.signal),
    );
    return answerOf('restored', markers);
  },
};

/** The last answer that has words: one that only calls tools has nothing to mark. */
async function lastAnswer(ref: SessionRef, { memory, signal }: CommandContext): Promise<string> {
  const messages = await memory.sessions.messages(ref, {}, signal);
  const last = messages.findLast(({ role, text }) => role === 'assistant' && text.trim() !== '');
  if (last === undefined) throw new CliFailure('no-last-answer', ref.sessionId);
  return last.uuid;
}

async function ensureRegistered(ref: SessionRef, { memory, signal }: CommandContext) {
  const entries = await memory.sessions.list(ref.projectId);
  if (entries.some(({ sessionId }) => sessionId === ref.sessionId)) return;
  const { failed } = await memory.sessions.register([ref], undefined, signal);
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
    for (const ref of await memory.keepits.find(word, within, signal)) {
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
    oneLine(keepit.content, SHOWN_LENGTH),
    ...(note === '' ? [] : [style.paint('quiet', note)]),
  ].join('  ');
}

const DECAYING_LENGTH = 200;

const DECAY_COLUMNS: readonly Column[] = [
  { title: 'Keepit' },
  { title: 'Weight', align: 'right' },
  { title: 'Fate' },
  { title: 'Why' },
  { title: 'Words', isFlexible: true },
  { title: 'Reach' },
];

const tones: Record<DecayedKeepit['outcome'], Tone> = { survives: 'good', barely: 'warning', fades: 'bad' };

export const decay: Command = {
  name: 'decay',
  group: 'Keepits',
  summary: 'Tell which keepits of a session would survive a compression',
  details: [
    'A keepit survives when its weight reaches the threshold, which is the base of the level plus ratio/100 × distance/10; pinned ones (1.00) always survive. The numbers of the formula are settings: `keepit config list`.',
    'The distance is the rank of the session by recency among those of its project that are in memory, 1 = newest.',
  ],
  args: [{ name: 'session', help: 'the session, in memory or not', arity: 'one' }],
  options: {
    ratio: valued('N', 'How much smaller it gets: 30 for 30:1'),
    level: valued('LEVEL', 'light (or minimal), moderate or aggressive; without it, as the ratio suggests'),
    distance: valued('N', 'How many sessions ago; without it, as computed'),
  },
  examples: ['decay e3580bc6 --ratio 30 --level aggressive', 'decay e3580bc6 --ratio 10 --distance 5 --json'],
  async run(input, { scope, memory, signal }) {
    const request = { ratio: ratioOf(input), level: levelOf(input), distance: input.count('distance') };
    const preview = await memory.keepits.decayPreview(await scope.session(input.required(0), signal), request, signal);
    return { json: preview, text: (page) => previewText(preview, page) };
  },
};

const RATIO = /^(\d{1,9}(?:\.\d{1,9})?)(?::1)?$/;

function ratioOf(input: CommandInput): number {
  const text = input.text('ratio');
  if (text === undefined) throw input.wrong('The ratio is missing: --ratio 30.');
  const ratio = Number(RATIO.exec(text)?.[1]);
  if (!(ratio >= 1)) throw input.wrong(`--ratio takes a number from 1, not ${JSON.stringify(text)}.`);
  return ratio;
}

function levelOf(input: CommandInput): DecayLevel | undefined {
  const level = input.oneOf('level', ['light', ...aggressivenessSchema.options], input.text('level')?.toLowerCase());
  return level === undefined || level === 'light' ? level : decayLevel(level);
}

function previewText({ markers, threshold, isDecayOn, ratio, level, distance }: DecayPreview, page: Page): string {
  const survivors = markers.filter(({ survives }) => survives).length;
  const { style, width, formats } = page;
  const settings = `${level} ${ratio}:1 at distance ${distance}`;
  if (markers.length === 0)
    return `There are no keepits in this session; the threshold would be ${thresholdText(threshold)} (${settings}).`;
  return [
    ...(isDecayOn
      ? []
      : ['Decay is off in this project: every keepit is kept. This is what would happen if it was on.']),
    `${style.paint('strong', `Threshold ${thresholdText(threshold)}`)}  ${settings}`,
    ...renderTable(
      DECAY_COLUMNS,
      markers.map((marker) => cells(marker, ratio)),
      { style, width },
    ),
    `${formats.exact(survivors)} of ${formats.plural(markers.length, 'keepit')} ${survivors === 1 ? 'survives' : 'survive'}.`,
  ].join('\n');
}

function cells({ markerId, weight, outcome, reason, reach, content }: DecayedKeepit, ratio: number): Cell[] {
  return [
    { text: shortId(markerId), tone: 'accent' },
    { text: weight.toFixed(2) },
    { text: outcomeText(outcome), tone: tones[outcome] },
    { text: reason },
    { text: oneLine(content, DECAYING_LENGTH) },
    { text: reachText(reach, ratio), tone: 'quiet' },
  ];
}
