import { hash64 } from '../../text/hash64';
import type { Concept, Exchange, L1Entry } from '../../model/layers';
import { cutAtWord } from '../../text/sentences';

/** One thing that a model is asked to put into better words. */
export interface RefinableItem {
  readonly kind: 'exchange' | 'concept';
  readonly id: string;
  /** How the question and the answer call it. */
  readonly number: number;
  /** What we say of it ourselves. */
  readonly name?: string;
  readonly summary: string;
  /** All that the model is told of it: what it says has to come from here. */
  readonly source: string;
}

const MAX_REQUEST = 1_200;
const MAX_ANSWER = 900;
const MAX_TOOLS = 12;
const MAX_EXCHANGES = 20;

/** An exchange with what was said in it. */
export function exchangeItem(exchange: Exchange, entries: readonly L1Entry[], number: number): RefinableItem {
  const [from, to] = exchange.l1_range;
  const own = entries.slice(from - 1, to);
  const said = (role: L1Entry['role'], most: number): string =>
    cutAtWord(own.flatMap((entry) => (entry.role === role ? [entry.text ?? ''] : [])).join('\n'), most);
  const tools = own.flatMap(({ role, name = '', target = '', result = '' }) =>
    role === 'tool' ? [`${name} ${target}: ${result}`.slice(0, 160)] : [],
  );
  const source = [
    `present summary: ${exchange.summary}`,
    `outcome: ${exchange.outcome ?? 'unknown'}`,
    ...(exchange.files.length === 0 ? [] : [`files: ${exchange.files.join(', ')}`]),
    `request: ${said('user', MAX_REQUEST)}`,
    ...(tools.length === 0 ? [] : ['steps:', ...tools.slice(-MAX_TOOLS)]),
    `answer: ${said('assistant', MAX_ANSWER)}`,
  ].join('\n');
  return { kind: 'exchange', id: exchange.id, number, summary: exchange.summary, source };
}

/** A concept with what its exchanges say. */
export function conceptItem(concept: Concept, summaries: ReadonlyMap<string, string>, number: number): RefinableItem {
  const about = concept.exchanges.flatMap((id) => summaries.get(id) ?? []).slice(-MAX_EXCHANGES);
  const source = [
    `present name: ${concept.name}`,
    `present summary: ${concept.summary}`,
    ...(concept.files.length === 0 ? [] : [`files: ${concept.files.join(', ')}`]),
    `words: ${concept.keywords.join(', ')}`,
    'its exchanges:',
    ...about.map((summary) => `- ${summary}`),
  ].join('\n');
  return { kind: 'concept', id: concept.id, number, name: concept.name, summary: concept.summary, source };
}

/** Our own words are said to be these, so that a refinement of other words is not shown for them. */
export function wordsOfOurs({
  name = '',
  summary,
}: {
  readonly name?: string | undefined;
  readonly summary: string;
}): string {
  return hash64(`${name}\n${summary}`);
}

/** An exchange as people are shown it: in a model's words, where one has refined what we say of it now. */
export function shownExchange(exchange: Exchange): Exchange {
  const { refined } = exchange;
  if (refined === undefined || refined.of !== wordsOfOurs({ summary: exchange.summary })) return exchange;
  return { ...exchange, summary: refined.summary };
}

/** A concept as people are shown it. */
export function shownConcept(concept: Concept): Concept {
  const { refined } = concept;
  if (refined === undefined || refined.of !== wordsOfOurs(concept)) return concept;
  return { ...concept, name: refined.name, ...(refined.summary !== undefined && { summary: refined.summary }) };
}
