import assert from 'node:assert/strict';
import { leadingBlocks, lineageTitle, placeBlocks } from '../../../../../src/core/versions/storedBlocks';

/** As a version's records are: the first one begins with words that came from no message. */
function jsonlOf(
  messages: { opening?: string; blocks: { text: string; kind?: string; sources: string[] }[] }[],
): string {
  return messages
    .map(({ opening, blocks }) =>
      JSON.stringify({
        type: 'assistant',
        message: {
          content: [...(opening === undefined ? [] : [opening]), ...blocks.map(({ text }) => text)].map((text) => ({
            type: 'text',
            text,
          })),
        },
        keepit: { blocks: blocks.map(({ kind = 'note', sources }) => ({ kind, sources })) },
      }),
    )
    .join('\n');
}

const blocks = [
  { text: '## Docker (messages 1–2)', kind: 'heading', sources: ['a', 'b'] },
  { text: 'No root.', sources: ['a'] },
  { text: '##keepit0.90## Two lines\nof it.\n##keepit:end##', kind: 'keepit', sources: ['b'] },
  { text: 'No root.', sources: ['c'] },
];
const markdown = `<!-- Keepit v001 -->\n${blocks.map(({ text }) => text).join('\n\n')}\n`;
const jsonl = jsonlOf([
  { opening: 'Notes of a past session.', blocks: blocks.slice(0, 2) },
  { blocks: blocks.slice(2) },
]);

describe('the lineage of a version’s blocks', () => {
  it('finds each block in the Markdown, the same words twice as two blocks', () => {
    assert.deepEqual(
      placeBlocks(markdown, jsonl).map(({ start, end, kind, sources }) => [start, end, kind, ...sources]),
      [
        [1, 1, 'heading', 'a', 'b'],
        [3, 3, 'note', 'a'],
        [5, 7, 'keepit', 'b'],
        [9, 9, 'note', 'c'],
      ],
    );
  });

  it('says how many messages a block came from', () => {
    assert.equal(lineageTitle({ sources: ['a'] }), 'Go to its message');
    assert.equal(lineageTitle({ sources: ['a', 'b'] }), 'Go to its 2 messages');
  });

  it('is shown once where neighbours came from the same message', () => {
    const [heading, note, keepit] = placeBlocks(markdown, jsonl);
    const same = { ...keepit!, sources: ['a'] };
    assert.deepEqual(leadingBlocks([heading!, note!, same, { ...same, sources: [] }]), [heading, note]);
  });

  it('goes on behind a block that somebody changed, and a record that is damaged', () => {
    const edited = markdown.replace('Two lines', 'Two words');
    assert.deepEqual(
      placeBlocks(edited, `${jsonl.split('\n')[0]}\n{"torn\n${jsonl.split('\n')[1]}`).map(({ start }) => start),
      [1, 3, 9],
    );
    assert.deepEqual(placeBlocks(markdown, 'null\n\n[]'), []);
  });
});
