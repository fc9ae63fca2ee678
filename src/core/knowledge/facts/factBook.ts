import { wordsOf } from '../../text/words';
import { quotedValues } from '../../text/terms';
import type { SourceMessage } from '../../material/types';
import type { CoreLogicFact, FactsDocument, RuleFact, SolutionFact } from '../../model/layers';
import { claimOf, type Claim } from './claims';
import { concernsSameNames, outdates, repeats } from './outdating';
import type { FoundDecision } from './decisions';
import type { FoundRule } from './ruleFinder';
import type { FoundSolution } from './solutionFinder';
import { tombstone } from './tombstone';
import { lightPattern } from './lightPattern';

/** Seed 003: so many actions against a fact, and it has to be looked at. */
export const REVIEW_AT = 5;

const MOST_CONTRADICTIONS_KEPT = 20;
const RESTATED = 0.02;
const DENIED = 0.1;
const LEAST_CONFIDENCE = 0.1;

type Kind = 'r' | 's' | 'cl' | 'h';
type AnyFact = RuleFact | SolutionFact | CoreLogicFact;

/** What all facts get that come out of a session. */
interface Origin {
  readonly sessionId: string;
  readonly nowIso: string;
}

/**
 * L4 while sessions come in, in any order. A statement counts once per message; the latest on a subject has the last word, and the
 * earlier one stays as its history. What people forgot does not come back, nor does what they rejected.
 */
export class FactBook {
  private readonly rules: RuleFact[];
  private readonly solutions: SolutionFact[];
  private readonly coreLogic: CoreLogicFact[];
  private readonly heard: RuleFact[];
  private readonly forgotten: ReadonlySet<string>;
  private readonly numbers: Record<string, number>;
  private readonly claims = new Map<string, Claim>();

  constructor(private readonly document: FactsDocument) {
    const { rules, solutions, core_logic: core, heard } = document.permanent;
    this.rules = rules.map((fact) => ({ ...fact }));
    this.solutions = solutions.map((fact) => ({ ...fact }));
    this.coreLogic = core.map((fact) => ({ ...fact }));
    this.heard = heard.map((fact) => ({ ...fact }));
    this.forgotten = new Set(document.forgotten);
    this.numbers = { ...document.numbers };
  }

  /** As the document has them now. */
  permanent(): Pick<FactsDocument, 'permanent' | 'numbers'> {
    const { rules, solutions, coreLogic, heard } = this;
    return {
      permanent: { ...this.document.permanent, rules, solutions, core_logic: coreLogic, heard },
      numbers: this.numbers,
    };
  }

  addRule(found: FoundRule, origin: Origin): void {
    const { content, key, confidence, trigger, evidence } = found;
    const known = this.known(this.rules, key, evidence.ts);
    if (known === 'done') return;
    if (known !== undefined) {
      this.restate(known, found, origin);
      this.settle(known);
      return;
    }
    if (trigger === 'release' && !this.lifts(content, evidence.messageUuid)) return;
    const fact = { ...this.common('r', found, origin), content, source: 'user', trigger, confidence };
    this.rules.push(fact);
    this.settle(fact);
  }

  /** What a tool or a page said: never a rule. */
  addHeard({ content, key, confidence, trigger, evidence }: FoundRule, origin: Origin): void {
    if (this.known(this.heard, key, evidence.ts) !== undefined) return;
    this.heard.push({ ...this.common('h', { key, evidence }, origin), content, source: 'tool', trigger, confidence });
  }

  addSolution(found: FoundSolution, origin: Origin): void {
    const { problem, solution, attempts, key, trigger, files, evidence } = found;
    const known = this.known(this.solutions, key, evidence.ts);
    if (known === 'done') return;
    if (known !== undefined) {
      known.attempts = Math.max(known.attempts, attempts);
      if (known.isEdited !== true) known.solution = solution;
      this.restate(known, found, origin);
      return;
    }
    const confidence = trigger === 'repeated' ? 0.95 : 0.8;
    const common = { ...this.common('s', found, origin), source: 'session', trigger, confidence };
    this.solutions.push({ ...common, problem, solution, attempts, files: [...files] });
  }

