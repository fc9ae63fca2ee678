import { factText } from './proposals';
import * as z from 'zod/mini';
import { count, text } from '../../model/fields';
import type { Evidence, FactsDocument, ProposedFact } from '../../model/layers';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { topicOf } from '../../material/keywords';
import { hash64 } from '../../text/hash64';
import { parsedJson } from '../../text/ownValue';
import { parseTornJson } from '../../model/tornJson';
import { emptyFacts, readFacts } from '../documents';
import { singleSpaced } from '../../text/cleanText';
import { allFacts, holds, saidBy, type AnyFact, tombstone } from './factLists';
import { wordsKey } from './stated';
import type { FactKind } from './factViews';

/** Somebody has to look at all of them. */
const MOST_FOREIGN = 500;
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
  const document = readForeignFacts(text);
  return [...statementsOf(document), ...legacyFactsIn(document).statements];
}

/** A foreign `facts.json`, as far as it can be read; empty for one of a newer Keepit. */
export function readForeignFacts(text: string): FactsDocument {
  const reading = readFacts(parsedJson(text) ?? parseTornJson(text)); // such as one with a conflict in it
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
    const keys = [key, wordsKey(content)];
    const isKnown = known.has(id) || keys.some((one) => known.has(one) || forgotten.has(tombstone(one)));
    if (content === '' || key === '' || isKnown || added.length === MOST_FOREIGN) continue;
    known.add(key).add(id);
    added.push({
      id,
      key,
      kind,
      content,
      about,
      source,
      evidence,
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

const shortText = z._default(z.string(), '');

/** What memory-keeper plugins before version 8 kept in `facts.json`, beside what later ones do. */
const legacyFactsSchema = z.looseObject({
  _meta: z.optional(z.looseObject({ counter: z.optional(count) })),
  decisions: z._default(z.array(z.looseObject({ date: shortText, content: text, reason: shortText })), []),
  patterns: z._default(z.array(z.looseObject({ date: shortText, content: text, type: shortText })), []),
  issues: z._default(z.array(z.looseObject({ date: shortText, content: text, status: shortText })), []),
});

/** What an old `facts.json` says that ours has another place for. */
export interface LegacyFacts {
  readonly statements: readonly Statement[];
  /** As lines of a rolling memory, which is where problems belong. */
  readonly issues: readonly { readonly line: string; readonly date: string }[];
  /** Turns that were counted, where no index has them. */
  readonly counter?: number | undefined;
}

/** Decisions are core logic, and patterns rules. The old lists stay where they are. */
export function legacyFactsIn(document: FactsDocument): LegacyFacts {
  const { data } = legacyFactsSchema.safeParse(document);
  if (data === undefined) return { statements: [], issues: [] };
  const { decisions, patterns, issues, _meta: meta } = data;
  return {
    statements: [
      ...patterns.map(({ content }) => ({ kind: 'rules', about: '', content }) as const),
      ...decisions.map(({ content: decided, reason }) => {
        const content = [decided, reason].filter(Boolean).join(' — ');
        return { kind: 'core_logic', about: topicOf(decided) || decided, content } as const;
      }),
    ],
    issues: issues.map(({ content, status, date }) => ({
      line: `- **${status === 'resolved' ? 'Fixed' : 'Open'}:** ${singleSpaced(withoutSecrets(content))}`,
      date,
    })),
    counter: meta?.counter,
  };
}
