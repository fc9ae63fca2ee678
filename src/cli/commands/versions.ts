import type { ListedVersion, VersionDeletion, VersionListing } from '../../core/versions/versionListing';
import { formatAge, timeOf, joinParts } from '../../core/text/formats';
import {
  fidelityText,
  keptText,
  rangeText,
  ratioText,
  settingsText,
  fidelityKinds,
} from '../../core/versions/view/versionTexts';
import { type ArgumentSpec, type Command, type Page, mayDelete, flag, valued } from '../command';
import { CliFailure } from '../cliErrors';
import { renderTable, type Cell, type Column, type Tone } from '../terminal';
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
} from '../../core/versions/view/versionDiffView';

const session: ArgumentSpec = { name: 'session', help: 'the session; it has to be in memory', arity: 'one' };

const columns: readonly Column[] = [
  { title: 'Version' },
  { title: 'Made', isFlexible: true },
  { title: 'Tokens', align: 'right' },
  { title: 'Ratio', align: 'right' },
  { title: 'Fidelity', align: 'right' },
  { title: 'Keepits' },
  { title: 'Age', align: 'right' },
  { title: 'Used in' },
];

export const versions: Command = {
  name: 'versions',
  group: 'Versions',
  summary: 'List the versions of a session, and what is new since its last part',
  args: [session],
  examples: ['versions e3580bc6', 'versions e3580bc6 --json'],
  async run(input, { scope, memory, signal }) {
    const listing = await memory.versions.list(await scope.session(input.required(0), signal), signal);
    return { json: listing, text: (page) => listingText(listing, page) };
  },
};

export const versionShow: Command = {
  name: 'version show',
  group: 'Versions',
  summary: 'Print a version as it is',
  details: ['The version `original` is the session as people read it, in Markdown only.'],
  args: [session, { name: 'id', help: 'as `versions` lists it, or original', arity: 'one' }],
  options: { format: valued('md|jsonl', 'md unless told') },
  examples: ['version show e3580bc6 v001', 'version show e3580bc6 part1_v001 --format jsonl'],
  async run(input, { scope, memory, signal }) {
    const format = input.oneOf('format', ['md', 'jsonl']) ?? 'md';
    const versionId = input.required(1);
    const ref = await scope.session(input.required(0), signal);
    const text = await memory.versions.text(ref, versionId, format, signal);
    // The frame ends what it prints with a newline of its own.
    return { json: { versionId, format, text }, text: () => text.replace(/\n$/, '') };
  },
};

export const versionDelete: Command = {
  name: 'version delete',
  group: 'Versions',
  summary: 'Move versions of a session to the trash',
  details: [
    'Versions that a composition uses stay, unless --force is given. The numbers of deleted versions are not given again. On a terminal it asks first.',
  ],
  args: [session, { name: 'id', help: 'as `versions` lists them', arity: 'any' }],
  options: {
    force: flag('Also those that compositions use'),
    yes: flag('Do not ask', 'y'),
  },
  examples: ['version delete e3580bc6 v001 v002', 'version delete e3580bc6 v001 --force --yes'],
  async run(input, { scope, memory, confirm, signal }) {
    const [word = '', ...versionIds] = input.args;
    if (versionIds.length === 0) throw input.wrong('Name the versions to delete.');
    const ref = await scope.session(word, signal);
    const options = { force: input.has('force') };
    const preview = await memory.versions.previewDelete(ref, versionIds, options);
    const ids = preview.deleted.join(', ');
    if (preview.deleted.length > 0 && !(await mayDelete(() => `Delete ${ids}?`, input, { confirm, memory })))
      throw new CliFailure('kept', ids);
    const result = preview.deleted.length === 0 ? preview : await memory.versions.delete(ref, versionIds, options);
    const undo = result.trash === undefined ? undefined : `keepit version restore ${ref.sessionId} ${result.trash}`;
    const failure = result.refused.length === 0 ? undefined : new CliFailure('versions-in-use', refusedText(result));
    return { json: { ...result, undo }, text: (page) => deletionText(result, undo, page), failure };
  },
};

