import assert from 'node:assert/strict';
import fc from 'fast-check';
import { byteText, decoded, encoded } from '../../../../src/core/text/byteText';
import { jsonl, read } from '../transcript/transcriptFixtures';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

describe('byte texts', () => {
  it('say what a decoder reads in the same bytes, damaged ones included, whoever holds them', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          for (const held of [Uint8Array.from(bytes), Buffer.from(bytes)]) {
            assert.equal(decoded(byteText(held, 0, held.length)), utf8.decode(bytes));
          }
        },
      ),
    );
  });

  it('have a unit for each byte', () => {
    assert.equal(encoded('né →').length, 7);
    assert.equal(byteText(Buffer.from('né →'), 1, 3), 'Ã©');
  });

  it('mean the same in a transcript, whether signs are written as they are or escaped', () => {
    const words = 'naïve — Ã© ÿ 日本 😀 "x" \\u00e9 \u001b';
    const bytes = jsonl({ type: 'user', uuid: 'ü', cwd: '/tmp/é', message: { content: words } });
    const escaped = new TextDecoder()
      .decode(bytes)
      .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    for (const { messages, meta } of [read(bytes), read(Buffer.from(escaped))]) {
      assert.deepEqual([messages[0]?.text, messages[0]?.uuid, meta.firstCwd], [words, 'ü', '/tmp/é']);
    }
  });
});
