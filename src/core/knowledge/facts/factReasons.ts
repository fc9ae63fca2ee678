import { LayersError } from '../layerStore';
import type { L1Entry } from '../../model/layers';
import { REPORTED, type FactView } from './factViews';

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