export const versionRestore: Command = {
  name: 'version restore',
  group: 'Versions',
  summary: 'Bring deleted versions back from the trash',
  args: [session, { name: 'trash', help: 'as `version delete` printed it', arity: 'one' }],
  examples: ['version restore e3580bc6 2026-01-20T10-00-00-000Z-e3580bc6-versions'],
  async run(input, { scope, memory, signal }) {
    const ref = await scope.session(input.required(0), signal);
    const restored = await memory.versions.restore(ref, input.required(1));
    const ids = restored.map(({ versionId }) => versionId).join(', ');
    return { json: { restored }, text: ({ style }) => `${style.paint('good', '✓ restored')}  ${ids}` };
  },
};

function listingText({ original, versions: all, parts, delta }: VersionListing, page: Page): string {
  const { formats, style } = page;
  const wholes = all.filter(({ partNumber }) => partNumber === undefined);
  const size = `${formats.plural(original.tokens, 'token')}, ${formats.plural(original.messages, 'message')}`;
  const blocks = [
    [`${style.paint('strong', 'Original')}  ${size}`],
    wholes.length === 0 ? [] : [style.paint('strong', 'The whole session'), ...versionTable(wholes, page)],
    ...parts.map(({ partNumber, messageRange, versionIds }) => [
      `${style.paint('strong', `Part ${partNumber}`)}  ${rangeText(messageRange, formats)}`,
      ...versionTable(
        all.filter(({ versionId }) => versionIds.includes(versionId)),
        page,
      ),
    ]),
    [newText(delta, all.length > 0, page)],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function newText(delta: VersionListing['delta'], hasVersions: boolean, { formats, style }: Page): string {
  if (!hasVersions) return 'No versions yet: `keepit compress` makes one.';
  if (delta.newMessages === 0) return style.paint('quiet', 'Every message is in a part.');
  const size = `${formats.plural(delta.newMessages, 'message')}, ${formats.plural(delta.newTokens, 'token')}`;
  return `In no part yet: ${size}; \`keepit compress --delta\` makes part ${delta.nextPart}.`;
}

function versionTable(listed: readonly ListedVersion[], page: Page): string[] {
  if (listed.length === 0) return [page.style.paint('quiet', '  no version left')];
  return renderTable(
    columns,
    listed.map((version) => cells(version, page)),
    { style: page.style, width: page.width, indent: 2 },
  );
}

function cells(version: ListedVersion, { formats, nowMs }: Page): Cell[] {
  const madeMs = timeOf(version.createdAt);
  return [
    { text: version.versionId, tone: 'accent' },
    { text: settingsText(version.settings) },
    { text: formats.exact(version.outputTokens) },
    { text: ratioText(version.compressionRatio) },
    { text: version.fidelity === undefined ? '' : fidelityText(version.fidelity.score) },
    { text: keptText(version.keepitStats) },
    { text: madeMs === undefined ? '' : formatAge(madeMs, nowMs), tone: 'quiet' },
    { text: version.usedIn.join(', ') },
  ];
}

function refusedText({ refused }: VersionDeletion): string {
  return refused.map(({ versionId, usedIn }) => `${versionId} (in ${usedIn.join(', ')})`).join(', ');
}

function deletionText({ deleted }: VersionDeletion, undo: string | undefined, { style }: Page): string {
  if (deleted.length === 0) return 'Nothing was deleted.';
  return [`${style.paint('good', '✓ deleted')}  ${deleted.join(', ')}`, `To undo: ${undo ?? ''}`].join('\n');
}

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
    lost: flag('Only what was lost, without the texts'),
    full: flag('Shorten nothing'),
  },
  examples: [
    'diff e3580bc6 original v001',
    'diff e3580bc6 v001 v002 --lost',
    'diff e3580bc6 original v001 --full | less -R',
  ],
  async run(input, { scope, memory, signal }) {
    const [a, b] = [input.required(1), input.required(2)];
    const ref = await scope.session(input.required(0), signal);
    const compared = await memory.versions.compare(ref, a, b, signal);
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
        const facts = joinParts([`message ${formats.exact(one.messageIndex + 1)}`, one.reason ?? ''], ', ');
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
