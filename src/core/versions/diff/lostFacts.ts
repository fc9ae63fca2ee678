import { FactFinder } from '../../material/factFinder';
import type { SessionFact } from '../../material/types';
import type { LostFact } from './types';

/** A keepit as far as losing it is concerned. */
export interface KeepitFact {
  readonly markerId: string;
  readonly content: string;
  readonly weight: number;
  readonly messageUuid: string;
  readonly messageIndex: number;
}

export interface LossReference {
  readonly facts: readonly SessionFact[];
  readonly keepits: readonly KeepitFact[];
  /** Why a keepit faded in the second, by its id. */
  readonly reasons: ReadonlyMap<string, string>;
}

const order: readonly LostFact['kind'][] = [
  'keepit',
  'instruction',
  'decision',
  'error',
  'path',
  'command',
  'identifier',
];

/**
 * What the first text holds and the second does not: keepits that are not there byte for byte, facts that are not there in any words.
 * Without a first text everything is taken for held, as the original holds it.
 */
export function lostFacts({ facts, keepits, reasons }: LossReference, b: string, a?: string): LostFact[] {
  const inA = a === undefined ? undefined : new FactFinder(facts, a);
  const inB = new FactFinder(facts, b);
  const lost: LostFact[] = [];
  for (const { markerId, content, weight, messageUuid, messageIndex } of keepits) {
    if (b.includes(content) || (a !== undefined && !a.includes(content))) continue;
    const reason = reasons.get(markerId);
    lost.push({
      kind: 'keepit',
      text: content,
      messageUuid,
      messageIndex,
      weight,
      ...(reason !== undefined && { reason }),
    });
  }
  for (const fact of facts) {
    if (inB.share(fact) > 0 || inA?.share(fact) === 0) continue;
    const { kind, text, messageUuid, messageIndex, weight } = fact;
    lost.push({ kind, text, messageUuid, messageIndex, weight });
  }
  return lost.sort(
    (one, other) =>
      order.indexOf(one.kind) - order.indexOf(other.kind) ||
      other.weight - one.weight ||
      one.messageIndex - other.messageIndex,
  );
}
