import type {
  CoreLogicFact,
  Evidence,
  Exchange,
  FactsDocument,
  ProposedFact,
  RuleFact,
  SolutionFact,
  L1Entry,
} from '../../model/layers';
import { cutAtWord } from '../../text/sentences';
import { wordsOf } from '../../text/words';
import { LayersError } from '../layerStore';
import { readStatement } from '../../material/replacing';
import { outdatedNote } from './anchors';
import { ANSWERED, REFUSED } from './decisions';
import { HABIT } from './habits';
import { statementScore } from './statementModel';

/**
 * Whose word a fact is: the user's, a record's of what happened, Claude's about its own work, or nobody's yet: what is proposed is never
 * given to a session.
 */
export type Trust = 'stated' | 'proved' | 'reported' | 'proposed';

export type FactKind = 'rules' | 'solutions' | 'core_logic';

/** Seed 000, 7.4: what happened again and again, what was decided, what the user wants, and what else is so. */
type FactType = 'pattern' | 'decision' | 'preference' | 'fact';

/** A fact as people are shown it. */
export interface FactView {
  readonly id: string;
  readonly kind: FactKind;
  readonly type: FactType;
  /** One text, whatever the kind. */
  readonly content: string;
  /** The part of it that editing replaces. */
  readonly words: string;
  readonly confidence: number;
  readonly trust: Trust;
  /** It was found in the project, and this memory did not write it. */
  readonly origin?: 'foreign';
  readonly contradictions: number;
  readonly lastValidated: string;
  /** `rejected` and `superseded` ones are history. */
  readonly state: 'valid' | 'review' | 'superseded' | 'rejected';
  readonly isConfirmed: boolean;
  /** What it names and is gone: it waits in the review queue until somebody confirms it. */
  readonly outdated?: string | undefined;
  /** A model would like it to be remembered, or it is foreign; it waits in the review queue, and counts for nothing before it is confirmed. */
  readonly isProposed?: true;
  readonly trigger?: string | undefined;
  /** What a model said of it that was asked before a person is. */
  readonly advice?: string | undefined;
  /** Absent in a file of another tool that does not say it. */
  readonly source?: Evidence & { readonly by: string };
  /** All that shows it, the first one first. */
  readonly sources?: readonly Evidence[] | undefined;
  readonly supersedes?: string | undefined;
  readonly supersededBy?: string | undefined;
}

/** Found in the project, written by somebody else, and not accepted yet. */
export function isForeign({ origin, state }: FactView): boolean {
  return origin === 'foreign' && state === 'review';
}

export interface FactFilter {
  readonly kind?: FactKind | undefined;
  readonly type?: FactType | undefined;
  /** Only what has to be looked at. */
  readonly review?: boolean;
  /** Also what is no longer valid. */
  readonly all?: boolean;
  /** Also what is foreign. */
  readonly foreign?: boolean;
  /** Also what Claude reported of its work. */
  readonly reported?: boolean;
}

/** Seed 003: so many actions against a fact, and it has to be looked at. */
export const REVIEW_AT = 5;

/** The facts of a document, those that were stated last first. */
export function factViews(document: FactsDocument, filter: FactFilter = {}): FactView[] {
  const { rules, solutions, core_logic: core } = document.permanent;
  const views = [
    ...rules.map((fact) => view(fact, 'rules', [fact.content, fact.content])),
    ...solutions.map((fact) => view(fact, 'solutions', [`${fact.problem} → ${fact.solution}`, fact.solution])),
    ...core.map((fact) => view(fact, 'core_logic', [coreLogicText(fact), fact.description])),
    ...document.proposed.map(proposalView),
  ];
  return views
    .filter((fact) => isAskedFor(fact, filter))
    .filter((fact) => {
      const { state, isProposed } = fact;
      if (filter.review === true) return state === 'review';
      if (filter.foreign === true && isForeign(fact)) return true;
      return filter.all === true || state === 'valid' || (state === 'review' && isProposed !== true);
    })
    .sort((a, b) => rankOf(b) - rankOf(a) || compare(b.source?.ts ?? '', a.source?.ts ?? ''));
}

