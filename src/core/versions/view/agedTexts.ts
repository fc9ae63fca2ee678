import type { SessionRef } from '../../sessions/results';
import { joinParts, type Formats } from '../../text/formats';
import type { Aged } from '../aging';

const MOST_LINES = 12;

/** `2 versions would be made, 1 version would be moved to the trash`; with what stays, and what failed. */
export function agedText({ created, pruned, kept, failed }: Aged, formats: Formats, verb: string): string {
  const versions = (count: number): string => formats.plural(count, 'version');
  const done = joinParts(
    [
      created.length === 0 ? '' : `${versions(created.length)} ${verb} made`,
      pruned.length === 0 ? '' : `${versions(pruned.length)} ${verb} moved to the trash`,
      kept.length === 0 ? '' : `${versions(kept.length)} stay`,
      failed.length === 0 ? '' : `${formats.plural(failed.length, 'session')} failed`,
    ],
    ', ',
  );
  return done === '' ? 'Nothing was due' : done;
}

/** What it is about, a line each. */
export function agedLines({ created, pruned, kept }: Aged, titleOf: (session: SessionRef) => string): string[] {
  const lines = [
    ...created.map((one) => `Make: ${titleOf(one)}, ${one.preset}`),
    ...pruned.map((one) => `Trash: ${titleOf(one)}, ${one.versionId}`),
    ...kept.map((one) => `Stays: ${titleOf(one)}, ${one.versionId}: ${one.reason}`),
  ];
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : lines;
}