  addDecision(found: FoundDecision, origin: Origin): void {
    const { feature, description, files, key } = found;
    const [evidence, ...others] = found.evidence;
    const known = this.known(this.coreLogic, key, evidence.ts);
    if (known === 'done') return;
    if (known !== undefined) {
      this.restate(known, { evidence }, origin);
      return;
    }
    const sources = others.map((other) => ({ ...other, sessionId: origin.sessionId }));
    const common = {
      ...this.common('cl', { key, evidence }, origin),
      source: 'user',
      trigger: 'decided',
      confidence: 0.9,
    };
    const fact: CoreLogicFact = { ...common, feature, description, files: [...files], sources };
    const earlier = this.coreLogic.findLast(
      (other) =>
        other.supersededBy === undefined &&
        other.isRejected !== true &&
        wordKey(other.feature) === wordKey(feature) &&
        timeOf(other) <= timeOf(fact),
    );
    if (earlier !== undefined) {
      earlier.supersededBy = fact.id;
      fact.supersedes = earlier.id;
    }
    this.coreLogic.push(fact);
  }

  /** Counts what the assistant did against rules that forbid something: once per rule and message. */
  observe(message: SourceMessage, nowIso: string): void {
    if (message.role !== 'assistant' || message.tools.length === 0) return;
    const done = message.tools
      .filter(({ isError }) => !isError)
      .map(({ input }) => newText(input))
      .join('\n')
      .toLowerCase();
    if (done === '') return;
    for (const rule of this.rules) {
      if (rule.source !== 'user' || rule.supersededBy !== undefined || rule.isRejected === true) continue;
      const isLater = (message.timestamp ?? '') > timeOf(rule);
      const seen = rule.contradictedBy ?? [];
      if (!isLater || seen.includes(message.uuid)) continue;
      if (!forbiddenBy(rule.content).some((name) => holds(done, name))) continue;
      rule.contradictions += 1;
      rule.contradictedBy = [...seen, message.uuid].slice(-MOST_CONTRADICTIONS_KEPT);
      if (rule.isConfirmed !== true) rule.confidence = Math.max(LEAST_CONFIDENCE, round(rule.confidence - DENIED));
      rule.last_validated = nowIso.slice(0, 10);
    }
  }

  /** `done`: there is nothing to add, because the same is known already, or was forgotten or rejected. */
  private known<T extends AnyFact>(facts: readonly T[], key: string, ts: string | undefined): T | 'done' | undefined {
    if (this.forgotten.has(tombstone(key))) return 'done';
    const fact = facts.find((candidate) => candidate.key === key);
    if (fact === undefined) return undefined;
    return fact.isRejected === true || (ts ?? '') <= timeOf(fact) ? 'done' : fact;
  }

  private restate(fact: AnyFact, { evidence }: Pick<FoundRule, 'evidence'>, { sessionId, nowIso }: Origin): void {
    fact.evidence = { ...evidence, sessionId };
    fact.last_validated = day(evidence.ts, nowIso);
    fact.confidence = Math.min(1, round(fact.confidence + RESTATED));
    delete fact.supersededBy;
  }

  private common(kind: Kind, { key, evidence }: Pick<FoundRule, 'key' | 'evidence'>, { sessionId, nowIso }: Origin) {
    const number = (this.numbers[kind] ?? this.highest(kind)) + 1;
    this.numbers[kind] = number;
    return {
      id: `${kind}${String(number).padStart(3, '0')}`,
      key,
      contradictions: 0,
      last_validated: day(evidence.ts, nowIso),
      evidence: { ...evidence, sessionId },
    };
  }

