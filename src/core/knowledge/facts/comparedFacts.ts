import type { CoreLogicFact, FactsDocument } from '../../model/layers';
import { readStatement, valueKey, type Reading } from '../replacing';
import { ANSWERED } from './decisions';
import { allFacts, tombstone } from './factLists';
import type { FactEvidence } from './stated';
import { pushTo } from '../../text/ownValue';

/** So much of the same words, in the same message, is the same statement. */
const SAME_WORDS = 0.5;

/** What is found of a fact: what it says, and where. */
export interface Found {
  readonly key: string;
  readonly reading: Reading;
  readonly evidence: FactEvidence;
}

/** What people did not want to be told again: by its words, by what it says, and by the message that says it. */
export class RefusedFacts {
  private readonly keys: ReadonlySet<string>;
  private readonly values: ReadonlySet<string>;
  private readonly byMessage = new Map<string, string[]>();
  private readonly forgotten: ReadonlySet<string>;

  constructor({ permanent, proposed, forgotten }: FactsDocument) {
    const refused = [...allFacts(permanent), ...proposed].filter(({ isRejected }) => isRejected === true);
    this.keys = new Set(refused.flatMap(({ key }) => key ?? []));
    this.values = new Set(refused.flatMap((fact) => ('problem' in fact ? [] : valueKey(factReading(fact)))));
    this.forgotten = new Set(forgotten);
    for (const { evidence, key } of refused)
      if (evidence !== undefined && key !== undefined) pushTo(this.byMessage, evidence.messageUuid, key);
  }

  has({ key, reading, evidence }: Found): boolean {
    const value = valueKey(reading);
    if (this.forgotten.has(tombstone(key)) || this.keys.has(key)) return true;
    if (value !== '' && (this.values.has(value) || this.forgotten.has(tombstone(value)))) return true;
    return (this.byMessage.get(evidence.messageUuid) ?? []).some(
      (other) => isMostly(other, key) || isMostly(key, other),
    );
  }
}

/** What a fact says, as it is compared. */
function factReading(fact: { content: string } | { feature: string; description: string }): Reading {
  return 'content' in fact ? readStatement(fact.content) : decisionReading(fact);
}

/** Of an answer its own words count; a plan names much that it does not choose. */
export function decisionReading({ feature, description }: Pick<CoreLogicFact, 'feature' | 'description'>): Reading {
  const words = answerIn(description);
  return readStatement(
    words !== description && words.includes(';') ? '' : words,
    feature === description ? '' : feature,
  );
}

/** What a person said, without what they said it to. */
export function answerIn(description: string): string {
  const asked = description.indexOf(ANSWERED);
  return asked === -1 ? description : description.slice(asked + ANSWERED.length);
}

export function isMostly(one: string, other: string): boolean {
  const [few, many] = [one.split(' '), new Set(other.split(' '))];
  return few.filter((word) => many.has(word)).length >= SAME_WORDS * few.length;
}
