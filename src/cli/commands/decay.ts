import { aggressivenessSchema } from '../../core/model/compression';
import { decayLevel, thresholdText, type DecayLevel } from '../../core/keepits/decay';
import { oneLine } from '../../core/text/cleanText';
import { shortId } from '../../core/text/formats';
import { outcomeText, reachText } from '../../core/presentation/keepitTexts';
import type { DecayedKeepit, DecayPreview } from '../../core/sessions/results';
import type { Answer, Command, Page } from '../command';
import type { CommandInput } from '../commandInput';
import type { Tone } from '../style';
import { renderTable, type Cell, type Column } from '../table';

const WORDS_LENGTH = 200;

const columns: readonly Column[] = [
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
    ratio: { type: 'string', value: 'N', help: 'How much smaller it gets: 30 for 30:1' },
    level: {
      type: 'string',
      value: 'LEVEL',
      help: 'light (or minimal), moderate or aggressive; without it, as the ratio suggests',
    },
    distance: { type: 'string', value: 'N', help: 'How many sessions ago; without it, as computed' },
  },
  examples: ['decay e3580bc6 --ratio 30 --level aggressive', 'decay e3580bc6 --ratio 10 --distance 5 --json'],
  async run(input, { scope, memory, signal }): Promise<Answer> {
    const request = { ratio: ratioOf(input), level: levelOf(input), distance: input.count('distance') };
    const preview = await memory.decayPreview(await scope.session(input.required(0), signal), request, signal);
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
  const text = input.text('level')?.toLowerCase();
  if (text === undefined || text === 'light') return text;
  const level = aggressivenessSchema.safeParse(text);
  if (level.success) return decayLevel(level.data);
  throw input.wrong(`--level is light, moderate or aggressive, not ${JSON.stringify(text)}.`);
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
      columns,
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
    { text: oneLine(content, WORDS_LENGTH) },
    { text: reachText(reach, ratio), tone: 'quiet' },
  ];
}
