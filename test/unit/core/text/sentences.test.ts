import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sentencesOf, splitSentences, wholeCharacterEnd } from '../../../../src/core/text/sentences';
import { mixedText } from '../../support/mixedText';

describe('splitSentences', () => {
  it('ends sentences of people who type no capitals, and no names, dots or abbreviations of theirs', () => {
    assert.deepEqual(
      sentencesOf("those look...ancient? we do container-first.  let's ask e.g. the docs of node.js. ok"),
      ['those look...ancient?', 'we do container-first.', "let's ask e.g. the docs of node.js.", 'ok'],
    );
    assert.deepEqual(sentencesOf('See the config. file of Ada. It is short.'), [
      'See the config. file of Ada.',
      'It is short.',
    ]);
  });

  it('splits after full stops, questions and exclamations', () => {
    assert.deepEqual(splitSentences('It works. Does it? Yes! Good'), ['It works.', 'Does it?', 'Yes!', 'Good']);
  });

  it('leaves file names, versions, numbers and abbreviations whole', () => {
    for (const sentence of [
      'See src/a.ts and lib/b.test.ts for v1.2.3 of it.',
      'It took 3.5 s, e.g. for large files, vs. 10 s before.',
      '1. Read the file',
      'Это работает, т.е. тесты проходят.',
      'Der Vertrag läuft am 30. September aus.',
    ]) {
      assert.deepEqual(splitSentences(sentence), [sentence]);
    }
  });

  it('never splits code spans', () => {
    assert.deepEqual(splitSentences('Run `a. b. c` first. Then stop.'), ['Run `a. b. c` first.', 'Then stop.']);
  });

  it('begins sentences with code, numbers and marks as well as with words', () => {
    assert.deepEqual(splitSentences('No. `npm test` fails. 30 seconds is fine. **Why.** #4 said so.'), [
      'No.',
      '`npm test` fails.',
      '30 seconds is fine.',
      '**Why.**',
      '#4 said so.',
    ]);
    assert.deepEqual(splitSentences('The question "Are you sure?" is answered from habit. 2. Ask once.'), [
      'The question "Are you sure?" is answered from habit.',
      '2. Ask once.',
    ]);
  });

  it('splits a paragraph of any length as it does a short one', () => {
    const sentence = 'It took 3.5 s, e.g. for `a. b`, which is fine.';
    assert.deepEqual(new Set(splitSentences(`${sentence} `.repeat(200))), new Set([sentence]));
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

describe('sentencesOf', () => {
  it('reads paragraphs, headings and lists, and leaves their signs and code blocks out', () => {
    const text =
      '# Rules\n\nUse tabs.\nNever\nspaces. Why?\n- [ ] Ask first\n2. Then\n   write\n```sh\nrm. Or not.\n```\n> Said so.';
    assert.deepEqual(sentencesOf(text), [
      'Rules',
      'Use tabs.',
      'Never spaces.',
      'Why?',
      'Ask first',
      'Then write',
      'Said so.',
    ]);
  });

  it('cuts a sentence that goes on and on at a word', () => {
    const [sentence = '', ...others] = sentencesOf(`${'word '.repeat(200)}end.`);
    assert.ok(sentence.length <= 400 && sentence.endsWith('word') && others.length === 0);
  });
});
