import type { DiffHunk, DiffPart, LostFact, VersionDiff } from '../../core/versions/diff/types';
import { cleanLines, oneLine } from '../../core/text/cleanText';
import {
  cutText,
  endName,
  hunkTitle,
  lostKinds,
  lostText,
  sizesText,
  wordsText,
} from '../../core/presentation/versionDiffTexts';
import { fidelityKinds, fidelityText } from '../../core/presentation/versionTexts';
import type { Answer, Command, Page } from '../command';
import type { Tone } from '../style';

/** Enough to tell what stood there; `--full` shows everything. */
const SHOWN_CHARS = 400;
const LOST_PER_KIND = 12;
const LOST_LENGTH = 160;

interface Extent {
  readonly isLostOnly: boolean;
  readonly isFull: boolean;
}

export const diff: Command = {
  name: 'diff',
  group: 'Versions',
  summary: 'Show what a version kept of a session, and what it lost',
  details: [
    'Compares two versions, or a version with the session itself, which is called `original`. What was lost is found by code: keepits that are not there byte for byte, and instructions, decisions, errors, paths, commands and identifiers that are not there in any words.',
    'Texts are compared message by message and word by word: [-removed-] {+added+}. Long passages that one side has alone are shortened, unless --full is given.',
  ],
  args: [
    { name: 'session', help: 'the session', arity: 'one' },
    { name: 'a', help: 'a version, or original', arity: 'one' },
    { name: 'b', help: 'another one', arity: 'one' },
  ],
  options: {
    lost: { type: 'boolean', help: 'Only what was lost, without the texts' },
    full: { type: 'boolean', help: 'Shorten nothing' },
  },
  examples: [
    'diff e3580bc6 original v001',
    'diff e3580bc6 v001 v002 --lost',
    'diff e3580bc6 original v001 --full | less -R',
  ],
  async run(input, { scope, memory, signal }): Promise<Answer> {
    const [a, b] = [input.required(1), input.required(2)];
    const ref = await scope.session(input.required(0), signal);
    const compared = await memory.diffVersions(ref, a, b, signal);
    const extent = { isLostOnly: input.has('lost'), isFull: input.has('full') };
    return { json: compared, text: (page) => diffText(compared, extent, page) };
  },
};

function diffText(compared: VersionDiff, extent: Extent, page: Page): string {
  const { a, b, lost, hunks } = compared;
  const { style, formats } = page;
  return [
    style.paint('strong', `${endName(a)} → ${endName(b)}  ${sizesText(compared, formats)}`),
    wordsText(compared, formats),
    ...fidelityLines(compared, page),
    '',
    `${style.paint('strong', 'Lost')}  ${lostText(lost, formats)}`,
    ...lostLines(lost, extent, page),
    ...(extent.isLostOnly ? [] : hunks.flatMap((hunk) => hunkLines(hunk, extent, page))),
  ].join('\n');
}

function fidelityLines({ a, b }: VersionDiff, { style }: Page): string[] {
  return [a, b].flatMap((end) => {
    const { fidelity } = end;
    if (fidelity === undefined) return [];
    const kinds = fidelityKinds.map(({ kind, title }) => `${title.toLowerCase()} ${fidelityText(fidelity[kind])}`);
    return [`Fidelity of ${endName(end)}: ${fidelityText(fidelity.score)}  ${style.paint('quiet', kinds.join(', '))}`];
  });
}

function lostLines(lost: readonly LostFact[], { isFull }: Extent, { style, formats }: Page): string[] {
  return lostKinds.flatMap(({ kind, singular, plural }) => {
    const all = lost.filter((one) => one.kind === kind);
    const shown = isFull ? all : all.slice(0, LOST_PER_KIND);
    const more = all.length - shown.length;
    return [
      ...shown.map((one) => {
        const facts = [`message ${formats.exact(one.messageIndex + 1)}`, one.reason ?? ''].filter(Boolean).join(', ');
        const text = oneLine(one.text, isFull ? Infinity : LOST_LENGTH);
        return `  ${style.paint('bad', singular)} ${text} ${style.paint('quiet', `(${facts})`)}`;
      }),
      ...(more === 0
        ? []
        : [style.paint('quiet', `  … and ${formats.plural(more, `more ${singular}`, `more ${plural}`)}`)]),
    ];
  });
}

function hunkLines(hunk: DiffHunk, { isFull }: Extent, page: Page): string[] {
  const { style, formats } = page;
  const cut = cutText(hunk, formats);
  const text = hunk.parts.map((part) => partText(part, isFull, page)).join('');
  return [
    '',
    style.paint('accent', `@@ ${hunkTitle(hunk, formats)}${cut === '' ? '' : ` · ${cut}`}`),
    ...cleanEnds(text),
  ];
}

const tones: Record<DiffPart['change'], Tone> = { kept: 'plain', removed: 'bad', added: 'good' };
const marks: Record<DiffPart['change'], readonly [string, string]> = {
  kept: ['', ''],
  removed: ['[-', '-]'],
  added: ['{+', '+}'],
};

/** Painted where there are colours, in brackets where there are none. White space at the ends stays outside. */
function partText({ change, text }: DiffPart, isFull: boolean, { style, formats }: Page): string {
  const clean = cleanLines(text).join('\n');
  if (clean === '') return text.includes('\n') ? '\n' : ' ';
  const isShort = isFull || clean.length <= SHOWN_CHARS;
  const half = SHOWN_CHARS / 2;
  const left = formats.plural(clean.length - 2 * half, 'character');
  const shown = isShort ? clean : `${clean.slice(0, half)} …[${left}]… ${clean.slice(-half)}`;
  const [open, close] = style.isColored ? ['', ''] : marks[change];
  const painted = shown.split('\n').map((line) => style.paint(tones[change], line));
  const before = /^\s/.test(text) ? text.slice(0, text.length - text.trimStart().length) : '';
  const after = text.slice(text.trimEnd().length);
  return `${before}${open}${painted.join('\n')}${close}${after}`;
}

function cleanEnds(text: string): string[] {
  return text
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n');
}
