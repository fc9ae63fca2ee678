import type { Exchange } from '../model/layers';

const MOST_PER_KEYWORD = 40;

/** Which concepts and exchanges speak of a keyword, as `facts.json` has it. */
export class KeywordIndex {
  private readonly entries: Map<string, string[]>;

  constructor(keywords: Readonly<Record<string, readonly string[]>>) {
    this.entries = new Map(Object.entries(keywords).map(([keyword, ids]) => [keyword, [...ids]]));
  }

  add({ id, keywords }: Exchange, conceptId: string | undefined): void {
    for (const keyword of keywords) {
      const known = this.entries.get(keyword) ?? [];
      const ids = new Set([...(conceptId === undefined ? [] : [conceptId]), ...known, id]);
      this.entries.set(keyword, [...ids].slice(-MOST_PER_KEYWORD));
    }
  }

  /** What an exchange was said to be about, before it went on. */
  take({ id, keywords }: Exchange): void {
    for (const keyword of keywords) {
      const left = (this.entries.get(keyword) ?? []).filter((one) => one !== id);
      if (left.some((one) => one.startsWith('e'))) this.entries.set(keyword, left);
      else this.entries.delete(keyword);
    }
  }

  /** Without concepts that have become part of others. */
  record(conceptIds: ReadonlySet<string>): Record<string, string[]> {
    const whole = [...this.entries].map(
      ([keyword, ids]) => [keyword, ids.filter((id) => !id.startsWith('c') || conceptIds.has(id))] as const,
    );
    return Object.fromEntries(whole.filter(([, ids]) => ids.length > 0));
  }
}
