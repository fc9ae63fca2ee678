import { messageRangeText } from '../compression/blockText';
import type { OmittedComponent } from '../model/composition';
import type { PlannedSession } from './planComposition';
import { leftOutText } from './planComposition';
import type { ContextSection, SourceSession, VersionOption } from './types';

/** What of the sessions that were asked for is not in a composition, and why. */
export function omissions(
  sessions: readonly (PlannedSession & { readonly section?: ContextSection })[],
): OmittedComponent[] {
  return sessions.flatMap(({ session, pick, options, section }) => {
    const reasons = reasonsOf(session, pick, options, section);
    return reasons.map((reason) => ({ ...session.ref, reason }));
  });
}

function reasonsOf(
  session: SourceSession,
  pick: VersionOption,
  options: readonly VersionOption[],
  section: ContextSection | undefined,
): string[] {
  if (pick.kind === 'nothing') return [leftOutText(options)];
  if (pick.kind === 'keepits') return [`only its pinned keepits are in: ${leftOutText(options)}`];
  const isEmpty = section !== undefined && section.pieces.every(({ blocks }) => blocks.length === 0);
  if (section === undefined || isEmpty) return ['all that it says is in another session of the composition'];
  return uncovered(session, pick).map((range) => `${messageRangeText(range)}: in no version that was taken`);
}

/** Messages of the session that no piece covers, as ranges. */
export function uncovered(
  { originalMessages }: Pick<SourceSession, 'originalMessages'>,
  { pieces }: Pick<VersionOption, 'pieces'>,
): (readonly [number, number])[] {
  if (pieces.length === 0 || pieces.some(({ messageRange }) => messageRange === undefined)) return [];
  const gaps: [number, number][] = [];
  let next = 0;
  for (const { messageRange } of pieces) {
    if (messageRange === undefined) continue;
    if (messageRange[0] > next) gaps.push([next, messageRange[0] - 1]);
    next = Math.max(next, messageRange[1] + 1);
  }
  if (next < originalMessages) gaps.push([next, originalMessages - 1]);
  return gaps;
}