function view(
  fact: RuleFact | SolutionFact | CoreLogicFact | ProposedFact,
  kind: FactKind,
  [content, words]: readonly [string, string],
): FactView {
  const { id, confidence, contradictions, last_validated: lastValidated, trigger, evidence, source } = fact;
  return {
    id,
    kind,
    type: typeOf(kind, fact),
    content,
    words,
    confidence,
    trust: trustOf(fact),
    contradictions,
    lastValidated,
    state: stateOf(fact),
    isConfirmed: fact.isConfirmed === true,
    outdated: outdatedNote(fact),
    trigger,
    advice: fact.advice,
    ...(evidence !== undefined && { source: { ...evidence, by: source } }),
    ...(evidence !== undefined && fact.sources !== undefined && { sources: [evidence, ...fact.sources] }),
    supersedes: fact.supersedes,
    supersededBy: fact.supersededBy,
  };
}

/** The feature is told once. */
function coreLogicText({ feature, description, trigger, files, sources = [] }: CoreLogicFact): string {
  if (trigger === HABIT) return [`${description}: ${sources.length + 1} sessions`, ...files].join(', ');
  const there = new Set(wordsOf(description).map(({ stem }) => stem));
  return wordsOf(feature).every(({ stem }) => there.has(stem)) ? description : `${feature}: ${description}`;
}

function proposalView(fact: ProposedFact): FactView {
  const { kind, about, content } = fact;
  const parted = kind === 'solutions' ? `${about} → ${content}` : `${about}: ${content}`;
  const shown = view(fact, kind, [kind === 'rules' || about === '' ? content : parted, content]);
  const state = fact.isRejected === true ? 'rejected' : 'review';
  const origin = fact.origin === undefined ? {} : { origin: fact.origin };
  return { ...shown, state, trust: 'proposed', isProposed: true, ...origin };
}

/** Whether a fact is of the kind and of the type that are wanted. */
export function isAskedFor({ kind, type }: FactView, wanted: Pick<FactFilter, 'kind' | 'type'>): boolean {
  return (wanted.kind ?? kind) === kind && (wanted.type ?? type) === type;
}

/** Files of other tools do not say how they came to what they call core logic: then nobody has decided it here. */
function typeOf(kind: FactKind, { trigger }: { readonly trigger?: string | undefined }): FactType {
  if (kind === 'rules') return 'preference';
  if (trigger === HABIT) return 'pattern';
  if (kind === 'solutions') return trigger === 'repeated' ? 'pattern' : 'fact';
  return trigger === 'decided' || trigger === 'noted' || trigger === 'proposed' ? 'decision' : 'fact';
}

function trustOf({ isConfirmed, source, evidence }: RuleFact | SolutionFact | CoreLogicFact | ProposedFact): Trust {
  if (isConfirmed === true) return 'stated';
  if (evidence === undefined) return 'proposed';
  if (source === 'user') return 'stated';
  return source === 'session' ? 'proved' : 'reported';
}

function stateOf(fact: RuleFact | SolutionFact | CoreLogicFact | ProposedFact): FactView['state'] {
  if (fact.isRejected === true) return 'rejected';
  if (fact.supersededBy !== undefined) return 'superseded';
  return fact.contradictions >= REVIEW_AT || outdatedNote(fact) !== undefined ? 'review' : 'valid';
}

