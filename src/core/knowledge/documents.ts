import { validItems } from '../model/manifestDocument';
import {
  conceptsDocumentSchema,
  exchangesDocumentSchema,
  factsDocumentSchema,
  coreLogicFactSchema,
  layersStateSchema,
  proposedFactSchema,
  ruleFactSchema,
  solutionFactSchema,
  type ConceptsDocument,
  type ExchangesDocument,
  type FactsDocument,
  type LayersState,
} from '../model/layers';
import { isObject, upgrade, type JsonObject } from '../model/migrations';
import { SCHEMA_VERSION } from '../model/fields';
import { isErased } from '../text/secrets/privateText';
import { sessionReadingSchema, type SessionReading } from '../model/sessionReading';

/** What a file of the layers turned out to be. `damaged` holds what is valid by itself. */
export type Reading<T> =
  | { readonly state: 'sound'; readonly document: T }
  | { readonly state: 'damaged'; readonly document: T }
  | { readonly state: 'newer' };

export function emptyFacts(): FactsDocument {
  return {
    version: SCHEMA_VERSION,
    keywords: {},
    permanent: { rules: [], solutions: [], core_logic: [] },
    proposed: [],
    stats: { total_exchanges: 0, total_concepts: 0, last_updated: '' },
    forgotten: [],
    numbers: {},
  };
}

export function emptyState(): LayersState {
  return { version: SCHEMA_VERSION, sessions: {}, lastExchange: 0 };
}

/** Also of other tools, which give it no version, and leave out what they do not know. */
export function readFacts(value: unknown): Reading<FactsDocument> {
  const document = current(value);
  if (document === undefined) return { state: 'newer' };
  if (!isObject(document)) return { state: 'damaged', document: emptyFacts() };
  const empty = emptyFacts();
  const permanent = isObject(document['permanent'])
    ? { ...empty.permanent, ...document['permanent'] }
    : empty.permanent;
  const checked = factsDocumentSchema.safeParse({
    ...empty,
    ...ofOurs(document),
    permanent,
    stats: statsOf(document['stats']),
  });
  if (checked.success) return { state: 'sound', document: withoutErased(checked.data) };
  return { state: 'damaged', document: salvagedFacts(document, permanent) };
}

/** A list without a frame is read as well: seed 003 shows one entry alone. */
export function readConcepts(value: unknown): Reading<ConceptsDocument> {
  return readFramed(value, 'concepts', conceptsDocumentSchema, { version: SCHEMA_VERSION, concepts: [] });
}

export function readExchanges(value: unknown, sessionId: string): Reading<ExchangesDocument> {
  return readFramed(value, 'exchanges', exchangesDocumentSchema, { version: SCHEMA_VERSION, sessionId, exchanges: [] });
}

/** Nothing of a damaged one is used. */
export function readReading(value: unknown): Reading<SessionReading | undefined> {
  const document = current(value);
  if (document === undefined) return { state: 'newer' };
  const { data } = sessionReadingSchema.safeParse(document);
  return data === undefined ? { state: 'damaged', document: undefined } : { state: 'sound', document: data };
}

export function readState(value: unknown): Reading<LayersState> {
  return readFramed(value, 'sessions', layersStateSchema, emptyState());
}

function readFramed<T>(
  value: unknown,
  list: string,
  schema: { safeParse(value: unknown): { success: boolean; data?: T | undefined } },
  empty: T,
): Reading<T> {
  const framed = Array.isArray(value) ? { [list]: value } : value;
  const document = current(framed);
  if (document === undefined) return { state: 'newer' };
  const { data } = schema.safeParse(isObject(document) ? { ...empty, ...ofOurs(document) } : document);
  return data === undefined ? { state: 'damaged', document: empty } : { state: 'sound', document: data };
}

/** Other tools write versions of their own, in words: they tell nothing about the form. */
function ofOurs(document: JsonObject): JsonObject {
  const { version, ...rest } = document;
  return typeof version === 'string' ? rest : document;
}

/** Undefined for what a newer build has written. */
function current(value: unknown): unknown {
  const upgraded = upgrade(value, []);
  if (upgraded.state === 'newer') return undefined;
  return upgraded.state === 'foreign' ? value : upgraded.document;
}

/** A fact whose words were erased says nothing any more. */
function withoutErased(document: FactsDocument): FactsDocument {
  const { rules, solutions, core_logic: core } = document.permanent;
  const permanent = {
    ...document.permanent,
    rules: rules.filter(({ content }) => !isErased(content)),
    solutions: solutions.filter(({ problem, solution }) => !isErased(problem) && !isErased(solution)),
    core_logic: core.filter(({ description }) => !isErased(description)),
  };
  return { ...document, permanent, proposed: document.proposed.filter(({ content }) => !isErased(content)) };
}

function statsOf(stats: unknown): JsonObject {
  return { ...emptyFacts().stats, ...(isObject(stats) ? stats : {}) };
}

/** Every fact that is valid by itself, and every tombstone: what was forgotten stays forgotten. */
function salvagedFacts(document: JsonObject, permanent: JsonObject): FactsDocument {
  const empty = emptyFacts();
  const forgotten = Array.isArray(document['forgotten']) ? document['forgotten'] : [];
  return {
    ...empty,
    permanent: {
      rules: validItems(permanent['rules'], ruleFactSchema),
      solutions: validItems(permanent['solutions'], solutionFactSchema),
      core_logic: validItems(permanent['core_logic'], coreLogicFactSchema),
    },
    proposed: validItems(document['proposed'], proposedFactSchema),
    forgotten: forgotten.filter((key): key is string => typeof key === 'string'),
  };
}
