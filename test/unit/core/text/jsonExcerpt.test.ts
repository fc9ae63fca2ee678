import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compactJson, isList, isRecord, parseJsonExcerpt, type JsonValue } from '../../../../src/core/text/jsonExcerpt';

/** As `JSON.parse` would give it. */
function plain(value: JsonValue | undefined): unknown {
  if (value === undefined) return undefined;
  if (isList(value)) return value.map(plain);
  if (isRecord(value)) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  return value;
}

describe('parseJsonExcerpt', () => {
  it('reads a whole value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const { value, isCut } = parseJsonExcerpt(text);
        assert.equal(isCut, false);
        // JSON.parse makes a prototype of `__proto__` in literals only; numbers such as -0 differ in sign alone.
        assert.equal(JSON.stringify(plain(value)), JSON.stringify(JSON.parse(text)));
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
      cases.map((text) => parseJsonExcerpt(text).value),
      ['abc', 'abc', 'abc', 'abc\\'],
    );
  });

  it('keeps the fields that were whole before the cut', () => {
    const { value, isCut } = parseJsonExcerpt('{"file_path": "a.ts", "content": "line 1\\nline');
    assert.equal(isCut, true);
    assert.deepEqual(plain(value), { file_path: 'a.ts', content: 'line 1\nline' });
  });

  it('gives up on values nested beyond use rather than overflow the stack', () => {
    assert.equal(parseJsonExcerpt('['.repeat(1_000_000)).isCut, true);
  });

  it('writes a value in one line', () => {
    const { value } = parseJsonExcerpt('{"a": [1, "x", null, true], "b": {}}');
    assert.equal(compactJson(value!), '{ a: [1, "x", null, true], b: {  } }');
  });
});
