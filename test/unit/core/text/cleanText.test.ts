import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cleanLines, escapeMarkdown, oneLine } from '../../../../src/core/text/cleanText';

const escape = String.fromCharCode(0x1b);

describe('cleanLines', () => {
  it('splits at everything that some editor takes for a line end', () => {
    assert.deepEqual(cleanLines('a\nb\r\nc\rd\u2028e\u2029f\u0085g'), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('drops blank lines at both ends and keeps those between', () => {
    assert.deepEqual(cleanLines('\n  \na\n\nb\n \n'), ['a', '', 'b']);
    assert.deepEqual(cleanLines(' \n'), []);
  });

  it('drops what a terminal would have obeyed, and shows other control characters', () => {
    assert.deepEqual(cleanLines(`${escape}[31mred${escape}[0m ${escape}]0;title\u0007\u0000end\ttab`), [
      'red ␀end\ttab',
    ]);
  });

  it('breaks a line that an editor would not draw, never inside a character', () => {
    const lines = cleanLines(`${'x'.repeat(7999)}😀${'y'.repeat(9000)}`);
    assert.deepEqual(
      lines.map((line) => line.length),
      [7999, 8000, 1002],
    );
    assert.ok(lines.every((line) => !/[\ud800-\udbff]$|^[\udc00-\udfff]/.test(line)));
  });

  it('leaves no character in a line that ends it, hides it or moves the cursor', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const line of cleanLines(text)) assert.doesNotMatch(line, /(?!\t)[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });

  it('stays linear on hostile escape sequences', () => {
    assert.equal(cleanLines(`${escape}]`.repeat(20_000)).length, 0);
    assert.equal(cleanLines(`${escape}[`.repeat(20_000)).length > 0, true);
  });
});

describe('oneLine', () => {
  it('folds white space and cuts with an ellipsis', () => {
    assert.equal(oneLine('  a\n\n b\t c ', 20), 'a b c');
    assert.equal(oneLine('abcdefghij', 5), 'abcd…');
    assert.equal(oneLine('abc😀def', 5), 'abc…');
  });

  it('does not look at the rest of a text of megabytes', () => {
    assert.equal(oneLine('a '.repeat(5_000_000), 10).length, 10);
  });
});

describe('escapeMarkdown', () => {
  it('leaves nothing that Markdown or an icon syntax would take up', () => {
    assert.equal(escapeMarkdown('[x](y) **b** $(gear) <img>'), '\\[x\\]\\(y\\) \\*\\*b\\*\\* \\$\\(gear\\) \\<img\\>');
  });
});
