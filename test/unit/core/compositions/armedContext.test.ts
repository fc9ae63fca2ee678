import assert from 'node:assert/strict';
import fc from 'fast-check';
import { armContext } from '../../../../src/core/compositions/arrivals';
import { markerLine } from '../../../../src/core/compositions/composedDocument';
import { armedContextSchema } from '../../../../src/core/model/preparedBrief';

const identity = {
  compositionId: '11111111-2222-4333-8444-555555555555',
  name: 'feature-x',
  builtAt: '2026-02-01T12:00:00Z',
};
const place = { projectId: '-p', file: '/store/composed.md', armedAt: '2026-02-01T12:00:00Z' };

const HALF_CHARACTER = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const ID_LINE = 'Keepit session ID: 12345678-1234-4234-8234-123456789012 (in the place of any that was told before)';

const paragraph = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.nat(12_000).map((length) => '🎉'.repeat(length / 2)),
  fc.constant('```js\nconst a = 1;\n\n\nconst b = 2;\n```'),
  fc.constant('##keepit0.80## one\n\ntwo\n##keepit:end##'),
);
const markdown = fc
  .array(paragraph, { minLength: 1, maxLength: 40 })
  .map((paragraphs) => [`${markerLine(identity)}.`, ...paragraphs].join('\n\n'));

describe('armContext', () => {
  it('fits into what one hook may put out, with the session’s id, whatever the text is', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const armed = armContext(identity, text, place);
        assert.ok(armedContextSchema.safeParse(armed).success);
        assert.ok(armed.text.length + ID_LINE.length + 2 <= 10_000, `${armed.text.length} units`);
        assert.ok(armed.text.includes(identity.compositionId));
        assert.doesNotMatch(armed.text, HALF_CHARACTER);
      }),
      { numRuns: 200 },
    );
  });

  it('loses no word of a text that fits', () => {
    const text = Array.from({ length: 15 }, (_, at) => `Paragraph ${at} ${'x'.repeat(500)}`).join('\n\n');
    const armed = armContext(identity, text, place);
    assert.equal(armed.rest, undefined);
    assert.equal(armed.text, text);
  });

  it('tells of a longer one what is marked, the heaviest first, how it ends, and which file has all of it', () => {
    const keepit = '##keepit0.80## one\n\ntwo\n##keepit:end##';
    const pinned = '##keepit1.00## Never drop the  last line.##keepit:end##';
    const filler = Array.from({ length: 60 }, (_, at) => `Filler ${at} ${'x'.repeat(500)}`).join('\n\n');
    const armed = armContext(identity, `${keepit}\n\n${filler}\n\n${pinned}\n\nThe end.`, place);
    assert.deepEqual(armed.rest, { file: place.file });
    const at = [place.file, pinned, keepit, 'Where the work stands', 'Filler 59', 'The end.'].map((words) =>
      armed.text.indexOf(words),
    );
    assert.ok(!at.includes(-1), armed.text);
    assert.deepEqual(
      at,
      [...at].sort((a, b) => a - b),
    );
    assert.ok(!armed.text.includes('Filler 2 '));
  });
});
