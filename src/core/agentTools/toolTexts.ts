import { joinParts, shortId } from '../text/formats';

/** `2026-01-15 10:04`; '' where the time is not known. UTC: models compare times, and know nobody's clock. */
export function timeText(iso: string | undefined): string {
  const ms = Date.parse(iso ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Where something was said, in the words that get_messages takes. */
export function placeText({ sessionId, messageUuid }: { sessionId?: string; messageUuid?: string }): string {
  return joinParts([
    sessionId === undefined ? '' : `session ${shortId(sessionId)}`,
    messageUuid === undefined ? '' : `message ${shortId(messageUuid)}`,
  ]);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
