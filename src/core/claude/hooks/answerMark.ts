import { hash64 } from '../../text/hash64';

/** What is kept of an answer, which itself is nobody's business before it is in memory. */
export function answerMark(answer: string): string {
  return hash64(answer.trim());
}
