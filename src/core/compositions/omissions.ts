import { messageRangeText } from '../versions/blockText';
import type { OmittedComponent } from '../model/composition';
import { leftOutText, type PlannedSession } from './plannedSessions';
import type { ContextSection, SourceSession, VersionOption } from './types';

/** A session as it is planned, or as it came out: only then it is known whether others have said all of it. */
export interface Judged extends Pick<PlannedSession, 'session' | 'pick' | 'options'> {
  readonly section?: ContextSection | undefined;
  readonly isRead: boolean;
}

/** What of the sessions that were asked for is not in a composition, and why. */
export function omissions(sessions: readonly Judged[]): OmittedComponent[] {
  return sessions.flatMap((one) => reasonsOf(one).map((reason) => ({ ...one.session.ref, reason })));
}

function reasonsOf({ session, pick, options, section, isRead }: Judged): string[] {
  if (pick.kind === 'nothing') return [leftOutText(options)];
  if (pick.kind === 'keepits') return [`only its pinned keepits are in: ${leftOutText(options)}`];
  const isSaid = section !== undefined && section.pieces.some(({ blocks }) => blocks.length > 0);
  if (isRead && !isSaid) return ['all that it says is in another session of the composition'];
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
