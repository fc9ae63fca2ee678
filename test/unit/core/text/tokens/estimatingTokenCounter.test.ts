import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { encoded } from '../../../../../src/core/text/byteText';
import { EstimatingTokenCounter } from '../../../../../src/core/text/tokens/estimatingTokenCounter';
import { ExactTokenCounter } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { mixedText } from '../../../support/mixedText';

/** Paragraphs as they stand in transcripts, none of which the weights were fitted to. */
const samples = {
  english:
    'The queue drained slower than we expected, so I looked at the consumer first. It acknowledges each message on its own, which costs a round trip per record; batching fifty of them removes most of the wait.',
  code: 'export async function retry<T>(run: () => Promise<T>, attempts = 3): Promise<T> {\n  for (let left = attempts; ; left--) {\n    try {\n      return await run();\n    } catch (error) {\n      if (left <= 1) throw error;\n    }\n  }\n}\n',
  json: '{\n  "name": "demo-service",\n  "port": 8080,\n  "hosts": ["alpha.example.org", "beta.example.org"],\n  "retry": { "attempts": 3, "delayMs": 250 },\n  "enabled": true\n}\n',
  russian:
    'Очередь опустошалась медленнее, чем мы ожидали, поэтому я сначала посмотрел на получателя. Он подтверждает каждое сообщение отдельно, и это стоит одного обращения по сети на запись.',
  chinese:
    '队列的消费速度比我们预期的要慢，所以我先检查了消费者。它逐条确认消息，每条记录都需要一次网络往返；改成每五十条批量确认之后，大部分等待时间就消失了。',
  japanese:
    'キューの処理が予想より遅かったので、まずコンシューマーを確認しました。メッセージを一件ずつ確認応答しているため、レコードごとに往復が発生します。',
  arabic:
    'كانت قائمة الانتظار تفرغ أبطأ مما توقعنا، لذلك نظرت إلى المستهلك أولاً. إنه يؤكد كل رسالة على حدة، وهذا يكلف رحلة ذهاب وإياب لكل سجل.',
  base64:
    'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
  log: '2025-03-14T09:26:53.589Z ERROR worker[17] job 4711 failed after 3 attempts: ETIMEDOUT 10.0.3.7:5432\n    at Socket.onTimeout (net.js:483:8)\n',
};

/** So many, escaped, are not sampled yet. */
const UNSAMPLED_UNITS = 80;

describe('EstimatingTokenCounter', () => {
  const estimate = new EstimatingTokenCounter();
  let exact: ExactTokenCounter;

  before(() => {
    exact = new ExactTokenCounter(encodeRanks());
  });

  for (const [kind, text] of Object.entries(samples)) {
    it(`comes within a fifth of the exact count for ${kind}`, () => {
      const expected = exact.count(text);
      const actual = estimate.count(text);
      assert.ok(Math.abs(actual - expected) <= expected / 5, `${actual} instead of ${expected}`);
    });
  }

  it('looks at samples of a long text, and finds nearly the same, and at all of a short one', () => {
    const sentences = fc.array(
      fc.constantFrom('A sentence, and "more".\n', '  const value = 17;\n', 'файл не найден\n'),
      {
        minLength: 200,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(sentences, (lines) => {
        const text = lines.join('');
        const sampled = estimate.sample(encoded(text));
        const whole = estimate.estimate(text);
        assert.ok(Math.abs(sampled - whole) < whole * 0.35, `${sampled} of ${whole}`);
        const short = text.slice(0, UNSAMPLED_UNITS / 2);
        assert.equal(estimate.sample(encoded(short)), estimate.estimate(short));
      }),
    );
  });

  it('is never negative or broken, whatever the text', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const tokens = estimate.count(text);
        assert.ok(Number.isInteger(tokens) && tokens >= 0);
      }),
    );
  });

  it('counts nothing as nothing, and anything as one token at least', () => {
    assert.equal(estimate.count(''), 0);
    assert.equal(estimate.count(' '), 1);
    assert.equal(estimate.sample(''), 0);
    assert.equal(estimate.sample('a'), 1);
  });

  it('grows with a run of any character, so that a long one is not counted as nothing', () => {
    for (const unit of [
      'a',
      'A',
      '7',
      ' ',
      '\n',
      '\t',
      '=',
      '-',
      '"',
      'я',
      'é',
      'ع',
      'ह',
      '中',
      'あ',
      '한',
      '→',
      '😀',
    ]) {
      const [short, long] = [estimate.count(unit.repeat(1_000)), estimate.count(unit.repeat(100_000))];
      assert.ok(long > short * 20, `${JSON.stringify(unit)}: ${short}, ${long}`);
    }
  });
});
