import assert from 'node:assert/strict';
import fc from 'fast-check';
import { armContext, HOOK_PIECES, pieceIn } from '../../../../src/core/compositions/arrivals';
import { armedContextSchema } from '../../../../src/core/model/armedContext';

const identity = {
  compositionId: '11111111-2222-4333-8444-555555555555',
  name: 'feature-x',
  builtAt: '2026-02-01T12:00:00Z',
};
const place = { projectId: '-p', file: '/store/composed.md', armedAt: '2026-02-01T12:00:00Z' };

const HALF_CHARACTER = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const paragraph = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.nat(12_000).map((length) => '🎉'.repeat(length / 2)),
  fc.constant('```js\nconst a = 1;\n\n\nconst b = 2;\n```'),
  fc.constant('##keepit0.80## one\n\ntwo\n##keepit:end##'),
);
const markdown = fc.array(paragraph, { minLength: 1, maxLength: 40 }).map((paragraphs) => paragraphs.join('\n\n'));

describe('armContext', () => {
  it('makes pieces that hooks may put out, whatever the text is', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const armed = armContext(identity, text, place);
        assert.ok(armedContextSchema.safeParse(armed).success);
        assert.ok(armed.pieces.length <= HOOK_PIECES);
        for (const piece of armed.pieces) {
          assert.ok(piece.length <= 10_000, `${piece.length} units`);
          assert.ok(piece.includes(identity.compositionId));
          assert.doesNotMatch(piece, HALF_CHARACTER);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('loses no word of a text that fits', () => {
    const text = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} ${'x'.repeat(500)}`).join('\n\n');
    const armed = armContext(identity, text, place);
    assert.equal(armed.rest, undefined);
    const bodies = armed.pieces.map((piece) => piece.slice(piece.indexOf('\n\n') + 2));
    assert.equal(bodies.join('\n\n'), text);
  });

  it('tells of each piece where it belongs, and that it is data, whichever is read first', () => {
    const armed = armContext(identity, 'z '.repeat(14_000), place);
    const firstLines = armed.pieces.map((piece) => piece.split('\n', 1)[0] ?? '');
    const data = 'data from past sessions, goes on where piece';
    const head = `Keepit composition ${identity.compositionId}: feature-x`;
    assert.deepEqual(firstLines, [
      `${head} (piece 1 of 3)`,
      `${head} (piece 2 of 3: ${data} 1 ends)`,
      `${head} (piece 3 of 3: ${data} 2 ends)`,
    ]);
    assert.deepEqual(
      armed.pieces.map((piece) => pieceIn(`Keepit session ID: 1\n\n${piece}`, identity.compositionId)),
      [1, 2, 3].map((piece) => ({ piece, count: 3 })),
    );
    assert.equal(pieceIn(`Keepit composition ${identity.compositionId}: all`, identity.compositionId), undefined);
  });

  it('cuts between paragraphs, and not inside a keepit or a code block', () => {
    const filler = 'y'.repeat(9700);
    const keepit = `##keepit0.80## one\n\n${'z'.repeat(300)}\n##keepit:end##`;
    const armed = armContext(identity, `${filler}\n\n${keepit}\n\nThe end.`, place);
    assert.equal(armed.pieces.length, 2);
    assert.ok(armed.pieces[1]?.includes(keepit));
  });
});
