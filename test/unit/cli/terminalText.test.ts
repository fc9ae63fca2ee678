import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Style, ownSequence, terminalText } from '../../../src/cli/terminal';
import { escapedControls, oneLine } from '../../../src/core/text/cleanText';

const ESC = '\u001b';
/** Bells, escapes, C1, DEL, carriage returns, directions of writing, characters without width, tags. */
const HOSTILE = [
  `${ESC}[31mred`,
  `${ESC}]0;title\u0007`,
  '\u009b31m',
  '\u0090q\u009c',
  '\u007f',
  'over\rwritten',
  '\u202etxt.exe',
  '\u2066a\u2069',
  '\u061c\u200e\u200f',
  'in\u200bvisible',
  '\u{e0041}\u{e007f}',
  '\u2028',
];
const CONTROLS = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\u{e0041}/u;

describe('what is written to a terminal', () => {
  for (const text of HOSTILE) {
    it(`shows ${JSON.stringify(text)}, and does not do it`, () => {
      const shown = terminalText(text, true);
      assert.doesNotMatch(shown, CONTROLS);
      assert.notEqual(shown, text);
      assert.doesNotMatch(oneLine(text, 100), CONTROLS, 'in labels');
    });
  }

  it('keeps lines, tabs, emoji, accents and every script', () => {
    for (const text of ['a\n\tb', '👩‍🔧 🇩🇪 ✓', 'cafe\u0301', 'שלום עולם', 'مرحبا', 'می\u200cخواهم', '潮位']) {
      assert.equal(terminalText(text, true), text);
    }
    assert.equal(terminalText('a\r\nb', true), 'a\nb');
  });

  it('has our own colours, and none that a text brings along', () => {
    const style = new Style(true);
    const shown = terminalText(style.paint('good', `a${ESC}[31mb`), true);
    assert.equal(shown, `${ESC}[32ma␛[31mb${ESC}[39m`);
    const forged = ownSequence(`${ESC}[31m`).replace(/[0-9a-f]{16}/, '0123456789abcdef');
    assert.doesNotMatch(terminalText(forged, true), CONTROLS);
  });

  it('never lets a control character through, whatever the text is', () => {
    const unit = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        assert.doesNotMatch(terminalText(parts.join(''), true), CONTROLS);
      }),
    );
  });

  it('is left as it is on its way to a file or a program', () => {
    for (const text of HOSTILE) assert.equal(terminalText(text, false), text);
  });

  it('says in JSON what it says elsewhere', () => {
    const value = { text: HOSTILE.join('') };
    const json = escapedControls(JSON.stringify(value, null, 2));
    assert.doesNotMatch(json, CONTROLS);
    assert.deepEqual(JSON.parse(json), value);
  });
});
