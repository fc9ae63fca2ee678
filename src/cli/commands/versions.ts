import type { DiffHunk, DiffPart, LostFact } from '../../core/versions/diff/types';
import { joinParts } from '../../core/text/formats';
import { cleanLines, oneLine } from '../../core/text/cleanText';
import type { ListedVersion } from '../../core/versions/versionEntries';
import {
  fidelityParts,
  fidelityText,
  keptText,
  rangeText,
  ratioText,
  settingsText,
} from '../../core/versions/view/versionTexts';
import {
  cutText,
  endName,
  hunkTitle,
  lostKinds,
  lostText,
  sizesText,
  wordsText,
} from '../../core/versions/view/versionDiffView';
import { CliFailure } from '../cliErrors';
import { agreeToDelete, command } from '../command';
import { argument, flag, keptSession, oneOf, option, several, text, theSession, yes } from '../fields';
import type { Lines, Page, Tone } from '../page';

export const versions = command({
  name: 'versions',
  summary: 'List the versions of a session, and what is new since its last part',
  input: { session: keptSession },
  examples: ['versions e3580bc6', 'versions e3580bc6 --json'],
  run: async ({ session }, { memory, signal }) => memory.versions.list(session, signal),
  text({ original, versions: all, parts, delta }, { strong, quiet, plural, formats, table, age }) {
    const listed = (some: readonly ListedVersion[]): Lines =>
      some.length === 0
        ? quiet('  no version left')
        : table(
            some,
            (version) => ({
              Version: ['accent', version.versionId],
              'Made…': settingsText(version.settings),
              Tokens: version.outputTokens,
              Ratio: ratioText(version.compressionRatio),
              Fidelity: version.fidelity && fidelityText(version.fidelity.score),
              Keepits: keptText(version.keepitStats),
              Age: ['quiet', age(version.createdAt)],
              'Used in': version.usedIn.join(', '),
            }),
            2,
          );
    const wholes = all.filter(({ partNumber }) => partNumber === undefined);
    const fresh = `${plural(delta.newMessages, 'message')}, ${plural(delta.newTokens, 'token')}`;
    return [
      `${strong('Original')}  ${plural(original.tokens, 'token')}, ${plural(original.messages, 'message')}`,
      '',
      wholes.length > 0 && [strong('The whole session'), listed(wholes), ''],
      parts.map(({ partNumber, messageRange, versionIds }) => [
        `${strong(`Part ${partNumber}`)}  ${rangeText(messageRange, formats)}`,
        listed(all.filter(({ versionId }) => versionIds.includes(versionId))),
        '',
      ]),
      all.length === 0
        ? 'No versions yet: `keepit compress` makes one.'
        : delta.newMessages === 0
          ? quiet('Every message is in a part.')
          : `In no part yet: ${fresh}; \`keepit compress --delta\` makes part ${delta.nextPart}.`,
    ];
  },
});

export const versionShow = command({
  name: 'version show',
  summary: 'Print a version as it is',
  details: ['The version `original` is the session as people read it, in Markdown only.'],
  input: {
    session: keptSession,
    id: argument(text, 'as `versions` lists it, or original'),
    format: option(oneOf(['md', 'jsonl']), 'md|jsonl', 'md unless told'),
  },
  examples: ['version show e3580bc6 v001', 'version show e3580bc6 part1_v001 --format jsonl'],
  run: async ({ session, id: versionId, format = 'md' }, { memory, signal }) => ({
    versionId,
    format,
    text: await memory.versions.text(session, versionId, format, signal),
  }),
  // The frame ends what it prints with a newline of its own.
  text: (version) => version.text.replace(/\n$/, ''),
});

export const versionDelete = command({
  name: 'version delete',
  summary: 'Move versions of a session to the trash',
  details: [
    'Versions that a composition uses stay, unless --force is given. The numbers of deleted versions are not given again. On a terminal it asks first.',
  ],
  input: {
    session: keptSession,
    id: several(text, 'as `versions` lists them'),
    force: flag('Also those that compositions use'),
    yes,
  },
  examples: ['version delete e3580bc6 v001 v002', 'version delete e3580bc6 v001 --force --yes'],
  async run({ session, id: versionIds, force }, context) {
    const { memory, wrong } = context;
    if (versionIds.length === 0) throw wrong('Name the versions to delete.');
    const preview = await memory.versions.previewDelete(session, versionIds, { force });
    if (preview.deleted.length === 0) return preview;
    const ids = preview.deleted.join(', ');
    await agreeToDelete(`Delete ${ids}?`, ids, context);
    const result = await memory.versions.delete(session, versionIds, { force });
    return { ...result, undo: `keepit version restore ${session.sessionId} ${result.trash ?? ''}` };
  },
  text: (result, { good }) =>
    'undo' in result
      ? [`${good('✓ deleted')}  ${result.deleted.join(', ')}`, `To undo: ${result.undo}`]
      : 'Nothing was deleted.',
  failure({ refused }) {
    const names = refused.map(({ versionId, usedIn }) => `${versionId} (in ${usedIn.join(', ')})`);
    return names.length === 0 ? undefined : new CliFailure('versions-in-use', names.join(', '));
  },
});

