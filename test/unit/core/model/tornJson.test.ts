import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { parseJsonExcerpt, parseTornJson } from '../../../../src/core/model/tornJson';

describe('parseTornJson', () => {
  it('reads whole JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, isIndented) => {
        const value: unknown = JSON.parse(text);
        fc.pre(typeof value === 'object' && value !== null);
        assert.deepEqual(parseTornJson(JSON.stringify(value, null, isIndented ? 2 : 0)), value);
      }),
    );
  });

  it('keeps everything before the place where a text ends', () => {
    assert.deepEqual(parseTornJson('{"a":1,"b":[1,2,{"c":"whole","d":"tor'), { a: 1, b: [1, 2, { c: 'whole' }] });
    assert.deepEqual(parseTornJson('{"a":"x","b"'), { a: 'x' });
  });

  it('does not take a number for whole when digits may be missing', () => {
    assert.deepEqual(parseTornJson('{"a":1,"tokens":12'), { a: 1 });
  });

  it('forgives a comma too many, and one too few', () => {
    assert.deepEqual(parseTornJson('{"a":[1,2,],"b":3,}'), { a: [1, 2], b: 3 });
    assert.deepEqual(parseTornJson('{"a":{"x":1}\n"b":2}'), { a: { x: 1 }, b: 2 });
  });

  it('reads strings with control characters, and a byte order mark before everything', () => {
    assert.deepEqual(parseTornJson('\uFEFF{"a":"one\ntwo\u0000"}'), { a: 'one\ntwo\u0000' });
  });

  it('is not taken in by quotes behind backslashes', () => {
    assert.deepEqual(parseTornJson(String.raw`{"a":"\\","b":"\"","c":"\\\"`), { a: '\\', b: '"' });
  });

  it('never throws, and never takes a cut text for something else', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, cut) => {
        const whole: unknown = JSON.parse(text);
        const torn = parseTornJson(text.slice(0, cut % (text.length + 1)));
        if (torn !== null && typeof torn === 'object' && whole !== null && typeof whole === 'object') {
          for (const key of Object.keys(torn).slice(0, -1)) assert.ok(Object.hasOwn(whole, key));
        }
      }),
    );
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'true', '\u0001', ' '))
          .map((all) => all.join('')),
        (text) => void parseTornJson(text),
      ),
    );
  });

  it('survives nesting without end', () => {
    assert.ok(Array.isArray(parseTornJson('['.repeat(1_000_000))));
  });
});

describe('parseJsonExcerpt', () => {
  it('reads a whole value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text);
        assert.deepEqual(parseJsonExcerpt(text), { value, isCut: false });
      }),
    );
  });

  it('says that a value was cut, wherever it was cut, and never throws', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.nat(), (object, cut) => {
        const text = JSON.stringify(object);
        const end = cut % text.length;
        assert.equal(parseJsonExcerpt(text.slice(0, end)).isCut, true);
      }),
    );
  });

  it('never throws on anything', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseJsonExcerpt(text)));
  });

  it('shows as much of a cut text as there is, without half an escape', () => {
    const cases = ['"abc', '"abc\\', '"abc\\u00', '"abc\\\\'];
    assert.deepEqual(
      cases.map((text) => parseJsonExcerpt(text)),
      ['abc', 'abc', 'abc', 'abc\\'].map((value) => ({ value, isCut: true })),
    );
  });

  it('keeps the fields that were whole before the cut', () => {
    const { value, isCut } = parseJsonExcerpt('{"file_path": "a.ts", "content": "line 1\\nline');
    assert.equal(isCut, true);
    assert.deepEqual(value, { file_path: 'a.ts', content: 'line 1\nline' });
  });

  it('gives up on values nested beyond use rather than overflow the stack', () => {
    assert.equal(parseJsonExcerpt('['.repeat(1_000_000)).isCut, true);
  });
});
