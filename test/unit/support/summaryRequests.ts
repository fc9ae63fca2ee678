import type { SourceMessage } from '../../../src/core/material/types';
import type { SummaryRequest } from '../../../src/core/versions/types';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';

/** Four characters are one token: enough for tests of what is done with tokens. */
export const quarterCounter: TokenCounter = {
  id: 'o200k_base',
  count: (text) => Math.ceil(text.length / 4),
};

/** A session that takes turns, each message with the text given for it. */
export function sourceMessages(texts: readonly string[]): SourceMessage[] {
  return texts.map((text, index) => ({
    index,
    uuid: `uuid-${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    origin: index % 2 === 0 ? 'prompt' : 'assistant',
    texts: [{ recordUuid: `uuid-${index}`, blockIndex: 0, text }],
    tools: [],
    tokens: quarterCounter.count(text),
  }));
}

/** A request for one summary of everything, `ratio` times smaller. */
export function summaryRequest(messages: readonly SourceMessage[], ratio = 10): SummaryRequest {
  const inputTokens = messages.reduce((sum, { tokens }) => sum + tokens, 0);
  const targetTokens = Math.max(20, Math.round(inputTokens / ratio));
  const to = messages.length - 1;
  return {
    sessionId: 'session-1',
    title: 'Retries in the importer',
    segments: [{ from: 0, to, ratio, aggressiveness: 'moderate', inputTokens, targetTokens }],
    messages,
    counter: quarterCounter,
  };
}

/** An answer as a model is asked for it. */
export function answerText(...blocks: readonly { text: string; messages: readonly number[]; kind?: string }[]): string {
  return JSON.stringify({ blocks: blocks.map((block) => ({ kind: 'note', role: 'assistant', ...block })) });
}
