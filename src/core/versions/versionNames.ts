import type { CompressionSettings } from '../model/compression';
import type { SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import { settingsName } from './compressionSettings';

type NumberedEntry = Pick<SessionManifestEntry, 'compressions' | 'versionNumbers'>;

const VERSION_ID = /^(?:part(\d+)_)?v(\d+)$/;

/** `v` for versions of the whole session, `part2_v` for those of a part: each has numbers of its own. */
function seriesOf(partNumber: number | undefined): string {
  return partNumber === undefined ? 'v' : `part${partNumber}_v`;
}

/** The id of the next version, `v003` or `part2_v001`; a number that was given once is never given again, deleted or not. */
export function nextVersionId({ compressions, versionNumbers = {} }: NumberedEntry, partNumber?: number): string {
  const series = seriesOf(partNumber);
  let last = ownValue(versionNumbers, series) ?? 0;
  for (const { versionId } of compressions) {
    const found = VERSION_ID.exec(versionId);
    const isOfSeries = found !== null && Number(found[1] ?? 0) === (partNumber ?? 0);
    if (isOfSeries) last = Math.max(last, Number(found[2]));
  }
  return `${series}${String(last + 1).padStart(3, '0')}`;
}

/** The numbers that are given out, with the one of `versionId` among them. */
export function withNumberOf(
  versionId: string,
  numbers: Readonly<Record<string, number>> = {},
): Record<string, number> {
  const found = VERSION_ID.exec(versionId);
  if (found === null) return { ...numbers };
  const series = seriesOf(found[1] === undefined ? undefined : Number(found[1]));
  return { ...numbers, [series]: Math.max(ownValue(numbers, series) ?? 0, Number(found[2])) };
}

/** The order of versions: those of the whole session first, then part by part, each by its number. */
export function compareVersionIds(a: string, b: string): number {
  const [first, second] = [a, b].map((id) =>
    VERSION_ID.exec(id)
      ?.slice(1)
      .map((digits) => Number(digits) || 0),
  );
  if (first === undefined || second === undefined) return a < b ? -1 : Number(a > b);
  return (first[0] ?? 0) - (second[0] ?? 0) || (first[1] ?? 0) - (second[1] ?? 0);
}

/** Seed 000, 3.2 and seed 001: the name of a version's files, without the ending: `part1_v002_uniform-aggressive_3k`. */
export function versionFileName(versionId: string, settings: CompressionSettings, outputTokens: number): string {
  return `${versionId}_${settingsName(settings)}_${kilotokens(outputTokens)}k`;
}

/** Whole thousands; below one thousand as many decimals as it takes (`0.4`, `0.04`), so that small versions can be told apart. */
function kilotokens(tokens: number): string {
  if (tokens >= 1000) return String(Math.round(tokens / 1000));
  return (tokens / 1000).toFixed(tokens >= 95 ? 1 : 2);
}
