import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { cutText, lastSections } from '../../../../../src/core/claude/hooks/cardMaker';

describe('hooks: cutting what is too long', () => {
  it('never gives more than there is room for, nor half a character, nor an open code block', () => {
    const word = fc.constantFrom('word', '👩‍👩‍👧‍👦', '```', 'ä', '**b**', '    ', 'ゴ', '```ts', '~~~');
    const text = fc.array(fc.tuple(word, fc.constantFrom(' ', '\n', '\n\n'))).map((pieces) => pieces.flat().join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 200 }), (whole, units) => {
        const cut = cutText(whole, units);
        assert.ok(cut.length <= units);
        assert.ok(whole.trim().startsWith(cut));
        assert.ok(!/[\ud800-\udbff]$/.test(cut));
      }),
    );
  });

  it('ends between paragraphs, and before a code block that does not fit', () => {
    const text = `First paragraph of some length.\n\nSecond one.\n\n\`\`\`ts\n${'const x = 1;\n\n'.repeat(20)}\`\`\`\n\nEnd.`;
    assert.equal(cutText(text, 40), 'First paragraph of some length.');
    assert.equal(cutText(text, 120), 'First paragraph of some length.\n\nSecond one.');
    assert.equal(cutText(text, 10_000), text);
  });

  it('keeps the last sections of a memory whole', () => {
    const memory = `## one\n${'a '.repeat(50)}\n\n## two\nb\n\n## three\nc\n`;
    assert.equal(lastSections(memory, 30, /^## /gm), '## two\nb\n\n## three\nc');
    assert.equal(lastSections(memory, 12, /^## /gm), '## three\nc');
    assert.equal(lastSections(memory, 5, /^## /gm), '## th');
  });
});
