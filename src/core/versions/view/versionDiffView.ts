import { type DiffBlock, type DiffEnd, type DiffHunk, type LostFact, type VersionDiff, ORIGINAL } from '../diff/types';
import type { ReceiptEntry } from '../../model/compression';
import { oneLine } from '../../text/cleanText';
import { firstWhere } from '../../sessions/document/saidBlocks';
import type { Formats } from '../../text/formats';
import type {
  HunkOutline,
  ReceiptRow,
  ShownEnd,
  ShownLoss,
  VersionDiffData,
  VersionDiffSettings,
} from './versionDiffProtocol';
import { ratioText } from './versionTexts';

export const usualDiffSettings: VersionDiffSettings = { layout: 'split', hidden: [], isLossOnly: false };

/** Below this the two columns are narrower than a line of prose. */
export const SPLIT_MIN_WIDTH = 700;

const LOSS_LENGTH = 400;
const WORDS_LENGTH = 160;

/** A comparison as the panel gets it, without the words of its hunks. `wordsOf` tells what a marker marks. */
export function diffData(
  diff: VersionDiff,
  about: Pick<VersionDiffData, 'scope' | 'title' | 'project' | 'choices' | 'stamp'>,
  wordsOf: (markerId: string) => string | undefined,
): VersionDiffData {
  const { a, b, added, removed, kept, lost, hunks } = diff;
  return {
    ...about,
    a: shownEnd(a, wordsOf),
    b: shownEnd(b, wordsOf),
    added,
    removed,
    kept,
    lost: lost.map((one) => shownLoss(one, hunks)),
    hunks: hunks.map(outlineOf),
  };
}

function shownEnd(
  { versionId, tokens, messageRange: [from, to], fidelity, receipt }: DiffEnd,
  wordsOf: (markerId: string) => string | undefined,
): ShownEnd {
  return {
    versionId,
    tokens,
    messageRange: [from, to],
    ...(fidelity && { fidelity }),
    ...(receipt && { receipt: receiptRows(receipt, wordsOf) }),
  };
}

/** The heaviest first; what faded before what was kept, as it is what people look for. */
function receiptRows(
  receipt: readonly ReceiptEntry[],
  wordsOf: (markerId: string) => string | undefined,
): ReceiptRow[] {
  const rows = receipt.map(({ markerId, weight, kept, reason }): ReceiptRow => {
    const words = wordsOf(markerId);
    return { key: markerId, weight, kept, reason, ...(words !== undefined && { words: oneLine(words, WORDS_LENGTH) }) };
  });
  return rows.sort((one, other) => Number(one.kept) - Number(other.kept) || other.weight - one.weight);
}

function shownLoss({ kind, text, messageUuid, messageIndex, reason }: LostFact, hunks: readonly DiffHunk[]): ShownLoss {
  return {
    kind,
    text: oneLine(text, LOSS_LENGTH),
    messageUuid,
    messageIndex,
    ...(reason !== undefined && { reason }),
    hunk: hunkOf(messageIndex, hunks),
  };
}

/** The last hunk that begins before the message or with it: hunks are in the order of the session. */
function hunkOf(message: number, hunks: readonly DiffHunk[]): number {
  return firstWhere(hunks, ({ from }) => from > message) - 1;
}

function outlineOf({ from, to, parts }: DiffHunk): HunkOutline {
  let charactersOfA = 0;
  let charactersOfB = 0;
  for (const { change, text, textOfA } of parts) {
    if (change !== 'added') charactersOfA += (textOfA ?? text).length;
    if (change !== 'removed') charactersOfB += text.length;
  }
  return { from, to, charactersOfA, charactersOfB };
}

/** Which losses are shown, and which hunks, by their numbers. */
export function shownOf(
  { lost, hunks }: Pick<VersionDiffData, 'lost' | 'hunks'>,
  { hidden, isLossOnly }: VersionDiffSettings,
): { losses: ShownLoss[]; hunks: number[] } {
  const losses = lost.filter(({ kind }) => !hidden.includes(kind));
  const all = hunks.map((_, index) => index);
  if (!isLossOnly) return { losses, hunks: all };
  const withLoss = new Set(losses.map(({ hunk }) => hunk));
  return { losses, hunks: all.filter((index) => withLoss.has(index)) };
}

/** A kind of loss, with how many there are of it. */
export interface LossFilter {
  readonly kind: LostKind;
  /** `Instructions`. */
  readonly title: string;
  readonly count: number;
  readonly isShown: boolean;
}

/** The kinds of which something was lost. */
export function lossFilters(lost: readonly Pick<ShownLoss, 'kind'>[], { hidden }: VersionDiffSettings): LossFilter[] {
  return lostKinds.flatMap(({ kind, plural }) => {
    const count = lost.filter((one) => one.kind === kind).length;
    const title = plural.charAt(0).toUpperCase() + plural.slice(1);
    return count === 0 ? [] : [{ kind, title, count, isShown: !hidden.includes(kind) }];
  });
}

export function withKind(settings: VersionDiffSettings, kind: LostKind, isShown: boolean): VersionDiffSettings {
  const others = settings.hidden.filter((one) => one !== kind);
  return { ...settings, hidden: isShown ? others : [...others, kind] };
}

