import assert from 'node:assert/strict';
import fc from 'fast-check';
import { diffRow } from '../../../../../src/core/versions/diff/diffRow';
import type { DiffBlock, DiffPart } from '../../../../../src/core/versions/diff/types';

function blocks(...texts: readonly string[]): DiffBlock[] {
  return texts.map((text, at) => ({ kind: 'note', role: 'user', from: at, to: at, text }));
}

function sideOf(parts: readonly DiffPart[], side: 'a' | 'b'): string[] {
  const texts: string[] = [];
  for (const part of parts) {
    const block = part[side];
    if (block === undefined) continue;
    texts[block] = (texts[block] ?? '') + (side === 'a' ? (part.textOfA ?? part.text) : part.text);
  }
  return texts;
}

describe('diffRow', () => {
  it('says of each word whether it was kept, removed or added, and counts them', () => {
    const { parts, counts } = diffRow({ a: blocks('We use the old parser.'), b: blocks('We use the new parser.') });
    assert.deepEqual(
      parts.map(({ change, text }) => [change, text]),
      [
        ['kept', 'We use the '],
        ['removed', 'old '],
        ['added', 'new '],
        ['kept', 'parser.'],
      ],
    );
    assert.deepEqual(counts, { kept: 4, removed: 1, added: 1 });
  });

  it('takes another line break for no difference, and shows each side as it is', () => {
    const { parts, counts } = diffRow({ a: blocks('one two\nthree'), b: blocks('one two three') });
    assert.deepEqual(counts, { kept: 3, removed: 0, added: 0 });
    assert.deepEqual(parts, [{ change: 'kept', text: 'one two three', textOfA: 'one two\nthree', a: 0, b: 0 }]);
  });

  it('gives back both sides, block by block', () => {
    const texts = fc.array(
      fc
        .array(fc.constantFrom('a', 'bb', 'the', '。', '用', '\n', '  ', '**', '😀', 'x1'), { maxLength: 40 })
        .map((all) => all.join(' ')),
      { maxLength: 4 },
    );
    const shown = (all: readonly string[]): string[] => all.filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const { parts } = diffRow({ a: blocks(...a), b: blocks(...b) });
        assert.deepEqual(shown(sideOf(parts, 'a')), shown(a));
        assert.deepEqual(shown(sideOf(parts, 'b')), shown(b));
      }),
    );
  });

  it('compares the beginning of a block that has no end, and says what it left out', () => {
    const { cutCharacters, counts } = diffRow({ a: blocks('log line\n'.repeat(20_000)), b: [] });
    assert.equal(cutCharacters, 160_000);
    assert.equal(counts.removed, 4445);
  });
});
