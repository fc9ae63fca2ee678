import { LayersError } from '../layersError';
import type { L1Entry } from '../../model/layers';
import type { FactView } from './factViews';

/** Why a fact is told: what was said, where, and what it replaced. */
export interface FactReasons {
  readonly fact: FactView;
  readonly quote: string;
  /** Those that it rests on, the first one first; without text where a session is not layered any more. */
  readonly messages: readonly { readonly sessionId: string; readonly messageUuid: string; readonly text: string }[];
  /** The chain of what it replaced, the latest first. */
  readonly replaced: readonly FactView[];
}

/** A session's L1, as far as it is there. */
interface L1Reading {
  readonly layer: string;
  readonly sessions?: readonly { readonly sessionId: string; readonly entries?: readonly L1Entry[] }[];
}

/** Throws `LayersError` for a fact that is not there. */
export async function factReasons(
  facts: readonly FactView[],
  id: string,
  readL1: (sessionId: string) => Promise<L1Reading>,
): Promise<FactReasons> {
  const fact = facts.find((one) => one.id === id);
  if (fact === undefined) throw new LayersError('unknown-fact', id);
  const sources = fact.sources ?? (fact.source === undefined ? [] : [fact.source]);
  const messages = [];
  for (const { sessionId, messageUuid } of sources) {
    const { sessions = [] } = await readL1(sessionId);
    const entries = sessions.flatMap((session) => session.entries ?? []);
    const said = entries.filter(({ uuid }) => uuid === messageUuid).flatMap(({ text, target }) => text ?? target ?? []);
    messages.push({ sessionId, messageUuid, text: said.join('\n\n') });
  }
  return { fact, quote: fact.source?.excerpt ?? '', messages, replaced: chainOf(fact, facts) };
}

function chainOf(fact: FactView, facts: readonly FactView[]): FactView[] {
  const chain = new Set<FactView>([fact]);
  for (const one of chain) for (const other of facts) if (other.supersededBy === one.id) chain.add(other);
  return [...chain].slice(1);
}
