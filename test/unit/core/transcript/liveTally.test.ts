import assert from 'node:assert/strict';
import fc from 'fast-check';
import { listHas } from '../../../../src/core/transcript/hashIndex';
import type { SummarizerState } from '../../../../src/core/transcript/readingState';
import { runSteps } from '../../../../src/core/transcript/steps';
import {
  parseSummarizerState,
  TranscriptSummarizer,
  uuidOwner,
} from '../../../../src/core/transcript/transcriptSummarizer';
import { growingLines } from './growingTranscript';
import { jsonl, quarterTokens, read, stateAfter, summarize } from './transcriptFixtures';

const encoder = new TextEncoder();

function bytesOf(lines: readonly string[]): Uint8Array {
  return encoder.encode(lines.map((line) => `${line}\n`).join(''));
}

/** Reads what comes after a state, and gives the state after it as it would be stored. */
function readOn(bytes: Uint8Array, state: SummarizerState, isSettled: boolean): SummarizerState {
  const part = new TranscriptSummarizer({ estimator: quarterTokens, resume: state });
  part.feed(bytes.slice(state.offset));
  if (isSettled) runSteps(part.settling());
  const next = part.state();
  if (next === undefined) return state;
  const stored = parseSummarizerState(JSON.parse(JSON.stringify(next)));
  assert.ok(stored);
  return stored;
}

describe('counting a session that grows', () => {
  it('finds what reading it in full finds, at every length', () => {
    fc.assert(
      fc.property(growingLines, (lines) => {
        const bytes = bytesOf(lines);
        const summary = summarize(bytes);
        const { messages, turns, abandoned, agents } = read(bytes);
        const found = [summary.messages, summary.turns, summary.abandonedMessages, summary.inlineAgents];
        const all = abandoned.flatMap((branch) => branch.messages);
        assert.deepEqual(found, [messages.length, turns.length, all.length, agents.length]);
        assert.equal(
          summary.tokens,
          messages.reduce((sum, { tokens }) => sum + tokens, 0),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('reads on from any state, settled or not, as if it had never stopped', () => {
    const stops = fc.array(fc.tuple(fc.nat(100), fc.boolean()), { maxLength: 5 });
    fc.assert(
      fc.property(growingLines, stops, (lines, all) => {
        let state = stateAfter(new Uint8Array());
        for (const [stop, isSettled] of [...all].sort(([a], [b]) => a - b)) {
          const bytes = bytesOf(lines.slice(0, stop));
          if (bytes.length >= state.offset) state = readOn(bytes, state, isSettled);
        }
        const last = new TranscriptSummarizer({ estimator: quarterTokens, resume: state });
        const bytes = bytesOf(lines);
        last.feed(bytes.slice(state.offset));
        assert.deepEqual(last.finish(), summarize(bytes));
        assert.deepEqual(last.finish(), summarize(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it('goes on without the chain after parallel tool calls, progress and new prompts', () => {
    const call = (i: number): unknown => ({ type: 'tool_use', id: `t${String(i)}`, name: 'Read', input: {} });
    const line = (uuid: string, parentUuid: string | null, content: unknown, id?: string): unknown => ({
      type: id === undefined ? 'user' : 'assistant',
      uuid,
      parentUuid,
      message: { ...(id !== undefined && { id }), content },
    });
    const result = (i: number): unknown => ({ type: 'tool_result', tool_use_id: `t${String(i)}`, content: 'x' });
    const records = [
      line('h', null, 'Look.'),
      line('a1', 'h', [call(1)], 'm1'),
      line('a2', 'a1', [call(2)], 'm1'),
      { type: 'progress', uuid: 'p', parentUuid: 'a2', data: {} },
      line('r1', 'a1', [result(1)]),
      line('r2', 'a2', [result(2)]),
      line('b', 'r1', [{ type: 'text', text: 'Seen.' }], 'm2'),
      line('h2', 'b', 'And now?'),
    ];
    const bytes = jsonl(...records);
    const summarizer = new TranscriptSummarizer({ estimator: quarterTokens });
    summarizer.feed(bytes);
    const tally = summarizer.state()?.tally;
    assert.ok(tally);
    assert.equal(tally.settled.toolSteps, 2);
    assert.deepEqual([summarizer.finish().messages, summarizer.finish().turns], [3, 2]);
  });

  it('knows which lines it has, of a stored state as of its ids', () => {
    const records = Array.from({ length: 300 }, (_, i) => ({ type: 'progress', uuid: `u${String(i)}`, data: {} }));
    const summarizer = new TranscriptSummarizer({ estimator: quarterTokens });
    summarizer.feed(jsonl(...records));
    const owns = uuidOwner(stateAfter(jsonl(...records)));
    const ids = summarizer.ids();
    for (let i = 0; i < 600; i++) {
      assert.equal(owns(`u${String(i)}`), i < 300);
      assert.equal(listHas(ids, `u${String(i)}`), i < 300);
    }
  });
});
