import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasRecord } from '../../../../src/core/transcript/chainTable';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import { growingLines } from './growingTranscript';
import { jsonl, quarterTokens, read, summarize } from './transcriptFixtures';

const encoder = new TextEncoder();

describe('counting a session that grows', () => {
  it('finds what reading it in full finds, at every length', () => {
    fc.assert(
      fc.property(growingLines, (lines) => {
        const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(''));
        const summary = summarize(bytes);
        const { messages, turns, agents } = read(bytes);
        const found = [summary.messages, summary.turns, summary.inlineAgents];
        assert.deepEqual(found, [messages.length, turns.length, agents.length]);
        assert.equal(
          summary.tokens - summary.resultTokens,
          messages.reduce((sum, { tokens }) => sum + tokens, 0),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('knows which lines it has', () => {
    const records = Array.from({ length: 300 }, (_, i) => ({ type: 'progress', uuid: `u${String(i)}`, data: {} }));
    const reader = new TranscriptReader({ estimator: quarterTokens });
    reader.feed(jsonl(...records));
    const ids = reader.ids();
    for (let i = 0; i < 600; i++) assert.equal(hasRecord(ids, `u${String(i)}`), i < 300);
  });
});