export const versionRestore = command({
  name: 'version restore',
  summary: 'Bring deleted versions back from the trash',
  input: { session: keptSession, trash: argument(text, 'as `version delete` printed it') },
  examples: ['version restore e3580bc6 2026-01-20T10-00-00-000Z-e3580bc6-versions'],
  run: async ({ session, trash }, { memory }) => ({ restored: await memory.versions.restore(session, trash) }),
  text: ({ restored }, { good }) => `${good('✓ restored')}  ${restored.map(({ versionId }) => versionId).join(', ')}`,
});

/** Enough to tell what stood there; `--full` shows everything. */
const SHOWN_CHARS = 400;
const LOST_PER_KIND = 12;
const LOST_LENGTH = 160;

export const diff = command({
  name: 'diff',
  summary: 'Show what a version kept of a session, and what it lost',
  details: [
    'Compares two versions, or a version with the session itself, which is called `original`. What was lost is found by code: keepits that are not there byte for byte, and instructions, decisions, errors, paths, commands and identifiers that are not there in any words.',
    'Texts are compared message by message and word by word: [-removed-] {+added+}. Long passages that one side has alone are shortened, unless --full is given.',
  ],
  input: {
    session: theSession,
    a: argument(text, 'a version, or original'),
    b: argument(text, 'another one'),
    lost: flag('Only what was lost, without the texts'),
    full: flag('Shorten nothing'),
  },
  examples: [
    'diff e3580bc6 original v001',
    'diff e3580bc6 v001 v002 --lost',
    'diff e3580bc6 original v001 --full | less -R',
  ],
  run: async ({ session, a, b }, { memory, signal }) => memory.versions.compare(session, a, b, signal),
  text(compared, page, { lost: isLostOnly, full }) {
    const { a, b, lost, hunks } = compared;
    const { formats, strong, quiet } = page;
    return [
      strong(`${endName(a)} → ${endName(b)}  ${sizesText(compared, formats)}`),
      wordsText(compared, formats),
      [a, b].map((end) => {
        const { fidelity } = end;
        if (fidelity === undefined) return false;
        return `Fidelity of ${endName(end)}: ${fidelityText(fidelity.score)}  ${quiet(fidelityParts(fidelity))}`;
      }),
      '',
      `${strong('Lost')}  ${lostText(lost, formats)}`,
      lostLines(lost, full, page),
      !isLostOnly && hunks.map((hunk) => hunkLines(hunk, full, page)),
    ];
  },
});

function lostLines(lost: readonly LostFact[], isFull: boolean, { bad, quiet, exact, plural }: Page): Lines {
  return lostKinds.map(({ kind, singular, plural: many }) => {
    const all = lost.filter((one) => one.kind === kind);
    const shown = isFull ? all : all.slice(0, LOST_PER_KIND);
    const more = all.length - shown.length;
    return [
      shown.map((one) => {
        const facts = joinParts([`message ${exact(one.messageIndex + 1)}`, one.reason], ', ');
        return `  ${bad(singular)} ${oneLine(one.text, isFull ? Infinity : LOST_LENGTH)} ${quiet(`(${facts})`)}`;
      }),
      more > 0 && quiet(`  … and ${plural(more, `more ${singular}`, `more ${many}`)}`),
    ];
  });
}

function hunkLines(hunk: DiffHunk, isFull: boolean, page: Page): Lines {
  const text = hunk.parts.map((part) => partText(part, isFull, page)).join('');
  const title = joinParts([hunkTitle(hunk, page.formats), cutText(hunk, page.formats)]);
  return ['', page.accent(`@@ ${title}`), text.replace(/^\s*\n/, '').trimEnd()];
}

const looks: Record<DiffPart['change'], readonly [Tone, open: string, close: string]> = {
  kept: ['plain', '', ''],
  removed: ['bad', '[-', '-]'],
  added: ['good', '{+', '+}'],
};

/** Painted where there are colours, in brackets where there are none. White space at the ends stays outside. */
function partText({ change, text }: DiffPart, isFull: boolean, { style, plural }: Page): string {
  const clean = cleanLines(text).join('\n');
  if (clean === '') return text.includes('\n') ? '\n' : ' ';
  const half = SHOWN_CHARS / 2;
  const left = plural(clean.length - 2 * half, 'character');
  const isShort = isFull || clean.length <= SHOWN_CHARS;
  const shown = isShort ? clean : `${clean.slice(0, half)} …[${left}]… ${clean.slice(-half)}`;
  const [tone, open, close] = looks[change];
  const painted = shown.split('\n').map((line) => style.paint(tone, line));
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  const words = painted.join('\n');
  return before + (style.isColored ? words : open + words + close) + after;
}
