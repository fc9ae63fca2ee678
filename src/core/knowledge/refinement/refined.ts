import { hash64 } from '../../text/hash64';
import type { Concept, Exchange } from '../../model/layers';

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
