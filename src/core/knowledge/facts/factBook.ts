import type { CoreLogicFact, FactsDocument, ProposedFact, RuleFact, SolutionFact } from '../../model/layers';
import { programsIn } from '../../material/commands';
import { textOf } from '../../material/toolKinds';
import type { SourceMessage, SourceTool } from '../../material/types';
import { isAgainst, readStatement, replaces, type Reading } from '../../material/replacing';
import { answerIn, type Candidate, decisionReading, type Found, isMostly, RefusedFacts } from './candidates';
import { type FoundDecision } from './decisions';
import { HABIT, Habits, habitsIn } from './habits';
import { numberOf, saidBy, type AnyFact, tombstone } from './factLists';
import type { FoundSolution } from './solutions';
import { withoutMarkers } from '../../versions/keepitBlock';
import { NEGATION } from '../../text/words';
import { wordsKey, type FactEvidence, type StatedRule } from './stated';

/** More are not counted: it was looked at long before, and each is known so that it counts once. */
const MOST_CONTRADICTIONS = 200;
/** Kept in the file for other tools: how sure a fact of each kind is. */
const CONFIDENCE = { stated: 0.95, decided: 0.9, proved: 0.9 } as const;
const DENIED = 0.1;
const LEAST_CONFIDENCE = 0.1;

/** Nobody looks at more. */
const MOST_CANDIDATES = 200;
/** What is only likely is never as sure as what was stated; said again in another session, it is likelier. */
const LIKELIEST = 0.5;
const SAID_AGAIN = 0.1;
const EXPIRES_MS = 60 * 24 * 60 * 60 * 1000;

type Kind = 'r' | 's' | 'cl' | 'p';

/** What all facts get that come out of a session. */
interface Origin {
  readonly sessionId: string;
  readonly nowIso: string;
}

/** What a model noted, as a fact. */
export interface NotedFact {
  readonly kind: ProposedFact['kind'];
  readonly content: string;
  readonly key: string;
  readonly about: string;
  readonly evidence: FactEvidence;
  /** What it answers. */
  readonly asked: readonly FactEvidence[];
}

/**
 * L4 while sessions come in, in any order. A statement counts once per message; the latest on a subject has the last word, and the
 * earlier one stays as its history. What people forgot does not come back, nor does what they rejected, however it is put.
 */
export class FactBook {
  private readonly rules: RuleFact[];
  private readonly solutions: SolutionFact[];
  private readonly coreLogic: CoreLogicFact[];
  private proposed: ProposedFact[];
  private readonly expired: string[] = [];
  private readonly refused: RefusedFacts;
  private readonly habits: Habits;
  private readonly numbers: Record<string, number>;
  private readonly readings = new Map<string, Reading>();

  constructor(private readonly document: FactsDocument) {
    const { rules, solutions, core_logic: core } = document.permanent;
    this.rules = rules.map((fact) => ({ ...fact }));
    this.solutions = solutions.map((fact) => ({ ...fact }));
    this.coreLogic = core.map((fact) => ({ ...fact }));
    this.proposed = document.proposed.map((fact) => ({ ...fact }));
    this.refused = new RefusedFacts(document);
    this.habits = new Habits(document.habits);
    this.numbers = { ...document.numbers };
  }

  /** As the document has them now. */
  permanent(): Pick<FactsDocument, 'permanent' | 'numbers' | 'proposed' | 'forgotten' | 'habits'> {
    const { rules, solutions, coreLogic } = this;
    return {
      permanent: { ...this.document.permanent, rules, solutions, core_logic: coreLogic },
      numbers: this.numbers,
      proposed: this.proposed,
      habits: this.habits.all(),
      forgotten: [...new Set([...this.document.forgotten, ...this.expired])],
    };
  }

  addRule({ content, key, trigger, evidence }: StatedRule, origin: Origin): void {
    const found = { key, reading: readStatement(content), evidence };
    if (this.isDone(this.rules, found, origin)) return;
    const fact = {
      ...this.common('r', found, origin),
      content,
      source: 'user',
      trigger,
      confidence: CONFIDENCE.stated,
    };
    this.rules.push(fact);
    this.settle(fact);
  }

  addDecision(decision: FoundDecision, origin: Origin, trigger: 'decided' | 'noted' = 'decided'): void {
    const { feature, files, key } = decision;
    const [own, ...others] = decision.evidence;
    const description = withoutMarkers(decision.description);
    if (this.isRuleAlready(description)) return;
    const found = { key, reading: decisionReading({ feature, description }), evidence: own };
    if (this.isDone(this.coreLogic, found, origin)) return;
    const sources = others.map((other) => ({ ...other, sessionId: origin.sessionId }));
    const common = {
      ...this.common('cl', found, origin),
      source: 'user',
      trigger,
      confidence: CONFIDENCE.decided,
    };
    const fact: CoreLogicFact = { ...common, feature, description, files: [...files], sources };
    this.coreLogic.push(fact);
    this.settle(fact);
  }

