import type { Evidence, FactsDocument, ProposedFact } from '../../model/layers';
import { LayersError } from '../layerStore';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { singleSpaced } from '../../text/cleanText';
import { allFacts, tombstone } from './factLists';
import type { FactKind } from './factViews';
import { wordsKey } from './stated';

/** Something that a model would like to be remembered. */
export interface Proposal {
  readonly kind: FactKind;
  /** The rule, the solution, or what the feature does. */
  readonly content: string;
  /** The problem of a solution, the name of a feature. */
  readonly about?: string | undefined;
  /** What it was seen in. */
  readonly evidence?: Evidence;
}

/** `known`: a fact or an open proposal says so already; `declined`: a person did not want it before. */
export type ProposalOutcome = 'proposed' | 'known' | 'declined';

/** Somebody has to look at all of them. */
const MOST_OPEN = 100;
const MAX_CONTENT = 600;
const MAX_EXCERPT = 240;
const CONFIDENCE = 0.3;

/** Puts a proposal into the queue for people. It counts for nothing before somebody confirms it. Throws `LayersError` where it has no words, or the queue is full. */
export function proposed(
  document: FactsDocument,
  { kind, content, about = '', evidence }: Proposal,
  nowIso: string,
): { document: FactsDocument; id: string; outcome: ProposalOutcome } {
  const words = factText(content);
  const key = wordsKey(`${factText(about)} ${words}`);
  if (key === '') throw new LayersError('empty-fact', 'that is proposed');
  const known = knownAs(document, key);
  if (known !== undefined) return { document, ...known };
  if (document.proposed.filter((one) => one.isRejected !== true && one.origin === undefined).length >= MOST_OPEN) {
    throw new LayersError('queue-full', String(MOST_OPEN));
  }
  const number = (document.numbers['p'] ?? 0) + 1;
  const id = `p${String(number).padStart(3, '0')}`;
  const excerpt = evidence && { ...evidence, excerpt: factText(evidence.excerpt).slice(0, MAX_EXCERPT) };
  const fact: ProposedFact = {
    id,
    key,
    kind,
    content: words,
    about: factText(about),
    source: 'model',
    trigger: 'proposed',
    confidence: CONFIDENCE,
    contradictions: 0,
    last_validated: nowIso.slice(0, 10),
    proposedAt: nowIso,
    evidence: excerpt,
  };
  const changed = { ...document, proposed: [...document.proposed, fact], numbers: { ...document.numbers, p: number } };
  return { document: changed, id, outcome: 'proposed' };
}

/** Undefined when no proposal has that id. Confirming and editing make a fact of it; rejecting keeps it from being proposed again. */
export function changedProposal(
  document: FactsDocument,
  id: string,
  change: FactChange,
  nowIso: string,
): FactsDocument | undefined {
  const fact = document.proposed.find((one) => one.id === id);
  if (fact === undefined) return undefined;
  const others = document.proposed.filter((one) => one !== fact);
  if (change.to === 'rejected') return { ...document, proposed: [...others, { ...fact, isRejected: true }] };
  if (change.to === 'forgotten') {
    const forgotten = [...new Set([...document.forgotten, tombstone(fact.key ?? '')])];
    return { ...document, proposed: others, forgotten };
  }
  const content = change.to === 'edited' ? withoutSecrets(change.content).trim() : fact.content;
  if (content === '') throw new LayersError('empty-fact', id);
  const isEdited = change.to === 'edited' ? { isEdited: true } : {};
  return withFact({ ...document, proposed: others }, { ...fact, ...isEdited, content }, nowIso);
}

function withFact(document: FactsDocument, fact: ProposedFact, nowIso: string): FactsDocument {
  const { kind, content, about, isRejected: _rejected, origin: _origin, proposedAt: _proposedAt, ...fields } = fact;
  const common = { ...fields, confidence: 1, isConfirmed: true, last_validated: nowIso.slice(0, 10) };
  const { permanent } = document;
  const { rules, solutions, core_logic: core } = permanent;
  if (kind === 'rules') return { ...document, permanent: { ...permanent, rules: [...rules, { ...common, content }] } };
  if (kind === 'solutions') {
    const solution = { ...common, problem: about, solution: content, attempts: 0 };
    return { ...document, permanent: { ...permanent, solutions: [...solutions, solution] } };
  }
  const logic = { ...common, feature: about, description: content, files: [] };
  return { ...document, permanent: { ...permanent, core_logic: [...core, logic] } };
}

function knownAs(
  { permanent, proposed: open, forgotten }: FactsDocument,
  key: string,
): { id: string; outcome: ProposalOutcome } | undefined {
  if (forgotten.includes(tombstone(key))) return { id: '', outcome: 'declined' };
  const facts = [...allFacts(permanent), ...open];
  const fact = facts.find((one) => one.key === key && one.supersededBy === undefined);
  return fact && { id: fact.id, outcome: fact.isRejected === true ? 'declined' : 'known' };
}

/** What a fact says: in one line, without secrets, not too long. */
export function factText(text: string): string {
  return singleSpaced(withoutSecrets(text)).slice(0, MAX_CONTENT);
}

/** What can be done about a fact. */
export type FactChange =
  | { readonly to: 'confirmed' }
  | { readonly to: 'edited'; readonly content: string }
  | { readonly to: 'rejected' }
  | { readonly to: 'forgotten' };
