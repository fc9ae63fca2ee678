import { ORIGINAL, type DiffEnd, type DiffHunk, type LostFact, type VersionDiff } from '../versions/diff/types';
import type { Formats } from '../text/formats';
import { ratioText } from './versionTexts';

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
