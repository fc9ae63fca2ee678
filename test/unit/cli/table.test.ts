import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  terminalText,
  Style,
  renderFields,
  renderTable,
  pad,
  textWidth,
  truncate,
  wrap,
} from '../../../src/cli/terminal';

const plain = new Style(false);
const columns = ['Id', 'Tokens', 'Title…', 'Memory'];
const cells = (...texts: string[]) => texts.map((text) => ({ text }));

describe('a table', () => {
  it('aligns its columns, numbers to the right', () => {
    const rows = [cells('e3580bc6', '5.2k', 'Release 1.0', 'in memory'), cells('94d7c2af', '812', 'Push feed', '')];
    assert.deepEqual(renderTable(columns, rows, { style: plain, width: Infinity }), [
      'Id        Tokens  Title        Memory',
      'e3580bc6    5.2k  Release 1.0  in memory',
      '94d7c2af     812  Push feed',
    ]);
  });

  it('leaves out a column in which nothing stands', () => {
    const rows = [cells('a', '', 'One', ''), cells('b', '', 'Two', '')];
    assert.deepEqual(renderTable(columns, rows, { style: plain, width: Infinity }), [
      'Id  Title',
      'a   One',
      'b   Two',
    ]);
  });

  it('cuts the flexible column, and only that, to fit a terminal', () => {
    const rows = [cells('e3580bc6', '5.2k', 'A title that is far too long for this terminal', 'in memory')];
    const lines = renderTable(columns, rows, { style: plain, width: 48 });
    assert.deepEqual(
      lines.map(textWidth).filter((width) => width > 48),
      [],
    );
    assert.match(lines[1]!, /^e3580bc6 +5\.2k {2}A title that.*… +in memory$/);
  });

  it('counts wide characters as two columns, and accents as none', () => {
    assert.equal(textWidth('潮位'), 4);
    assert.equal(textWidth('cafe\u0301'), 4);
    assert.equal(textWidth('👩‍🔧'), 2);
    assert.equal(textWidth('한국어'), 6);
    const rows = [cells('潮', '1', '潮位計', 'x'), cells('aa', '22', 'tide', 'x')];
    const lines = renderTable(columns, rows, { style: plain, width: Infinity });
    assert.equal(new Set(lines.slice(1).map((line) => textWidth(line))).size, 1);
  });

  it('measures colours as nothing', () => {
    const rows = [[{ text: 'a', tone: 'good' as const }, ...cells('1', 'One', 'x')]];
    const marked = renderTable(columns, rows, { style: new Style(true), width: Infinity });
    const painted = marked.map((line) => terminalText(line, true));
    const bare = renderTable(columns, rows, { style: plain, width: Infinity });
    const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    assert.deepEqual(
      painted.map((line) => line.replace(escapes, '').trimEnd()),
      bare,
    );
    assert.match(painted[1]!, /\[32ma/);
  });

  it('lists facts with aligned labels, and leaves out what is not known', () => {
    const facts = [
      ['Session', 'e3580bc6'],
      ['Branch', undefined],
      ['Tokens', '5'],
      ['Models', ''],
    ] as const;
    assert.deepEqual(renderFields(facts, { style: plain, indent: 2 }), ['  Session  e3580bc6', '  Tokens   5']);
  });
});

describe('text in columns', () => {
  it('is cut without ever being wider than asked, and without half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 20 }), (text, columns) => {
        const cut = truncate(text, columns);
        assert.ok(textWidth(cut) <= Math.max(columns, 0), `${cut} is wider than ${columns}`);
        assert.ok(text.startsWith(cut.replace(/…$/, '')) || cut.endsWith('…'));
        assert.doesNotMatch(cut, /\p{Cs}/u);
      }),
    );
  });

  it('is padded to the width that was asked for', () => {
    assert.equal(pad('潮', 4, 'right'), '  潮');
    assert.equal(pad('ab', 4, 'left'), 'ab  ');
    assert.equal(pad('abcd', 2, 'left'), 'abcd');
  });

  it('is wrapped between words, and keeps every word', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 8 }).filter((word) => /^\S+$/.test(word))), (words) => {
        assert.equal(wrap(words.join(' '), 20).join(' '), words.join(' '));
      }),
    );
    assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  });
});
