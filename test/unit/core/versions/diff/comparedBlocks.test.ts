import assert from 'node:assert/strict';
import { comparedBlocks } from '../../../../../src/core/versions/diff/compareVersions';

function record(
  texts: readonly string[],
  blocks: readonly { kind: string; sources: string[] }[],
  role = 'assistant',
): string {
  const content = texts.map((text) => ({ type: 'text', text }));
  return JSON.stringify({ type: role, message: { role, content }, keepit: { sources: [], blocks } });
}

const indexOf = (uuid: string): number | undefined => (/^m\d+$/.test(uuid) ? Number(uuid.slice(1)) : undefined);

describe('the blocks of a version that are compared', () => {
  it('gives each block with the messages that it came from', () => {
    const jsonl = record(
      ['## Parser (messages 3–6)', 'Fixed it.'],
      [
        { kind: 'heading', sources: ['m2', 'm5'] },
        { kind: 'note', sources: ['m5'] },
      ],
    );
    assert.deepEqual(comparedBlocks(jsonl, indexOf), [
      { kind: 'heading', role: 'assistant', from: 2, to: 5, text: '## Parser (messages 3–6)' },
      { kind: 'note', role: 'assistant', from: 5, to: 5, text: 'Fixed it.' },
    ]);
  });

  it('leaves out the words that introduce a version', () => {
    const jsonl = record(['Notes of a past session', 'Do it.'], [{ kind: 'note', sources: ['m0'] }], 'user');
    assert.deepEqual(
      comparedBlocks(jsonl, indexOf).map(({ text }) => text),
      ['Do it.'],
    );
  });

  it('puts a block whose messages are gone where the one before it is, and never goes back', () => {
    const jsonl = ['m4', 'gone', 'm1', 'm6']
      .map((uuid) => record([uuid], [{ kind: 'note', sources: [uuid] }]))
      .join('\n');
    assert.deepEqual(
      comparedBlocks(jsonl, indexOf).map(({ from }) => from),
      [4, 4, 4, 6],
    );
  });

  it('finds nothing in a file that another tool wrote, or that is damaged', () => {
    assert.deepEqual(comparedBlocks('{"type":"user","message":{"role":"user","content":"hi"}}\n{torn', indexOf), []);
  });
});
