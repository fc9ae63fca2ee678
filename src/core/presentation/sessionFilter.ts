import type { DiscoveredSession } from '../sessions/results';
import { wordMatcher } from './wordMatcher';

/** Which sessions of a list are wanted by what they are. */
export type SessionState = 'all' | 'inMemory' | 'notInMemory' | 'expiring';

/** What a list of sessions is narrowed to. */
export interface SessionFilter {
  /** Words that must all occur in the title, the id, the branch or the folder, in any letter case; '' for all. */
  readonly text: string;
  readonly state: SessionState;
}

export const noFilter: SessionFilter = { text: '', state: 'all' };

/** Whether the filter narrows anything. */
export function isFiltering(filter: SessionFilter): boolean {
  return filter.text.trim() !== '' || filter.state !== 'all';
}

/** Whether Claude Code will delete a session within `days`, and memory does not have it. */
export function isExpiring(session: DiscoveredSession, days: number): boolean {
  return !session.registered && session.expiresInDays !== undefined && session.expiresInDays <= days;
}

/** A test for sessions; made once per filter, as it is asked for thousands of sessions. */
export function sessionMatcher(filter: SessionFilter, warningDays: number): (session: DiscoveredSession) => boolean {
  const matches = wordMatcher(filter.text);
  const hasState: Record<SessionState, (session: DiscoveredSession) => boolean> = {
    all: () => true,
    inMemory: (session) => session.registered,
    notInMemory: (session) => !session.registered,
    expiring: (session) => isExpiring(session, warningDays),
  };
  return (session) => {
    if (!hasState[filter.state](session)) return false;
    return matches([session.title, session.sessionId, session.gitBranch ?? '', session.cwd].join('\n'));
  };
}

/** A filter in words, for a view's message: `“login”, in memory`. */
export function describeFilter(filter: SessionFilter): string {
  const names: Record<SessionState, string> = {
    all: '',
    inMemory: 'in memory',
    notInMemory: 'not in memory',
    expiring: 'about to be deleted',
  };
  const text = filter.text.trim();
  return [text === '' ? '' : `“${text}”`, names[filter.state]].filter((part) => part !== '').join(', ');
}