  /** Whether a rule says it already, but for a `no`: an answer or a refusal may be nothing but the rule. */
  private isRuleAlready(description: string): boolean {
    const words = wordsKey(answerIn(description));
    return this.rules.some(({ key = '' }) => {
      return key !== '' && words.includes(key) && ['', NEGATION].includes(words.replace(key, '').trim());
    });
  }

  addSolution(solution: FoundSolution, origin: Origin): void {
    const { problem, attempts, key, trigger, files, evidence } = solution;
    const [own, failed] = evidence;
    const found = { key, reading: readStatement(''), evidence: own };
    const known = this.solutions.find((fact) => fact.key === key);
    if (known !== undefined) known.attempts = Math.max(known.attempts, attempts);
    if (this.isDone(this.solutions, found, origin)) return;
    const common = { ...this.common('s', found, origin), source: 'session', trigger, confidence: CONFIDENCE.proved };
    const sources = [{ ...failed, sessionId: origin.sessionId }];
    this.solutions.push({ ...common, problem, solution: solution.solution, attempts, files: [...files], sources });
  }

  /** Counts what records show of how work is done; what enough sessions show becomes a pattern, with all of them as its sources. */
  addHabits(message: SourceMessage, origin: Origin): void {
    for (const sign of habitsIn(message)) {
      const habit = this.habits.add(sign, origin.sessionId);
      const [evidence, ...sources] = habit?.sessions ?? [];
      if (habit === undefined || evidence === undefined) continue;
      const { key, kind, name, files } = habit;
      const found = { key, reading: readStatement(''), evidence };
      if (this.refused.has(found)) continue;
      const seen = { evidence, sources, last_validated: day(sources.at(-1)?.ts, origin.nowIso) };
      const known = this.coreLogic.find((fact) => fact.key === key);
      if (known !== undefined) {
        Object.assign(known, { ...seen, files });
        continue;
      }
      const common = { ...this.common('cl', found, origin), source: 'session', trigger: HABIT };
      const description = kind === 'task' ? `runs \`${name}\`` : `uses ${name}`;
      const fact = { ...common, ...seen, confidence: CONFIDENCE.proved };
      this.coreLogic.push({ ...fact, feature: name, description, files });
    }
  }

  /** Offers what may be meant to hold, once. */
  propose({ content, key, score, evidence }: Candidate, origin: Origin): void {
    const found = { key, reading: readStatement(content), evidence };
    if (key === '' || this.refused.has(found) || this.isStated(found)) return;
    const known = this.proposed.find((fact) => fact.key === key);
    if (known !== undefined) {
      const isOther = known.evidence !== undefined && known.evidence.sessionId !== origin.sessionId;
      if (isOther && known.evidence?.messageUuid !== evidence.messageUuid)
        known.confidence = Math.min(1, round(known.confidence + SAID_AGAIN));
      return;
    }
    if (this.proposed.filter(({ trigger }) => trigger === 'candidate').length >= MOST_CANDIDATES) return;
    const common = {
      ...this.common('p', found, origin),
      source: 'user',
      trigger: 'candidate',
      confidence: round(score * LIKELIEST),
    };
    this.proposed.push({ ...common, kind: 'rules', about: '', content, proposedAt: origin.nowIso });
  }

  /** Takes in what a model noted, which code has found in the transcript. What code itself found in the same words stays as it is. */
  note(noted: NotedFact, { isStated }: { readonly isStated: boolean }, origin: Origin): void {
    const { kind, content, key, evidence, asked, about } = noted;
    const found = { key, reading: readStatement(asked.length > 0 ? '' : content), evidence };
    if (key === '' || this.refused.has(found) || this.isStated(found)) return;
    const { messageUuid } = evidence;
    const isOver = (one: ProposedFact): boolean =>
      one.isRejected !== true && (isStated || one.trigger === 'candidate') && isMostly(one.key ?? '', key);
    this.proposed = this.proposed.filter((one) => one.evidence?.messageUuid !== messageUuid || !isOver(one));
    if (isStated) {
      const decision: FoundDecision = {
        feature: about,
        description: content,
        files: [],
        key,
        evidence: [evidence, ...asked],
      };
      if (kind === 'rules') this.addRule({ content, key, trigger: 'noted', evidence }, origin);
      else this.addDecision(decision, origin, 'noted');
      return;
    }
    const isKnown = this.proposed.some((one) => one.key === key);
    if (isKnown || this.proposed.filter(({ trigger }) => trigger === 'noted').length >= MOST_CANDIDATES) return;
    const common = { ...this.common('p', found, origin), source: 'model', trigger: 'noted', confidence: LIKELIEST };
    const sources = asked.map((one) => ({ ...one, sessionId: origin.sessionId }));
    const told = { kind, content, about: kind === 'solutions' ? about : '', proposedAt: origin.nowIso };
    this.proposed.push({ ...common, ...told, ...(sources.length > 0 && { sources }) });
  }

  /** What a model found to speak for or against a fact that was often acted against: people read it before they decide. */
  advise(id: string, advice: string): void {
    for (const fact of [...this.rules, ...this.coreLogic]) if (fact.id === id) fact.advice = advice;
  }

