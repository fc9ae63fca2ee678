import { oneLine } from '../text/cleanText';
import { shortId } from '../text/formats';

export const TITLE_LENGTH = 120;

/** What a session is called: its title, or the beginning of its id. */
export function titleOf(session: { title: string; sessionId: string }): string {
  const title = oneLine(session.title, TITLE_LENGTH);
  return title === '' ? `Session ${shortId(session.sessionId)}` : title;
}
