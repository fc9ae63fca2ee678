// What composing has to beat: contexts that one would put together in an afternoon, in the same budget.
import { wordsOf } from '../../../src/core/text/words';
import { cutAtWord } from '../../../src/core/text/sentences';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';
import type { SourceMessage } from '../../../src/core/material/types';
import { methodsWith } from '../compression/methods';

/** The sessions of a set as they are read, the oldest first. */
export interface ReadSession {
  readonly title: string;
  readonly messages: readonly SourceMessage[];
}

/** Makes a context of at most `budget` tokens. */
export type ContextMethod = (sessions: readonly ReadSession[], budget: number) => Promise<string>;

function saidIn({ role, texts }: SourceMessage): string {
  const text = texts.map((one) => one.text).join('\n');
  return text.trim() === '' ? '' : `${role === 'user' ? 'User' : 'Claude'}: ${text}`;
}

/** Takes texts in their order as long as they fit, cuts the one that does not, and writes them in the order of the conversation. */
function filled(texts: readonly { text: string; at: number }[], budget: number, counter: TokenCounter): string {
  const taken: { text: string; at: number }[] = [];
  let left = budget;
  for (const { text, at } of texts) {
    const tokens = counter.count(`${text}\n\n`);
    if (tokens <= left) taken.push({ text, at });
    else taken.push({ text: cutAtWord(text, Math.floor((text.length * left) / tokens)), at });
    left -= tokens;
    if (left <= 0) break;
  }
  return taken
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join('\n\n');
}

function withTools(message: SourceMessage): string {
  return [saidIn(message), ...message.tools.map(({ name, target, result }) => `${name} ${target}\n${result}`)].join(
    '\n',
  );
}

/** Every request in the user's words and the message that closed the answer, all cut to the same length until the budget is full. */
function script(sessions: readonly ReadSession[], budget: number, counter: TokenCounter): string {
  const parts = sessions.map(({ title, messages }) => {
    const lines: string[] = [];
    for (const message of messages) {
      const text =
        message.role === 'user'
          ? saidIn(message)
          : (message.texts.findLast((one) => one.text.trim() !== '')?.text ?? '');
      if (text !== '') lines.push(message.role === 'user' ? text : `Claude: ${text}`);
    }
    return { title, lines };
  });
  const write = (length: number): string =>
    parts
      .map(({ title, lines }) => [`# ${title}`, ...lines.map((line) => line.slice(0, length))].join('\n'))
      .join('\n\n');
  let [low, high] = [0, 100_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (counter.count(write(middle)) <= budget) low = middle;
    else high = middle;
  }
  return write(low);
}

export function contextMethods(counter: TokenCounter): Record<string, ContextMethod> {
  const all = (sessions: readonly ReadSession[]): { text: string; at: number }[] =>
    sessions
      .flatMap(({ messages }) => messages.map(saidIn))
      .map((text, at) => ({ text, at }))
      .filter(({ text }) => text !== '');
  const tfIdf = methodsWith(counter).find(({ name }) => name === 'tf-idf');
  return {
    script: async (sessions, budget) => script(sessions, budget, counter),
    'newest turns': async (sessions, budget) => filled(all(sessions).reverse(), budget, counter),
    head: async (sessions, budget) => filled(all(sessions), budget, counter),
    'tf-idf': async (sessions, budget) => {
      const messages = sessions.flatMap((one) => one.messages).map((message, index) => ({ ...message, index }));
      return (await tfIdf?.compress(messages, budget)) ?? '';
    },
    'plain originals': async (sessions, budget) =>
      sessions
        .map(({ messages }) =>
          filled(
            messages.map((message, at) => ({ text: withTools(message), at })),
            Math.floor(budget / sessions.length),
            counter,
          ),
        )
        .join('\n\n'),
  };
}

/** Whole messages by BM25, as many as fit. */
export function queryAware(
  query: string,
  sessions: readonly ReadSession[],
  budget: number,
  counter: TokenCounter,
): string {
  const texts = sessions.flatMap(({ messages }) => messages.map(saidIn)).filter((text) => text !== '');
  const scores = bm25(query, texts);
  const taken: number[] = [];
  let left = budget;
  for (const at of [...texts.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))) {
    const tokens = counter.count(`${texts[at] ?? ''}\n\n`);
    if (tokens > left) continue;
    taken.push(at);
    left -= tokens;
  }
  return taken
    .sort((a, b) => a - b)
    .map((at) => texts[at])
    .join('\n\n');
}

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** How much each text says to a query, 0 for nothing: plain BM25 over the stems of words. */
function bm25(query: string, texts: readonly string[]): number[] {
  const wanted = new Set(stemsOf(query));
  const counts = texts.map((text) => {
    const found = new Map<string, number>();
    const stems = stemsOf(text);
    for (const stem of stems) if (wanted.has(stem)) found.set(stem, (found.get(stem) ?? 0) + 1);
    return { found, length: stems.length };
  });
  const mean = counts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const rarity = new Map(
    [...wanted].map((stem) => {
      const holders = counts.filter(({ found }) => found.has(stem)).length;
      return [stem, Math.log(1 + (texts.length - holders + 0.5) / (holders + 0.5))];
    }),
  );
  return counts.map(({ found, length }) => {
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / Math.max(1, mean));
    return [...found].reduce(
      (sum, [stem, count]) => sum + ((rarity.get(stem) ?? 0) * count * (SATURATION + 1)) / (count + norm),
      0,
    );
  });
}

function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 ? [stem] : []));
}