/** What is proposed comes after what holds, the likeliest first. */
function rankOf({ isProposed, confidence }: FactView): number {
  return isProposed === true ? confidence : 2;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const MAX_EXCERPT = 240;
/** Claude's own word for its own work. */
export const REPORTED = 0.6;

/** What Claude said of its work when it was done with each request, and nobody took back. */
export function reportedViews(sessionId: string, exchanges: readonly Exchange[]): FactView[] {
  const last = new Map(exchanges.map(({ closing, id }) => [closing, id])); // several requests may end with one message
  return exchanges.flatMap(({ id, ts, details, closing, isReported, outcome, isAside }): FactView[] => {
    if (closing === undefined || isReported !== true || last.get(closing) !== id || isAside === true) return [];
    if (outcome === 'corrected' || outcome === 'abandoned') return [];
    return [
      {
        id,
        kind: 'core_logic',
        type: 'fact',
        content: details,
        words: details,
        confidence: REPORTED,
        trust: 'reported',
        contradictions: 0,
        lastValidated: ts.slice(0, 10),
        state: 'valid',
        isConfirmed: false,
        trigger: 'reported',
        source: { sessionId, messageUuid: closing, excerpt: cutAtWord(details, MAX_EXCERPT), ts, by: 'session' },
      },
    ];
  });
}

/** Why a fact is told: what was said, where, and what it replaced. */
export interface FactReasons {
  readonly fact: FactView;
  readonly quote: string;
  /** Those that it rests on, the first one first; without text where a session is not layered any more. */
  readonly messages: readonly { readonly sessionId: string; readonly messageUuid: string; readonly text: string }[];
  /** The chain of what it replaced, the latest first. */
  readonly replaced: readonly FactView[];
}

/** L1 of sessions, as far as it is there. */
type ReadL1 = (sessionId?: string) => Promise<{
  readonly layer: string;
  readonly sessions?: readonly { readonly sessionId: string; readonly entries?: readonly L1Entry[] }[];
}>;

/** Throws `LayersError` where neither a fact nor a message has that id. */
export async function factReasons(facts: readonly FactView[], id: string, readL1: ReadL1): Promise<FactReasons> {
  const fact = facts.find((one) => one.id === id) ?? (await messageView(id, readL1));
  const sources = fact.sources ?? (fact.source === undefined ? [] : [fact.source]);
  const messages = [];
  for (const { sessionId, messageUuid } of sources) {
    const { sessions = [] } = await readL1(sessionId);
    messages.push({
      sessionId,
      messageUuid,
      text: saidIn(
        sessions.flatMap(({ entries = [] }) => entries),
        messageUuid,
      ),
    });
  }
  return { fact, quote: fact.source?.excerpt ?? '', messages, replaced: chainOf(fact, facts) };
}

/** A message, by which a line is told of where the work stands, in the form of a fact. */
async function messageView(uuid: string, readL1: ReadL1): Promise<FactView> {
  const { sessions = [] } = await readL1();
  for (const { sessionId, entries = [] } of sessions) {
    const first = entries.find((entry) => entry.uuid === uuid);
    if (first === undefined) continue;
    const { ts, role } = first;
    const content = saidIn(entries, uuid);
    const isTheirs = role === 'user';
    return {
      id: uuid,
      kind: 'core_logic',
      type: 'fact',
      content,
      words: content,
      confidence: isTheirs ? 1 : REPORTED,
      trust: isTheirs ? 'stated' : role === 'tool' ? 'proved' : 'reported',
      contradictions: 0,
      state: 'valid',
      lastValidated: ts.slice(0, 10),
      isConfirmed: false,
      source: { sessionId, messageUuid: uuid, excerpt: content, ts, by: isTheirs ? 'user' : 'session' },
    };
  }
  throw new LayersError('unknown-fact', uuid);
}

function saidIn(entries: readonly L1Entry[], uuid: string): string {
  const said = entries.filter((entry) => entry.uuid === uuid);
  return said.flatMap(({ text, target }) => text ?? target ?? []).join('\n\n');
}

function chainOf(fact: FactView, facts: readonly FactView[]): FactView[] {
  const chain = new Set<FactView>([fact]);
  for (const one of chain) for (const other of facts) if (other.supersededBy === one.id) chain.add(other);
  return [...chain].slice(1);
}

/** What a hook may give to a model as holding: what the user said themself, or confirmed, and what records prove. */
export function isTrusted({ state, trust }: FactView): boolean {
  return state === 'valid' && (trust === 'stated' || trust === 'proved');
}

/** Hardly anything that is meant for the moment reads so. */
const SURE = 0.75;

/**
 * What was said to one call that was refused is mostly meant for that one. It goes beyond it where it names something instead, or reads like
 * what is to hold.
 */
export function isLasting({ content, isConfirmed }: FactView): boolean {
  const at = content.indexOf(`${REFUSED}${ANSWERED}`);
  if (at === -1 || isConfirmed) return true;
  const said = content.slice(at + REFUSED.length + ANSWERED.length);
  return readStatement(said).values.length > 0 || statementScore(said) >= SURE;
}
