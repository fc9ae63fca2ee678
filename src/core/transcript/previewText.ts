import { withoutSecrets } from '../text/secrets/cleanText';

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
