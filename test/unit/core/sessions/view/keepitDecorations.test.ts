import assert from 'node:assert/strict';
import { decorationsIn, rulerMarks, withMargin } from '../../../../../src/core/sessions/view/keepitEditor';
import { MarkIndex, type KeepitMark, textMarks } from '../../../../../src/core/sessions/view/keepitMarks';

function marksOf(...texts: string[]): readonly KeepitMark[] {
  return textMarks(texts.join('\n')).marks;
}

describe('the decorations of a document', () => {
  it('are those of the parts in sight, by band, each once', () => {
    const marks = marksOf('##keepit1.00## a ##keepit:end##', ...Array<string>(500).fill('x'), '##keepit0.25## b');
    const index = new MarkIndex(marks);
    const bands = decorationsIn(index, [
      { first: 0, last: 5 },
      { first: 6, last: 20 },
    ]);
    assert.deepEqual([...bands.keys()], ['pinned']);
    assert.deepEqual(bands.get('pinned')?.spans, [{ start: { line: 0, column: 0 }, end: { line: 0, column: 16 } }]);
    assert.equal(bands.get('pinned')?.chips.length, 2);
    assert.deepEqual([...decorationsIn(index, [{ first: 400, last: 501 }]).keys()], ['minor']);
  });

  it('say beside the marker which weight counts, and in its place where none is written', () => {
    const [mark] = marksOf('##keepit0.50## a');
    const note = (changes: Partial<KeepitMark>): unknown =>
      decorationsIn(new MarkIndex([{ ...mark!, ...changes }]), [{ first: 0, last: 9 }]).get(changes.band ?? 'notable')
        ?.chips[0]?.note;
    assert.equal(note({}), undefined);
    assert.deepEqual(note({ weight: 0.9, band: 'critical' }), { side: 'after', text: '→ 0.90' });
    assert.deepEqual(note({ state: 'removed', band: 'inactive' }), { side: 'after', text: 'removed' });
    assert.deepEqual(note({ origin: 'overlay', chips: [] }), { side: 'before', text: '0.50' });
  });

  it('reach a little over what is visible, and join parts that meet', () => {
    assert.deepEqual(
      withMargin([
        { first: 300, last: 340 },
        { first: 10, last: 20 },
        { first: 100, last: 110 },
      ]),
      [
        { first: 0, last: 170 },
        { first: 240, last: 400 },
      ],
    );
  });

  it('thin out in the overview ruler where there are very many', () => {
    const texts = Array.from({ length: 10_000 }, (_, index) => `##keepit0.50## ${index}`);
    const ranges = rulerMarks(marksOf(...texts)).get('notable') ?? [];
    assert.ok(ranges.length >= 1000 && ranges.length <= 2000, String(ranges.length));
  });
});
