import { hash64 } from '../../text/hash64';
import type { FactsDocument, ProposedFact } from '../../model/layers';
import { parseTornJson } from '../../model/tornJson';
import { emptyFacts, readFacts } from '../documents';
import { legacyFactsIn } from '../legacy/legacyFacts';
import { writable } from '../../text/writable';
import type { FactKind } from './factViews';
import { wordsKey } from './ruleFinder';
import { tombstone } from './tombstone';
import { singleSpaced } from '../../text/singleSpaced';

/** Somebody has to look at all of them. */
const MOST_FOREIGN = 500;
const MAX_CONTENT = 600;
const ID_LENGTH = 8;

/** What a fact says, whatever else is claimed of it. */
interface Statement {
  readonly kind: FactKind;
  readonly about: string;
  readonly content: string;
}

/**
 * A document with the facts of a foreign `facts.json` among those that wait for a person's word. Of what is claimed there only the words
 * are taken: who said them, where, and what was confirmed is nobody's word here. What is known, rejected or forgotten already is left out.
 */
export function withForeignFacts(document: FactsDocument, text: string): FactsDocument {
  return withForeign(document, statementsOf(legacyFactsIn(readForeignFacts(text)).document));
}

/** A foreign `facts.json`, as far as it can be read; empty for one of a newer Keepit. */
export function readForeignFacts(text: string): FactsDocument {
  const reading = readFacts(jsonOf(text));
  return reading.state === 'newer' ? emptyFacts() : reading.document;
}

/** As `withForeignFacts`, of facts that were found in a foreign session. */
export function withFoundFacts(document: FactsDocument, found: Pick<FactsDocument, 'permanent'>): FactsDocument {
  return withForeign(document, statementsOf({ ...found, proposed: [] }));
}

/** Without foreign facts that the user has stated since. */
export function withoutStated(document: FactsDocument): FactsDocument {
  if (!document.proposed.some(({ origin }) => origin !== undefined)) return document;
  const { rules, solutions, core_logic: core } = document.permanent;
  const stated = new Set([...rules, ...solutions, ...core].map(({ key }) => key));
  return {
    ...document,
    proposed: document.proposed.filter(({ origin, key }) => origin === undefined || !stated.has(key)),
  };
}

function withForeign(document: FactsDocument, statements: readonly Statement[]): FactsDocument {
  const known = knownIn(document);
  const forgotten = new Set(document.forgotten);
  const added: ProposedFact[] = [];
  for (const { kind, about, content } of statements) {
    const key = wordsKey(`${about} ${content}`);
    const id = `f-${lettersOf(hash64(`${kind} ${about} ${content}`)).slice(0, ID_LENGTH)}`;
    const isKnown = known.has(key) || known.has(id) || forgotten.has(tombstone(key));
    if (key === '' || isKnown || added.length === MOST_FOREIGN) continue;
    known.add(key).add(id);
    added.push({
      id,
      key,
      kind,
      content,
      about,
      source: 'foreign',
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
  const holds = (fact: { isRejected?: boolean | undefined; supersededBy?: string | undefined }): boolean =>
    fact.isRejected !== true && fact.supersededBy === undefined;
  const statement = (kind: FactKind, about: string, content: string): Statement => {
    return { kind, about: factText(about), content: factText(content) };
  };
  return [
    ...permanent.rules.filter(holds).map(({ content }) => statement('rules', '', content)),
    ...permanent.solutions.filter(holds).map(({ problem, solution }) => statement('solutions', problem, solution)),
    ...permanent.core_logic.filter(holds).map((fact) => statement('core_logic', fact.feature, fact.description)),
    ...proposed.filter(holds).map(({ kind, about, content }) => statement(kind, about, content)),
  ];
}

/** All that is known of facts already, by what they say and by their ids. */
function knownIn({ permanent, proposed }: FactsDocument): Set<string> {
  const { rules, solutions, core_logic: core } = permanent;
  const said = [
    ...rules.map(({ content }) => content),
    ...solutions.map(({ problem, solution }) => `${problem} ${solution}`),
    ...core.map(({ feature, description }) => `${feature} ${description}`),
    ...proposed.map(({ about, content }) => `${about} ${content}`),
  ];
  const all = [...rules, ...solutions, ...core, ...proposed];
  return new Set([...said.map(wordsKey), ...all.flatMap(({ id, key }) => (key === undefined ? [id] : [id, key]))]);
}

/** No digits: those of an id tell in which order facts of our own were found. */
function lettersOf(hex: string): string {
  return hex.replace(/[0-9a-f]/g, (digit) => String.fromCharCode('a'.charCodeAt(0) + Number.parseInt(digit, 16)));
}

function factText(text: string): string {
  return singleSpaced(writable(text)).slice(0, MAX_CONTENT);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseTornJson(text); // such as one with a conflict in it
  }
}