/** Words in a row with the same fate, as one side shows them. */
export interface ShownPart {
  readonly change: 'kept' | 'removed' | 'added';
  readonly text: string;
}

/** A block as it is shown: whose it is, and its words. */
export interface ShownBlock {
  readonly kind: DiffBlock['kind'];
  readonly role: 'user' | 'assistant';
  readonly from: number;
  readonly to: number;
  readonly parts: readonly ShownPart[];
}

/** One side of a hunk, block by block, each with its own white space. */
export function sideBlocks({ parts, a, b }: Pick<DiffHunk, 'parts' | 'a' | 'b'>, side: 'a' | 'b'): ShownBlock[] {
  const shown = (side === 'a' ? a : b).map((block) => ({ ...block, parts: [] as ShownPart[] }));
  for (const part of parts) {
    const block = shown[part[side] ?? -1];
    block?.parts.push({ change: part.change, text: side === 'a' ? (part.textOfA ?? part.text) : part.text });
  }
  return shown;
}

/** Both sides in one column: a new block begins where the first side, or where it is silent the second, begins one. */
export function unifiedBlocks({ parts, a, b }: Pick<DiffHunk, 'parts' | 'a' | 'b'>): ShownBlock[] {
  const shown: (ShownBlock & { parts: ShownPart[] })[] = [];
  let before: { a: number | undefined; b: number | undefined } = { a: undefined, b: undefined };
  for (const part of parts) {
    const isNewA = part.a !== undefined && part.a !== before.a;
    const isNewB = part.a === undefined && part.b !== before.b;
    if (shown.length === 0 || isNewA || isNewB) {
      const block = part.a === undefined ? b[part.b ?? -1] : a[part.a];
      if (block !== undefined) shown.push({ ...block, parts: [] });
    }
    before = { a: part.a ?? before.a, b: part.b ?? before.b };
    shown.at(-1)?.parts.push({ change: part.change, text: longer(part.text, part.textOfA) });
  }
  return shown;
}

/** They differ in white space alone: where one side has none at its end, words of the other may follow in one column. */
function longer(text: string, textOfA = text): string {
  return textOfA.length > text.length ? textOfA : text;
}

/** How comparisons are put into words, in one place: the terminal and the panel agree. */

export type LostKind = LostFact['kind'];

/** The kinds of what can be lost, in the order in which they matter. */
export const lostKinds: readonly { readonly kind: LostKind; readonly singular: string; readonly plural: string }[] = [
  { kind: 'keepit', singular: 'keepit', plural: 'keepits' },
  { kind: 'instruction', singular: 'instruction', plural: 'instructions' },
  { kind: 'decision', singular: 'decision', plural: 'decisions' },
  { kind: 'error', singular: 'error', plural: 'errors' },
  { kind: 'path', singular: 'path', plural: 'paths' },
  { kind: 'command', singular: 'command', plural: 'commands' },
  { kind: 'identifier', singular: 'identifier', plural: 'identifiers' },
];

/** `Original`, `part1_v002`. */
export function endName({ versionId }: Pick<DiffEnd, 'versionId'>): string {
  return versionId === ORIGINAL ? 'Original' : versionId;
}

/** `65,807 → 6,566 tokens, 10:1`; the ratio only where the second is smaller. */
export function sizesText({ a, b }: Record<'a' | 'b', Pick<DiffEnd, 'tokens'>>, formats: Formats): string {
  const ratio = b.tokens > 0 && a.tokens > b.tokens ? `, ${ratioText(a.tokens / b.tokens)}` : '';
  return `${formats.exact(a.tokens)} → ${formats.plural(b.tokens, 'token')}${ratio}`;
}

/** `2,385 words kept, 6,922 removed, 1,080 added`. */
export function wordsText(counts: Pick<VersionDiff, 'kept' | 'removed' | 'added'>, formats: Formats): string {
  const { kept, removed, added } = counts;
  return `${formats.plural(kept, 'word')} kept, ${formats.exact(removed)} removed, ${formats.exact(added)} added`;
}

/** How many of each kind were lost: `1 keepit, 3 paths`; `nothing` when there is nothing. */
export function lostText(lost: readonly Pick<LostFact, 'kind'>[], formats: Formats): string {
  const counts = lostKinds.flatMap(({ kind, singular, plural }) => {
    const count = lost.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [formats.plural(count, singular, plural)];
  });
  return counts.length === 0 ? 'nothing' : counts.join(', ');
}

/** `Message 12`, `Messages 12–31`: counted from 1, as people do. */
export function hunkTitle({ from, to }: Pick<DiffHunk, 'from' | 'to'>, formats: Formats): string {
  if (from === to) return `Message ${formats.exact(from + 1)}`;
  return `Messages ${formats.exact(from + 1)}–${formats.exact(to + 1)}`;
}

/** Says how much of a hunk was not compared; '' when all was. */
export function cutText({ cutCharacters }: Pick<DiffHunk, 'cutCharacters'>, formats: Formats): string {
  return cutCharacters === 0 ? '' : `${formats.plural(cutCharacters, 'character')} of long texts not compared`;
}