  /** Takes out what nobody has looked at for 60 days since it was proposed; it does not come back. */
  expire(nowIso: string): void {
    const oldest = new Date(Date.parse(nowIso) - EXPIRES_MS).toISOString();
    const isOver = ({ proposedAt, isRejected }: ProposedFact): boolean =>
      proposedAt !== undefined && proposedAt < oldest && isRejected !== true;
    this.expired.push(...this.proposed.filter(isOver).flatMap(({ key }) => (key === undefined ? [] : tombstone(key))));
    this.proposed = this.proposed.filter((fact) => !isOver(fact));
  }

  /** Whether a fact has these words of this message already. */
  private isStated({ key, evidence }: Found): boolean {
    const stated = [...this.rules, ...this.coreLogic];
    return stated.some(
      (fact) =>
        fact.key === key || (fact.evidence?.messageUuid === evidence.messageUuid && isMostly(key, fact.key ?? '')),
    );
  }

  /** Counts what the assistant did against what was laid down: each call once per fact. */
  observe(message: SourceMessage, nowIso: string): void {
    if (message.role !== 'assistant') return;
    for (const [at, tool] of message.tools.entries()) {
      const names = tool.isError ? [] : namesUsed(tool);
      if (names.length > 0)
        this.count(names, { ...message, uuid: `${message.uuid}${at === 0 ? '' : ` ${at}`}` }, nowIso);
    }
  }

  private count(names: readonly string[], call: Pick<SourceMessage, 'uuid' | 'timestamp'>, nowIso: string): void {
    for (const fact of [...this.rules, ...this.coreLogic]) {
      if (fact.source !== 'user' || fact.supersededBy !== undefined || fact.isRejected === true) continue;
      const seen = fact.contradictedBy ?? [];
      if ((call.timestamp ?? '') <= timeOf(fact) || seen.includes(call.uuid)) continue;
      if (seen.length >= MOST_CONTRADICTIONS) continue;
      const reading = this.reading(fact);
      if (!names.some((name) => isAgainst(reading, name))) continue;
      fact.contradictions += 1;
      fact.contradictedBy = [...seen, call.uuid];
      if (fact.isConfirmed !== true) fact.confidence = Math.max(LEAST_CONFIDENCE, round(fact.confidence - DENIED));
      fact.last_validated = nowIso.slice(0, 10);
    }
  }

  /** Whether there is nothing to add: it was refused, or is known; what is said again holds again, from then on. */
  private isDone(facts: readonly AnyFact[], found: Found, { sessionId, nowIso }: Origin): boolean {
    if (this.refused.has(found)) return true;
    const known = facts.find(({ key }) => key === found.key);
    if (known === undefined) return false;
    if ((found.evidence.ts ?? '') > timeOf(known)) {
      known.evidence = { ...found.evidence, sessionId };
      known.last_validated = day(found.evidence.ts, nowIso);
      delete known.supersededBy;
      if (!('problem' in known)) this.settle(known);
    }
    return true;
  }

  private common(kind: Kind, { key, evidence }: Found, { sessionId, nowIso }: Origin) {
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
    const lists: Record<Kind, readonly { readonly id: string }[]> = {
      r: this.rules,
      s: this.solutions,
      cl: this.coreLogic,
      p: this.proposed,
    };
    return Math.max(0, ...lists[kind].map(numberOf));
  }

  /** Lets what was stated take the place of earlier words on its subject, and later ones take its place. */
  private settle(fact: RuleFact | CoreLogicFact): void {
    const own = this.reading(fact);
    const place = placeOf(fact);
    for (const other of [...this.rules, ...this.coreLogic]) {
      if (other === fact || other.source !== 'user' || other.isRejected === true) continue;
      const isEarlier = isBefore(placeOf(other), place);
      if (isEarlier && other.supersededBy === undefined && replaces(own, this.reading(other))) {
        other.supersededBy = fact.id;
        fact.supersedes ??= other.id;
      } else if (!isEarlier && fact.supersededBy === undefined && replaces(this.reading(other), own)) {
        fact.supersededBy = other.id;
        other.supersedes ??= fact.id;
      }
    }
  }

  private reading(fact: RuleFact | CoreLogicFact): Reading {
    const { about, content } = saidBy(fact);
    const id = `${fact.id} ${about} ${content}`;
    const known =
      this.readings.get(id) ??
      (about === '' ? readStatement(content) : decisionReading({ feature: about, description: content }));
    this.readings.set(id, known);
    return known;
  }
}

function timeOf({ evidence }: AnyFact): string {
  return evidence?.ts ?? '';
}

/** The order in which facts were stated; of two of one moment the one that was found first. */
function placeOf(fact: AnyFact): readonly [ts: string, number: number] {
  return [timeOf(fact), numberOf(fact)];
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

/** The programs that a call starts, and the packages that its new text names in quotes. */
function namesUsed(tool: SourceTool): string[] {
  const quoted = ['new_string', 'content'].flatMap((field) =>
    [...textOf(tool, field).matchAll(/['"`]([\w@./-]{2,40})['"`]/g)].map(([, name = '']) => name),
  );
  return [...programsIn(textOf(tool, 'command')), ...quoted].map((name) => name.toLowerCase());
}
