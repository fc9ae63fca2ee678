import { withoutPrivate } from './privateText';
import { redactSecrets, type RedactedSecrets } from './secrets';

/** A text as Keepit may write or send it: without what people marked as private, and without secrets. */
export function withoutSecrets(text: string): string {
  return redactSecrets(withoutPrivate(text)).text;
}

/** What a text loses when it is written: kinds of secrets, and `private passage`. Empty for most texts. */
export function leftOutOf(text: string): string[] {
  const open = withoutPrivate(text);
  const kinds = redactSecrets(open).secrets.map(({ kind }) => kind);
  return open === text ? kinds : [...kinds, 'private passage'];
}

/** Says so where something is marked; '' for most texts. */
export function leftOutNote(text: string): string {
  const kinds = leftOutOf(text);
  return kinds.length === 0 ? '' : `left out of all that Keepit writes: ${kinds.join(', ')}`;
}

const LEFT = /\[redacted: ([A-Za-z0-9][A-Za-z0-9 ]{0,50})\]/g;

/** What stands in texts where secrets were, by kind, in the order of first appearance: for reports. */
export function redactionsIn(texts: Iterable<string>): RedactedSecrets[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [, kind = ''] of text.matchAll(LEFT)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

/** One report of several. */
export function addedUp(reports: Iterable<readonly RedactedSecrets[]>): RedactedSecrets[] {
  const counts = new Map<string, number>();
  for (const report of reports) {
    for (const { kind, count } of report) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return [...counts].map(([kind, count]) => ({ kind, count }));
}
