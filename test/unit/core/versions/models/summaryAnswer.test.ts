import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinBlocks } from '../../../../../src/core/versions/types';
import type { Chunk } from '../../../../../src/core/versions/models/chunks';
import { readAnswer } from '../../../../../src/core/versions/models/summaryAnswer';
import { parseKeepits } from '../../../../../src/core/keepits/markerParser';
import { answerText, quarterCounter } from '../../../support/summaryRequests';

const chunk: Chunk = {
  parts: [
    { from: 4, to: 9, targetTokens: 50 },
    { from: 10, to: 20, targetTokens: 50 },
  ],
  text: '',
  tokens: 1_000,
  targetTokens: 100,
};

const read = (text: string) => readAnswer(text, chunk, quarterCounter);

function textsOf(text: string): string[] {
  const reading = read(text);
  assert.ok(reading.isUsable, JSON.stringify(reading));
  return reading.blocks.map((block) => block.text);
}

function problemOf(text: string): string {
  const reading = read(text);
  assert.ok(!reading.isUsable);
  return reading.problem;
}

describe("a model's answer", () => {
  it('is read with whatever a model puts around it', () => {
    const answer = answerText({ text: 'Done.', messages: [5] });
    for (const text of [answer, `\`\`\`json\n${answer}\n\`\`\``, `Here it is:\n${answer}\nAnything else?`]) {
      assert.deepEqual(textsOf(text), ['Done.']);
    }
  });

  it('is told from what is none, in words that say what to do', () => {
    assert.match(problemOf('I cannot do that.'), /not one JSON object/);
    assert.match(problemOf('{"blocks":['), /not one JSON object/);
    assert.match(problemOf('{"summary":"Done."}'), /"blocks" must be/);
    assert.match(problemOf('{"blocks":[]}'), /no block/);
    assert.match(problemOf(answerText({ kind: 'title', text: 'x', messages: [5] })), /blocks\.0\.kind.*heading, note/);
    assert.match(problemOf(answerText({ kind: 'heading', text: 'x', messages: [5] })), /headings only/);
  });

  it('may name only messages that the model has seen', () => {
    const mixed = read(answerText({ text: 'Done.', messages: [400, 12, 5, 5, -1] }));
    assert.ok(mixed.isUsable);
    assert.deepEqual(mixed.blocks[0]?.messages, [5, 12]);
    assert.match(problemOf(answerText({ text: 'Made up.', messages: [99] })), /no block/);
    const mostlyMadeUp = [5, 99, 98, 97].map((message) => ({ text: 'So it was.', messages: [message] }));
    assert.match(problemOf(answerText(...mostlyMadeUp)), /most of its blocks/);
  });

  it('is brought into the order of the session', () => {
    const blocks = [12, 5, 9].map((message) => ({ text: `At ${message}.`, messages: [message] }));
    assert.deepEqual(textsOf(answerText(...blocks)), ['At 5.', 'At 9.', 'At 12.']);
  });

  it('loses markers that the model wrote: only our own code writes them', () => {
    const texts = textsOf(
      answerText(
        { text: 'Keep ##keepit1.00## this ##keepit:end## and ##KEEPIT0.5 that.', messages: [5] },
        { text: 'Split: ##kee##keepit0.80##pit1.00## over.', messages: [6] },
      ),
    );
    for (const text of texts) assert.doesNotMatch(text, /##\s?keepit/i);
    assert.match(texts[0] ?? '', /^Keep this/);
  });

  it('cannot swallow what comes after it: fences are closed, headings and comments become words', () => {
    const [code, heading] = textsOf(
      answerText(
        { text: 'It ran:\n```sh\n# no heading\nnpm test', messages: [5] },
        { text: '# Big\n<!-- hidden\nrest', messages: [6] },
      ),
    );
    assert.equal(code, 'It ran:\n```sh\n# no heading\nnpm test\n```');
    assert.equal(heading, '**Big**\n&lt;!-- hidden\nrest');
  });

  it('never changes whether a marker after it counts, whatever it holds', () => {
    const piece = fc.constantFrom(
      '```',
      '````',
      '~~~',
      '~~~ x',
      '`',
      '\n',
      ' ',
      'word',
      '##keepit0.90##',
      '##keepit',
      ':end##',
      '    ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const reading = read(answerText({ text: `It was so. ${pieces.join('')}`, messages: [5] }));
        if (!reading.isUsable) return;
        const kept = '##keepit1.00## the words ##keepit:end##';
        const { spans } = parseKeepits(`${joinBlocks(reading.blocks)}\n\n${kept}`);
        assert.deepEqual(
          spans.map(({ content, weight }) => ({ content, weight })),
          [{ content: 'the words', weight: 1 }],
        );
      }),
    );
  });

  it('of any kind never makes reading it fail', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, text) => {
        read(json);
        read(`{"blocks":${json}}`);
        read(text);
      }),
    );
  });
});
