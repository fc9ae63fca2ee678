import assert from 'node:assert/strict';
import fc from 'fast-check';
import { splitSentences, wholeCharacterEnd } from '../../../../src/core/text/plainSentences';
import { mixedText } from '../../support/mixedText';

describe('splitSentences', () => {
  it('splits after full stops, questions and exclamations', () => {
    assert.deepEqual(splitSentences('It works. Does it? Yes! Good'), ['It works.', 'Does it?', 'Yes!', 'Good']);
  });

  it('leaves file names, versions, numbers and abbreviations whole', () => {
    for (const sentence of [
      'See src/a.ts and lib/b.test.ts for v1.2.3 of it.',
      'It took 3.5 s, e.g. for large files, vs. 10 s before.',
      '1. Read the file',
      'Это работает, т.е. тесты проходят.',
    ]) {
      assert.deepEqual(splitSentences(sentence), [sentence]);
    }
  });

  it('never splits code spans', () => {
    assert.deepEqual(splitSentences('Run `a. b. c` first. Then stop.'), ['Run `a. b. c` first.', 'Then stop.']);
  });

  it('splits scripts that put no space after a full stop', () => {
    assert.deepEqual(splitSentences('原因是连接池没有复用。已经修复！好吗？'), [
      '原因是连接池没有复用。',
      '已经修复！',
      '好吗？',
    ]);
    assert.deepEqual(splitSentences('直しました。「はい。」と言った。'), ['直しました。', '「はい。」', 'と言った。']);
  });

  it('splits Arabic and Hindi by their own signs', () => {
    assert.deepEqual(splitSentences('هل يعمل؟ نعم.'), ['هل يعمل؟', 'نعم.']);
    assert.deepEqual(splitSentences('यह काम करता है। ठीक है।'), ['यह काम करता है।', 'ठीक है।']);
  });

  it('loses nothing but white space, whatever the text', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const bare = (value: string): string => value.replace(/\s+/g, '');
        assert.equal(bare(splitSentences(text).join('')), bare(text));
      }),
    );
  });

  it('cuts what is too long for one sentence, between characters', () => {
    const parts = splitSentences('😀'.repeat(2000));
    assert.ok(
      parts.length > 1 && parts.every((part) => part.length <= 600 && !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part)),
    );
    assert.equal(wholeCharacterEnd('a😀', 2), 1);
  });
});
