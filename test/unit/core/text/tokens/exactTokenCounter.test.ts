import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { ExactTokenCounter } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { mixedText } from '../../../support/mixedText';

describe('ExactTokenCounter', () => {
  let counter: ExactTokenCounter;
  let reference: Tiktoken;
  const expression = new RegExp(o200k.pat_str, 'ug');
  const known = new Map<string, number>();

  before(() => {
    counter = new ExactTokenCounter(encodeRanks());
    reference = new Tiktoken(o200k);
  });

  function assertSameCount(text: string): void {
    assert.equal(counter.count(text), reference.encode(text, [], []).length, JSON.stringify(text).slice(0, 300));
  }

  /** The sum over what the expression of the encoding splits a text into. */
  function countOfPieces(text: string): number {
    let total = 0;
    for (const piece of text.match(expression) ?? []) {
      let count = known.get(piece);
      if (count === undefined) {
        // Long pieces take js-tiktoken minutes; that they are merged alike is tested with shorter ones.
        count = piece.length > 500 ? counter.count(piece) : reference.encode(piece, [], []).length;
        known.set(piece, count);
      }
      total += count;
    }
    return total;
  }

  it('counts as js-tiktoken does, whatever the script and however it is mixed', () => {
    fc.assert(
      fc.property(mixedText, (text) => assertSameCount(text)),
      { numRuns: 600 },
    );
  });

  it('counts as js-tiktoken does for any UTF-16 units, lone surrogates included', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 });
    fc.assert(
      fc.property(units, (codes) => assertSameCount(String.fromCharCode(...codes))),
      { numRuns: 600 },
    );
  });

  it('splits as the expression of the encoding does wherever two classes of characters meet', () => {
    // One character of every class that the expression tells apart, wide ones too, in every order of four.
    const alphabet = ['A', 'b', '中', '\u0301', '𐐀', '7', ' ', '\t', '\n', '/', "'", 's', '😀'];
    let text = '';
    for (let code = 0; code < alphabet.length ** 4; code++) {
      for (let rest = code, left = 4; left > 0; left--, rest = Math.floor(rest / alphabet.length)) {
        text += alphabet[rest % alphabet.length] ?? '';
      }
      text += code % 3 === 0 ? '\r\n' : ' .';
    }
    assert.equal(counter.count(text), countOfPieces(text));
  });

  it('counts as the expression splits where texts are longer than what is looked at at once', () => {
    // Long texts are taken in windows of 16,384 units: whatever stands around their borders must come out the same.
    const filler = 'lorem ipsum dolor 123 sit; '.repeat(1300);
    fc.assert(
      fc.property(mixedText, mixedText, fc.integer({ min: 0, max: 100 }), (first, second, shift) => {
        const text = `${filler.slice(0, 16_384 - shift)}${first}${filler.slice(0, 16_384 - shift)}${second}${filler.slice(shift, 200)}`;
        assert.equal(counter.count(text), countOfPieces(text));
      }),
      { numRuns: 100 },
    );
    for (const unit of ['\n', ' ', "a'", 'A', '中', '\u0301', '-', '/', '😀', '\ud83d', '\u3000']) {
      const text = `${filler.slice(0, 16_300)}${unit.repeat(40_000)}${filler.slice(0, 100)}${unit.repeat(17_000)}`;
      assert.equal(counter.count(text), countOfPieces(text), JSON.stringify(unit));
    }
  });

  for (const [what, text] of [
    ['nothing', ''],
    ['special tokens, as ordinary text', 'a<|endoftext|>b <|endofprompt|><|fim_prefix|>'],
    ['contractions in any case', "don't DON'T we'Re I'LL they'vE he'd 'tis 's ſ's rock'n'roll 中'll"],
    ['CRLF, CR and blank lines', 'a\r\n\r\n  b\r\r\n\t\n   \n x \r'],
    ['blanks at the end', 'x   \n\n   '],
    ['all kinds of white space', '\u00a0\u2003a\u3000\ufeff\u2028b \u00a0 \u00a0c'],
    ['emoji with joiners, skin tones and flags', '👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 ❤️‍🔥 #️⃣'],
    ['combining marks with and without a letter', 'e\u0301 \u0301 \u0301A \u0301a !\u0301 A\u0301\u0301B'],
    ['title case and modifier letters', 'ǅǆ ʰAʰ ﬃ ªº Aʰ'],
    ['digits of many scripts', '1234567 ٣٤٥٦ ०१२३ ⅷ²½ 𝟘𝟙𝟚𝟛𝟜'],
    ['slashes after symbols', 'https://a.b//c/ ///\n/\n/x */\n\n// y'],
    ['code', 'const x = {a: [1, 2], \'b\': "c"};\n\tif (x?.a!==0b101) { return `${x}` }\n'],
    [
      'base64',
      'iVBORw0KGgoAAAANSUhEUgAAAAUA/+AAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
    ],
    ['escapes of a terminal', '\u001b[31mred\u001b[0m\u0000\u0007\u007f\u0085'],
  ] as const) {
    it(`counts ${what} as js-tiktoken does`, () => assertSameCount(text));
  }

  for (const length of [29, 30, 31, 47, 48, 49, 50, 512, 513]) {
    it(`merges runs of ${length} characters as js-tiktoken does`, () => {
      for (const unit of ['a', 'ab', 'Ab', 'é', '中', ' ', '=', 'xyzzy', '\n', '漢字仮名']) {
        assertSameCount(unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
      }
    });
  }

  it('gives the same count when a piece comes out of the cache', () => {
    const text = 'Zwiebelfischchen qwrtpsdf kjhgfdsa zxcvbnmlkj '.repeat(20);
    const first = counter.count(text);
    assert.equal(counter.count(text), first);
    assertSameCount(text);
  });
});
