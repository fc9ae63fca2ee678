import * as z from 'zod/mini';
import { count } from '../../model/fields';
import type { CoreLogicFact, Evidence, FactsDocument, RuleFact, ProposedFact } from '../../model/layers';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { topicOf } from '../../material/keywords';
import { hash64 } from '../../text/hash64';
import { parseTornJson } from '../../model/tornJson';
import { emptyFacts, readFacts } from '../documents';
import { singleSpaced } from '../../text/cleanText';
import { allFacts, holds, saidBy, type AnyFact, tombstone } from './factLists';
import { wordsKey } from './stated';
import type { FactKind } from './factViews';

/** Somebody has to look at all of them. */
const MOST_FOREIGN = 500;
const MAX_CONTENT = 600;
const ID_LENGTH = 8;

/** What a fact says, whatever else is claimed of it. */
export interface Statement {
  readonly kind: FactKind;
  readonly about: string;
  readonly content: string;
  /** The tool that it comes from, and where it stands there, where somebody asked for it. */
  readonly source?: string;
  readonly evidence?: Evidence;
}

/**
 * A document with the facts of a foreign `facts.json` among those that wait for a person's word. Of what is claimed there only the words
 * are taken: who said them, where, and what was confirmed is nobody's word here. What is known, rejected or forgotten already is left out.
 */
export function withForeignFacts(document: FactsDocument, text: string): FactsDocument {
  return withStatements(document, foreignStatements(text));
}

/** What a foreign `facts.json` claims. */
export function foreignStatements(text: string): Statement[] {
  return statementsOf(legacyFactsIn(readForeignFacts(text)).document);
}

/** A foreign `facts.json`, as far as it can be read; empty for one of a newer Keepit. */
export function readForeignFacts(text: string): FactsDocument {
  const reading = readFacts(jsonOf(text));
  return reading.state === 'newer' ? emptyFacts() : reading.document;
}

/** As `withForeignFacts`, of facts that were found in a foreign session. */
export function withFoundFacts(document: FactsDocument, found: Pick<FactsDocument, 'permanent'>): FactsDocument {
  return withStatements(document, statementsOf({ ...found, proposed: [] }));
}

/** Without proposals that the user has stated since. */
export function withoutStated(document: FactsDocument): FactsDocument {
  const stated = new Set(allFacts(document.permanent).map(({ key }) => key));
  return {
    ...document,
    proposed: document.proposed.filter(({ key, isRejected }) => isRejected === true || !stated.has(key)),
  };
}

/** A document with these among what waits for a person's word, each once. */
export function withStatements(document: FactsDocument, statements: readonly Statement[]): FactsDocument {
  const known = knownIn(document);
  const forgotten = new Set(document.forgotten);
  const added: ProposedFact[] = [];
  for (const { kind, source = 'foreign', evidence, ...said } of statements) {
    const [about, content] = [factText(said.about), factText(said.content)];
    const key = wordsKey(`${about} ${content}`);
    const id = `f-${lettersOf(hash64(`${kind} ${about} ${content}`)).slice(0, ID_LENGTH)}`;
    const isKnown = known.has(key) || known.has(id) || forgotten.has(tombstone(key));
    if (content === '' || key === '' || isKnown || added.length === MOST_FOREIGN) continue;
    known.add(key).add(id);
    added.push({
      id,
      key,
      kind,
      content,
      about,
      source,
      ...(evidence !== undefined && { evidence }),
      origin: 'foreign',
      confidence: 0,
      contradictions: 0,
      last_validated: '',
    });
  }
  return added.length === 0 ? document : { ...document, proposed: [...document.proposed, ...added] };
}

/** The words that hold there. */
function statementsOf({ permanent, proposed }: Pick<FactsDocument, 'permanent' | 'proposed'>): Statement[] {
  const { rules, solutions, core_logic: core } = permanent;
  const told = (kind: FactKind, facts: readonly AnyFact[]): Statement[] =>
    facts.filter(holds).map((fact) => ({ kind, ...saidBy(fact) }));
  return [
    ...told('rules', rules),
    ...told('solutions', solutions),
    ...told('core_logic', core),
    ...proposed.filter(holds).map(({ kind, about, content }) => ({ kind, about, content })),
  ];
}

/** All that is known of facts already, by what they say and by their ids. */
function knownIn({ permanent, proposed }: FactsDocument): Set<string> {
  const facts = allFacts(permanent);
  const said = [...facts.map(saidBy), ...proposed].map(({ about, content }) => wordsKey(`${about} ${content}`));
  return new Set([
    ...said,
    ...[...facts, ...proposed].flatMap(({ id, key }) => (key === undefined ? [id] : [id, key])),
  ]);
}

/** No digits: those of an id tell in which order facts of our own were found. */
function lettersOf(hex: string): string {
  return hex.replace(/[0-9a-f]/g, (digit) => String.fromCharCode('a'.charCodeAt(0) + Number.parseInt(digit, 16)));
}

function factText(text: string): string {
  return singleSpaced(withoutSecrets(text)).slice(0, MAX_CONTENT);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseTornJson(text); // such as one with a conflict in it
  }
}

const shortText = z._default(z.string(), '');

const texts = z._default(z.array(z.string()), []);

/** What memory-keeper plugins before version 8 kept in `facts.json`, beside what later ones do. */
const legacyFactsSchema = z.looseObject({
  _meta: z.optional(z.looseObject({ counter: z.optional(count) })),
  decisions: z._default(
    z.array(z.looseObject({ date: shortText, content: z.string(), reason: shortText, files: texts })),
    [],
  ),
  patterns: z._default(z.array(z.looseObject({ date: shortText, content: z.string(), type: shortText })), []),
  issues: z._default(z.array(z.looseObject({ date: shortText, content: z.string(), status: shortText })), []),
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
  for (const { content, date } of patterns) book.addRule(withoutSecrets(content), date);
  for (const decision of decisions) book.addDecision(decision);
  return {
    document: book.document(),
    added: book.added,
    issues: issues.map(({ content, status, date }) => ({
      line: `- **${status === 'resolved' ? 'Fixed' : 'Open'}:** ${withoutSecrets(content).replace(/\s+/g, ' ')}`,
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
    const decided = withoutSecrets(content);
    const description = reason === '' ? decided : `${decided} — ${withoutSecrets(reason)}`;
    const key = wordsKey(description);
    if (!this.isNew(key)) return;
    const feature = topicOf(decided) || decided;
    const id = this.nextId('cl', this.core);
    this.core.push({
      ...IMPORTED,
      id,
      key,
      feature,
      description,
      files: files.map(withoutSecrets),
      last_validated: date,
    });
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
