import { oneLine } from '../core/text/cleanText';
import { isExpiring, deletionNote, lastTimeOf } from '../core/sessions/view/sessionTree';
import { titleOf } from '../core/sessions/sessionTitle';
import { formatAge, formatCount, joinParts, shortId } from '../core/text/formats';
import type { DiscoveredSession, TokenFigure } from '../core/sessions/results';
import type { Page } from './command';
import type { Cell, Column } from './terminal';

/** From how many days on the deletion of a transcript is worth a word. */
const WARNING_DAYS = 7;

const PROBLEM_LENGTH = 120;

export const sessionColumns: readonly Column[] = [
  { title: 'Session' },
  { title: 'Last used', align: 'right' },
  { title: 'Messages', align: 'right' },
  { title: 'Tokens', align: 'right' },
  { title: 'Title', isFlexible: true },
  { title: 'Memory' },
];

/** A session of `discover` as a row of {@link sessionColumns}. */
export function sessionCells(session: DiscoveredSession, page: Page): Cell[] {
  return [
    { text: shortId(session.sessionId), tone: 'accent' },
    { text: formatAge(lastTimeOf(session), page.nowMs) },
    { text: page.formats.exact(session.messages) },
    { text: tokenText(session.tokens) },
    { text: titleOf(session) },
    stateCell(session, page),
  ];
}

/** `1.2k`, or `~1.2k` while it is an estimate. */
export function tokenText({ count, kind }: TokenFigure): string {
  return `${kind === 'estimate' && count > 0 ? '~' : ''}${formatCount(count)}`;
}

function stateCell(session: DiscoveredSession, page: Page): Cell {
  if (session.problem !== undefined) return { text: oneLine(session.problem, PROBLEM_LENGTH), tone: 'bad' };
  const live = session.isLive ? 'live' : '';
  const broken = session.brokenLines === 0 ? '' : page.formats.plural(session.brokenLines, 'damaged line');
  if (session.registered) {
    const fresh = session.newMessages === 0 ? '' : `${page.formats.exact(session.newMessages)} new`;
    const gone = session.isOriginalGone ? 'the only copy' : '';
    return { text: joinParts(['in memory', fresh, gone, live, broken]), tone: fresh === '' ? 'good' : 'warning' };
  }
  if (isExpiring(session, WARNING_DAYS)) {
    return { text: joinParts([deletionNote(session.expiresInDays ?? 0, page.formats), live, broken]), tone: 'warning' };
  }
  return { text: joinParts([live, broken]), tone: 'quiet' };
}