  /** In a file of another tool, which counts nothing. */
  private highest(kind: Kind): number {
    const lists: Record<Kind, readonly AnyFact[]> = {
      r: this.rules,
      s: this.solutions,
      cl: this.coreLogic,
      h: this.heard,
    };
    return Math.max(0, ...lists[kind].map(({ id }) => Number(id.replace(/\D/g, '')) || 0));
  }

  /** Lets a rule take the place of earlier ones on its subject, and later ones take its place. */
  private settle(fact: RuleFact): void {
    const own = this.claim(fact);
    const place = placeOf(fact);
    for (const other of this.rules) {
      if (other === fact || other.source !== 'user' || other.isRejected === true) continue;
      const isEarlier = isBefore(placeOf(other), place);
      if (isEarlier && other.supersededBy === undefined && outdates(own, this.claim(other))) {
        other.supersededBy = fact.id;
        fact.supersedes ??= other.id;
      } else if (!isEarlier && fact.supersededBy === undefined && outdates(this.claim(other), own)) {
        fact.supersededBy = other.id;
        other.supersedes ??= fact.id;
      }
    }
  }

  /** Whether there is a rule that this takes back or changes. What people add to a rule in one breath explains it. */
  private lifts(content: string, messageUuid: string): boolean {
    const own = claimOf(content);
    return this.rules.some((rule) => {
      if (rule.source !== 'user' || rule.supersededBy !== undefined || rule.isRejected === true) return false;
      const known = this.claim(rule);
      if (concernsSameNames(own, known)) return !repeats(own, known);
      return rule.evidence?.messageUuid !== messageUuid && outdates(own, known);
    });
  }

  private claim(fact: RuleFact): Claim {
    const id = `${fact.id} ${fact.content}`;
    const known = this.claims.get(id) ?? claimOf(fact.content);
    this.claims.set(id, known);
    return known;
  }
}

function timeOf({ evidence }: AnyFact): string {
  return evidence?.ts ?? '';
}

/** The order in which facts were stated; of two of one moment the one that was found first. */
function placeOf(fact: AnyFact): readonly [ts: string, number: number] {
  return [timeOf(fact), Number(fact.id.replace(/\D/g, ''))];
}

/** Times are written alike, so that they can be compared as they are. */
function isBefore([ts, number]: readonly [string, number], [otherTs, other]: readonly [string, number]): boolean {
  return ts === otherTs ? number < other : ts < otherTs;
}

function day(ts: string | undefined, nowIso: string): string {
  return (ts === undefined || ts === '' ? nowIso : ts).slice(0, 10);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function wordKey(text: string): string {
  return wordsOf(text)
    .map(({ stem }) => stem)
    .sort()
    .join(' ');
}

const FORBIDDEN = lightPattern(
  /(?:never|don['’]t|do not|avoid|stop|not|no longer|не|нельзя|nicht|keine?n?|jamais|pas|nunca|no)\s+(?:(?:use|using|import|importing|add|adding|call|calling|uses|используй(?:те)?|verwende\p{L}*|utilise\p{L}*|usar)\s+)(?:the\s+|any\s+)?([\p{L}\p{N}_@./-]{3,40})/giu,
);

/** The names that a rule forbids; only what can be found letter by letter. */
function forbiddenBy(content: string): string[] {
  const named = [...content.matchAll(FORBIDDEN)].map(([, name = '']) => name);
  const quoted =
    named.length === 0 && /^\W*(?:never|don['’]t|do not|avoid)\b/i.test(content) ? quotedValues(content) : [];
  return [...named, ...quoted]
    .map((name) => name.toLowerCase().replace(/(?<![.,])[.,]+$/, ''))
    .filter((name) => name.length >= 3);
}

/** What a call writes or runs, as against what it replaces. */
function newText(input: Readonly<Record<string, unknown>>): string {
  return [input['new_string'], input['content'], input['command']]
    .filter((text) => typeof text === 'string')
    .join('\n');
}

function holds(text: string, name: string): boolean {
  const at = text.indexOf(name);
  if (at === -1) return false;
  const isWord = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  return !isWord(text[at - 1]) && !isWord(text[at + name.length]);
}
