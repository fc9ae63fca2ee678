import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseKeepits } from '../../../../src/core/keepits/markerParser';
import { mixedText } from '../../support/mixedText';

const contents = (text: string) => parseKeepits(text).spans.map(({ weight, content }) => [weight, content]);
const diagnostics = (text: string) =>
  parseKeepits(text).diagnostics.map(({ start, end, reason, suggestion }) => [
    text.slice(start, end),
    reason,
    suggestion,
  ]);

describe('parseKeepits', () => {
  it('ends a span at the next marker and at the end of the text', () => {
    const text = 'Intro ##keepit1.00## use Postgres \n ##keepit0.25##maybe Redis';
    assert.deepEqual(contents(text), [
      [1, 'use Postgres'],
      [0.25, 'maybe Redis'],
    ]);
    const [first, second] = parseKeepits(text).spans;
    assert.deepEqual([first?.start, first?.end], [6, second?.start]);
    assert.equal(second?.end, text.length);
  });

  it('does not take the signs that close one marker for the beginning of another', () => {
    assert.deepEqual(contents('##keepit0.80##keepit0.50## x'), [[0.8, 'keepit0.50## x']]);
    assert.deepEqual(contents('##keepit0.80####keepit0.50## x'), [[0.5, 'x']]);
  });

  it('ends a span at an explicit end marker, which belongs to no span', () => {
    const text = '##keepit0.80## kept ##KEEPIT:END## not kept';
    assert.deepEqual(contents(text), [[0.8, 'kept']]);
    assert.equal(parseKeepits(text).spans[0]?.end, text.indexOf('##KEEPIT:END##'));
    assert.deepEqual(parseKeepits(text).diagnostics, []);
  });

  it('reads markers in any letter case', () => {
    assert.deepEqual(contents('##KeepIt0.50## a ##KEEPIT0.10## b'), [
      [0.5, 'a'],
      [0.1, 'b'],
    ]);
  });

  it('keeps the marked text byte for byte, code and blank lines inside included', () => {
    const body = 'Run:\n\n```sh\nmake  all\t\n```\n\n  – naïve 日本語 😀';
    assert.deepEqual(contents(`##keepit1.00##\n${body}\n`), [[1, body]]);
  });

  it('counts positions in UTF-16 units', () => {
    assert.equal(parseKeepits('😀é ##keepit1.00## x').spans[0]?.start, 4);
  });

  it('finds no marker in fenced code, whatever the fence', () => {
    for (const text of [
      '```\n##keepit1.00## x\n```',
      '~~~ts\n##keepit1.00## x\n~~~',
      '   ```js\n##keepit1.00## x\n   ```',
      '````\n```\n##keepit1.00## x\n```\n````',
      '```\n~~~\n##keepit1.00## x',
      '```\r\n##keepit1.00## x\r\n```\r\n',
      '1. ```sh\n   ##keepit1.00## x\n   ```',
      '1.  one\n\n    ```\n    ##keepit1.00## x\n    ```',
      '- a\n  - b\n\n\t\t```\n\t\t##keepit1.00## x\n\t\t```',
      '> ```\n> ##keepit1.00## x\n> ```',
      '> - ~~~\n>   ##keepit1.00## x\n>   ~~~',
    ]) {
      assert.deepEqual(contents(text), [], JSON.stringify(text));
    }
  });

  it('finds markers again after a fence is closed, and where nothing is a fence', () => {
    for (const text of [
      '```\ncode\n```\n##keepit1.00## x',
      '```\ncode\n`````  \n##keepit1.00## x',
      '``` not ` a fence\n\n##keepit1.00## x',
      '```sh\ncode\n``` no closing here\n```\n##keepit1.00## x',
      '    ```\n\n##keepit1.00## x',
      '1. ```bash\n   npm ci\n   ```\n\n##keepit1.00## x',
      '1. ```bash\nnpm ci\n```\n\n##keepit1.00## x',
      '10. one\n\n    ```bash\n    npm ci\n    ```\n##keepit1.00## x',
      '- a\n  - b\n\n    ```\n    never closed\n\n##keepit1.00## x',
      '> ```\n> never closed\n\n##keepit1.00## x',
      '> 1. ```\n>    a\n>    ```\n\n##keepit1.00## x',
      '~~\n##keepit1.00## x',
    ]) {
      assert.deepEqual(contents(text), [[1, 'x']], JSON.stringify(text));
    }
  });

  it('finds no marker in inline code', () => {
    for (const text of [
      'write `##keepit1.00##` here',
      '``a ` ##keepit1.00## b``',
      '`two\nlines ##keepit1.00## x`',
      '\\\\`##keepit1.00## x`',
    ]) {
      assert.deepEqual(contents(text), [], JSON.stringify(text));
    }
  });

  it('finds no marker in what a text shows of others, and has nothing to say of it', () => {
    for (const text of [
      '> ##keepit1.00## Theirs.',
      'They say:\n> ##keepit1.00## Theirs.\n> ##keepit0.8## Theirs.',
      '  >##keepit1.00## Theirs.',
      '- > ##keepit1.00## Theirs.\n2. > > ##keepit0.50## Theirs.',
      'Why <system-reminder>##keepit1.00## Be careful.</system-reminder> here?',
      '<channel source="chat">##keepit1.00## Theirs.</channel>, he says.',
    ]) {
      assert.deepEqual(parseKeepits(text), { spans: [], diagnostics: [] });
      assert.deepEqual(contents(`${text}\n##keepit0.80## Mine.`), [[0.8, 'Mine.']]);
    }
    assert.deepEqual(contents('##keepit0.80## They say:\n> ##keepit1.00## Theirs.\nI agree.'), [
      [0.8, 'They say:\n> ##keepit1.00## Theirs.\nI agree.'],
    ]);
  });

  it('finds markers beside signs that quote nothing, and between tags of different paragraphs', () => {
    for (const text of [
      'a > b ##keepit0.80## Mine.',
      'Mine -> ##keepit0.80## Mine.',
      'It begins with <system-reminder> there.\n\n##keepit0.80## Mine.\n\nIt ends with </system-reminder> here.',
      'What is `<system-reminder>`? ##keepit0.80## Mine. `</system-reminder>`',
      '<system-reminder> ##keepit0.80## Mine.',
    ]) {
      assert.equal(parseKeepits(text).spans.length, 1, text);
    }
  });

  it('is not fooled by backticks that open nothing', () => {
    for (const text of [
      'a ` stray ##keepit1.00## x',
      'a ` stray\n\n##keepit1.00## x\n\nb ` stray',
      '- a ` stray\n- ##keepit1.00## x\n- b ` stray',
      'escaped \\` ##keepit1.00## x',
      'different `` ##keepit1.00## x',
    ]) {
      assert.equal(parseKeepits(text).spans.length, 1, JSON.stringify(text));
    }
  });

  it('says what is wrong with a weight that does not count, and what was probably meant', () => {
    assert.deepEqual(diagnostics('##keepit0.8## a'), [['##keepit0.8##', 'decimals', '##keepit0.80##']]);
    assert.deepEqual(diagnostics('##keepit1## a'), [['##keepit1##', 'decimals', '##keepit1.00##']]);
    assert.deepEqual(diagnostics('##keepit9.99## a'), [['##keepit9.99##', 'out-of-range', '##keepit1.00##']]);
    assert.deepEqual(diagnostics('##keepit-1## a'), [['##keepit-1##', 'out-of-range', '##keepit0.00##']]);
    assert.deepEqual(diagnostics('##keepitNaN## a'), [['##keepitNaN##', 'not-a-number', '##keepit0.50##']]);
    assert.deepEqual(diagnostics('##keepit0.805## a'), [['##keepit0.805##', 'decimals', '##keepit0.81##']]);
    assert.deepEqual(diagnostics('##keepit0,75## a'), [['##keepit0,75##', 'decimals', '##keepit0.75##']]);
    assert.deepEqual(diagnostics('##keepit.75## a'), [['##keepit.75##', 'decimals', '##keepit0.75##']]);
    assert.deepEqual(diagnostics('##keepit80%## a'), [['##keepit80%##', 'out-of-range', '##keepit0.80##']]);
    assert.deepEqual(diagnostics('##keepit 0.80 ## a'), [['##keepit 0.80 ##', 'decimals', '##keepit0.80##']]);
    assert.deepEqual(diagnostics('##keepit1.01## a'), [['##keepit1.01##', 'out-of-range', '##keepit1.00##']]);
    assert.deepEqual(diagnostics('##keepit0.80 a'), [['##keepit0.80', 'unclosed', '##keepit0.80##']]);
    assert.deepEqual(diagnostics('##keepit0.80# a'), [['##keepit0.80#', 'unclosed', '##keepit0.80##']]);
    assert.deepEqual(diagnostics('##keepit## a'), [['##keepit##', 'no-weight', '##keepit0.50##']]);
  });

  it('keeps nothing for a malformed marker, and ends the span before it', () => {
    assert.deepEqual(contents('##keepit1.00## a ##keepit0.8## b'), [[1, 'a']]);
  });

  it('lets a span run over a mere mention of keepits', () => {
    assert.deepEqual(contents('##keepit1.00## say ##keepit## or ##keepit, never more'), [
      [1, 'say ##keepit## or ##keepit, never more'],
    ]);
  });

  it('reports markers that mark nothing and ends that end nothing', () => {
    assert.deepEqual(diagnostics('##keepit0.50## \n ##keepit1.00## x ##keepit:end## y ##keepit:end##'), [
      ['##keepit0.50##', 'empty', ''],
      ['##keepit:end##', 'stray-end', ''],
    ]);
  });

  const pieces = fc.constantFrom(
    '##keepit1.00##',
    '##keepit0.50##',
    '##KEEPIT0.8##',
    'keepit0.50##',
    '##keepit:end##',
    '##keepit',
    '##',
    '`',
    '```',
    '~~~',
    '\n',
    '\r\n',
    '    ',
    '> ',
    '- ',
    '<system-reminder>',
    '</system-reminder>',
    '\\',
    'word',
    '😀',
    '\ud800',
    'é',
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
    // All scripts, both directions, combining and joined characters, lone surrogates, every kind of line end.
    fc.array(fc.oneof(pieces, mixedText), { maxLength: 12 }).map((parts) => parts.join('')),
  );

  it('never throws, and gives spans in order, without overlaps, that can be put back byte for byte', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let position = 0;
        let rendered = '';
        for (const span of parseKeepits(text).spans) {
          assert.ok(span.start >= position && span.contentStart > span.start);
          assert.ok(span.contentEnd > span.contentStart && span.end >= span.contentEnd);
          assert.equal(span.content, text.slice(span.contentStart, span.contentEnd));
          assert.equal(span.content, span.content.trim());
          rendered += text.slice(position, span.contentStart) + span.content + text.slice(span.contentEnd, span.end);
          position = span.end;
        }
        assert.equal(rendered + text.slice(position), text);
      }),
      { numRuns: 500 },
    );
  });

  it('gives a text that is correct once every suggestion has been followed', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let fixed = text;
        for (let round = 0; round < 100 && parseKeepits(fixed).diagnostics.length > 0; round++) {
          const first = parseKeepits(fixed).diagnostics[0]!;
          fixed = fixed.slice(0, first.start) + first.suggestion + fixed.slice(first.end);
        }
        assert.deepEqual(parseKeepits(fixed).diagnostics, []);
      }),
      { numRuns: 300 },
    );
  });

  it('reads 100,000 markers, and text made of nothing but what code and markers begin with', () => {
    const marker = '##keepit0.50## ';
    assert.equal(parseKeepits(`${marker}a `.repeat(100_000)).spans.length, 100_000);
    assert.equal(parseKeepits('##keepit0.8## a '.repeat(100_000)).diagnostics.length, 100_000);
    for (const hostile of [
      '`',
      '#',
      '##keepit',
      '``` `',
      '\\`',
      '> ',
      '~~~\n',
      '` `` ',
      '<thinking>',
      '- > ',
      '<channel source="',
      '##keepit0.8',
      '\n',
      ' ',
    ]) {
      const text = `${hostile.repeat(Math.ceil(2e5 / hostile.length))}\n\n${marker}`;
      assert.ok(parseKeepits(text).spans.length <= 1);
    }
  });
});
