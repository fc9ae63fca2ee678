import type { DiffBlock, DiffEnd, DiffHunk, LostFact, VersionDiff } from '../versions/diff/types';
import type { ReceiptEntry } from '../model/compression';
import { oneLine } from '../text/cleanText';
import { firstWhere } from '../sessions/document/saidBlocks';
import { lostKinds, type LostKind } from './versionDiffTexts';
import type {
  HunkOutline,
  ReceiptRow,
  ShownEnd,
  ShownLoss,
  VersionDiffData,
  VersionDiffSettings,
} from './versionDiffProtocol';

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
