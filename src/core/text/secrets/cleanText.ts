import { privateRanges, withoutPrivate } from './privateText';
import { redactSecrets, type RedactedSecrets } from './secrets';
import { countUp } from '../ownValue';

/** A text as Keepit may write or send it: without what people marked as private, and without secrets. */
export function withoutSecrets(text: string): string {
  return redactSecrets(withoutPrivate(text)).text;
}

/** What a text loses when it is written: kinds of secrets, and `private passage`. Empty for most texts. */
export function leftOutOf(text: string): string[] {
  const kinds = redactSecrets(withoutPrivate(text)).secrets.map(({ kind }) => kind);
  const hasPrivate = privateRanges(text).some(({ start }) => text.charAt(start) === '<');
  return hasPrivate ? [...kinds, 'private passage'] : kinds;
}

/** Says so where something is marked; '' for most texts. */
export function leftOutNote(text: string): string {
  const kinds = leftOutOf(text);
  return kinds.length === 0 ? '' : `left out of all that Keepit writes: ${kinds.join(', ')}`;
}

const LEFT = /\[redacted: ([A-Za-z0-9][A-Za-z0-9 ]{0,50})\]/g;

/** What stands in texts where secrets were, by kind, in the order of first appearance: for reports. */
export function redactionsIn(texts: Iterable<string>): RedactedSecrets[] {
  return addedUp([...texts].map((text) => [...text.matchAll(LEFT)].map(([, kind = '']) => ({ kind, count: 1 }))));
}

/** One report of several. */
export function addedUp(reports: Iterable<readonly RedactedSecrets[]>): RedactedSecrets[] {
  const counts = new Map<string, number>();
  for (const report of reports) {
    for (const { kind, count } of report) countUp(counts, kind, count);
  }
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

/** Longest preview and tool target, in UTF-16 units. */
const PREVIEW_CHARS = 200;

/** How much of a text is looked at for its one line: white space and long characters take their share. */
const LOOKAHEAD = 2;

/** How much of a text is looked at for secrets: one is known only as a whole. */
const CLEANED_CHARS = 1200;

/** The beginning of a text in one line. */
export function previewOf(text: string, maxChars = PREVIEW_CHARS): string {
  const flat = text
    .slice(0, maxChars * LOOKAHEAD)
    .replace(/\s+/g, ' ')
    .trim();
  return cut(flat, maxChars);
}

/** The first `maxChars` units of a text, never half of a surrogate pair. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** The beginning of a text in one line and without secrets. */
export function preview(text: string): string {
  return previewOf(withoutSecrets(text.slice(0, CLEANED_CHARS)));
}
