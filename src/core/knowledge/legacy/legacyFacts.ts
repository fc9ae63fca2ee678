import * as z from 'zod/mini';
import type { CoreLogicFact, FactsDocument, RuleFact } from '../../model/layers';
import { wordsKey } from '../facts/ruleFinder';
import { tombstone } from '../facts/tombstone';
import { topicOf } from '../../material/keywords';
import { writable } from '../../text/writable';
import { count } from '../../model/count';

const text = z._default(z.string(), '');
const texts = z._default(z.array(z.string()), []);

/** What memory-keeper plugins before version 8 kept in `facts.json`, beside what later ones do. */
const legacyFactsSchema = z.looseObject({
  _meta: z.optional(z.looseObject({ counter: z.optional(count) })),
  decisions: z._default(z.array(z.looseObject({ date: text, content: z.string(), reason: text, files: texts })), []),
  patterns: z._default(z.array(z.looseObject({ date: text, content: z.string(), type: text })), []),
  issues: z._default(z.array(z.looseObject({ date: text, content: z.string(), status: text })), []),
});

/** What an old `facts.json` says that ours has another place for. */
export interface LegacyFacts {
  readonly document: FactsDocument;
  /** How many facts were added. */
  readonly added: number;
  /** As lines of a rolling memory, which is where problems belong. */
  readonly issues: readonly { readonly line: string; readonly date: string }[];
  /** Turns that were counted, where no index has them. */
  readonly counter?: number;
}

/** Somebody else's program wrote these down: they are worth a look before they are trusted. */
const CONFIDENCE = 0.6;
const IMPORTED = { source: 'import', trigger: 'imported', confidence: CONFIDENCE, contradictions: 0 } as const;

/** Decisions become core logic and patterns rules, each once; what was forgotten here stays forgotten. The old lists stay where they are. */
export function legacyFactsIn(document: FactsDocument): LegacyFacts {
  const parsed = legacyFactsSchema.safeParse(document);
  if (!parsed.success) return { document, added: 0, issues: [] };
  const { decisions, patterns, issues, _meta: meta } = parsed.data;
  const book = new ImportedFacts(document);
  for (const { content, date } of patterns) book.addRule(writable(content), date);
  for (const decision of decisions) book.addDecision(decision);
  return {
    document: book.document(),
    added: book.added,
    issues: issues.map(({ content, status, date }) => ({
      line: `- **${status === 'resolved' ? 'Fixed' : 'Open'}:** ${writable(content).replace(/\s+/g, ' ')}`,
      date,
    })),
    ...(meta?.counter !== undefined && { counter: meta.counter }),
  };
}

/** Adds facts to a document, each once. */
class ImportedFacts {
  added = 0;
  private readonly rules: RuleFact[];
  private readonly core: CoreLogicFact[];
  private readonly numbers: Record<string, number>;
  private readonly known: Set<string>;

  constructor(private readonly before: FactsDocument) {
    const { rules, core_logic: core } = before.permanent;
    this.rules = [...rules];
    this.core = [...core];
    this.numbers = { ...before.numbers };
    const words = [...rules.map(({ content }) => content), ...core.map(({ description }) => description)];
    this.known = new Set([...words.map(wordsKey), ...[...rules, ...core].flatMap(({ key }) => key ?? [])]);
  }

  document(): FactsDocument {
    const permanent = { ...this.before.permanent, rules: this.rules, core_logic: this.core };
    return { ...this.before, permanent, numbers: this.numbers };
  }

  addRule(content: string, date: string): void {
    const key = wordsKey(content);
    if (!this.isNew(key)) return;
    this.rules.push({ ...IMPORTED, id: this.nextId('r', this.rules), key, content, last_validated: date });
  }

  addDecision({ content, reason, date, files }: { content: string; reason: string; date: string; files: string[] }) {
    const decided = writable(content);
    const description = reason === '' ? decided : `${decided} — ${writable(reason)}`;
    const key = wordsKey(description);
    if (!this.isNew(key)) return;
    const feature = topicOf(decided) || decided;
    const id = this.nextId('cl', this.core);
    this.core.push({ ...IMPORTED, id, key, feature, description, files: files.map(writable), last_validated: date });
  }

  private isNew(key: string): boolean {
    if (key === '' || this.known.has(key) || this.before.forgotten.includes(tombstone(key))) return false;
    this.known.add(key);
    this.added += 1;
    return true;
  }

  private nextId(kind: 'r' | 'cl', facts: readonly { id: string }[]): string {
    const highest = Math.max(0, ...facts.map(({ id }) => Number(id.replace(/\D/g, '')) || 0));
    const number = Math.max(this.numbers[kind] ?? 0, highest) + 1;
    this.numbers[kind] = number;
    return `${kind}${String(number).padStart(3, '0')}`;
  }
}
