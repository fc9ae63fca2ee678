import assert from 'node:assert/strict';
import fc from 'fast-check';
import { growingLines } from './growingTranscript';
import { jsonl, read, summarize } from './transcriptFixtures';

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

  it('knows the records with which it rested: the last of each answer, and a request without one', () => {
    const said = (type: string, uuid: string, parentUuid: string | null): object => {
      return { type, uuid, parentUuid, message: { content: [{ type: 'text', text: uuid }] } };
    };
    const { leaves } = summarize(
      jsonl(
        said('user', 'asked', null),
        said('assistant', 'begun', 'asked'),
        said('assistant', 'answered', 'begun'),
        { type: 'system', subtype: 'turn_duration', uuid: 'note', parentUuid: 'answered' },
        said('user', 'asked more', 'note'),
        said('assistant', 'done', 'asked more'),
        said('user', 'left', 'done'),
      ),
    );
    assert.deepEqual(leaves, ['answered', 'done', 'left']);
  });
});
