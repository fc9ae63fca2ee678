import assert from 'node:assert/strict';
import { bestTitle } from '../../../../src/core/transcript/sessionStats';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import { fixture, jsonl, quarterTokens, read, summarize } from './transcriptFixtures';

describe('figures of a transcript', () => {
  it('counts messages, turns, tools and tokens', () => {
    const summary = summarize(fixture('rewind.jsonl'));
    assert.equal(summary.messages, 4);
    assert.equal(summary.turns, 2);
    assert.equal(summary.toolSteps, 0);
    const { messages } = read(fixture('rewind.jsonl'));
    assert.equal(
      summary.tokens - summary.resultTokens,
      messages.reduce((sum, { tokens }) => sum + tokens, 0),
    );
  });

  it('finds what looks like keepit markers in live words only', () => {
    const marked = (uuid: string, parentUuid: string | null, content: string, isMeta = false): unknown => ({
      type: 'user',
      uuid,
      parentUuid,
      isMeta,
      message: { content },
    });
    const summary = summarize(
      jsonl(
        marked('a', null, 'Never do that. ##keepit1.00##'),
        marked('b', 'a', 'left behind ##keepit0.50##'),
        marked('m', 'a', 'meta ##keepit0.25##', true),
        marked('c', 'a', 'two ##KEEPIT0.80## and ##keepit1.00##, bad ones ##keepitNaN## and ##keepit-1##'),
      ),
    );
    assert.deepEqual(summary.keepitCandidates, { '1.00': 2, '0.80': 1, nan: 1, '-1': 1 });
  });

  it('shows every entry that is not a duplicate', () => {
    const kinds: string[] = [];
    const reader = new TranscriptReader({ estimator: quarterTokens, onEntry: ({ kind }) => kinds.push(kind) });
    reader.feed(fixture('titles.jsonl'));
    assert.deepEqual(kinds, ['title', 'title', 'human', 'assistant', 'title', 'title']);
  });
});

describe('titles', () => {
  it('prefer the custom title, then the generated one, then the summary, then the first words', () => {
    const { titles } = read(fixture('titles.jsonl'));
    assert.equal(bestTitle(titles), 'Ledger');
    const { custom: _custom, ...uncustomized } = titles;
    assert.equal(bestTitle(uncustomized), 'Migrating the ledger');
    const { ai: _ai, ...summarized } = uncustomized;
    assert.equal(bestTitle(summarized), 'Ledger migration');
    const { summary: _summary, ...bare } = summarized;
    assert.equal(bestTitle(bare), 'Migrate the ledger.');
    assert.equal(bestTitle(bare, 'Adopted'), 'Adopted');
    assert.equal(bestTitle({ foreign: [] }), undefined);
  });

  it('of a summary line belong to the file that has the leaf', () => {
    const { titles } = summarize(fixture('titles.jsonl'));
    const [foreign] = titles.foreign;
    assert.deepEqual(foreign, { leafUuid: 'dead0000-0000-4000-8000-000000000000', title: 'Somebody else entirely' });
    const owner = summarize(jsonl({ type: 'user', uuid: foreign.leafUuid, message: { content: 'mine' } }));
    assert.deepEqual(owner.leaves, ['dead0000-0000-4000-8000-000000000000']);
  });
});

describe('timestamps', () => {
  it('give the earliest and the latest that is a date, whatever the order and the form', () => {
    const at = (timestamp: string, i: number): unknown => ({
      type: 'user',
      uuid: `u${String(i)}`,
      timestamp,
      message: { content: 'x' },
    });
    const times = [
      '2026-03-01T00:00:00.000Z',
      '2026-99-99T00:00:00.000Z',
      'yesterday',
      '2026-01-31T23:59:59.999Z',
      '2026-03-01T02:00:00+01:00',
      '2026-02-01T00:00:00.000Z',
    ];
    const { meta } = summarize(jsonl(...times.map(at)));
    assert.equal(meta.firstTimestamp, '2026-01-31T23:59:59.999Z');
    assert.equal(meta.lastTimestamp, '2026-03-01T02:00:00+01:00');
    assert.equal(read(jsonl(at('2026-13-01T00:00:00.000Z', 1))).messages[0]?.timestamp, undefined);
  });
});
