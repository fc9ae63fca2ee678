import { isPlaceholder, isUsualWord } from './secretLooks';
import type { FoundSecret } from './secretValues';

/** From behind `://`: a name, a colon, and what stands before the last @ of the host's part. */
const CREDENTIALS = /[^\s/:@"'`<>\\]{0,100}:(?<secret>[^\s/"'`<>\\]{1,200})@(?=[\w[$%{.-])/y;

/** The passwords of addresses; `ends` are the ends of `://` in the text. */
export function urlSecrets(text: string, ends: readonly number[]): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const end of ends) {
    CREDENTIALS.lastIndex = end;
    const secret = CREDENTIALS.exec(text)?.groups?.['secret'] ?? '';
    if (secret === '' || isPlaceholder(secret) || isUsualWord(secret) || /^\d{1,5},/.test(secret)) continue;
    const last = CREDENTIALS.lastIndex - 1;
    found.push({ start: last - secret.length, end: last, kind: 'password in a URL' });
  }
  return found;
}
