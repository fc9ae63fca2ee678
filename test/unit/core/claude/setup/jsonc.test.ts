import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  addItem,
  isPlainJson,
  isSame,
  JsoncError,
  keepItems,
  removeMember,
  setMember,
} from '../../../../../src/core/claude/setup/jsonc';
import { commentsIn, readJsonc as read, writtenJson } from '../../../support/jsoncTexts';

describe('JSON that people write', () => {
  it('is read as JSON.parse reads it, where that can', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(read(text), JSON.parse(text));
        assert.equal(isPlainJson(text), true);
      }),
    );
  });

  it('is read with comments, trailing commas and a byte order mark, which are told', () => {
    const text = '\uFEFF// a\n{ "a": [1, /* , */ 2,], "b": "// no", }\n/* end */';
    assert.deepEqual(read(text), { a: [1, 2], b: '// no' });
    assert.equal(isPlainJson(text), false);
    assert.equal(isPlainJson('\uFEFF{}'), true);
  });

  it('says on which line something is wrong, and takes any text', () => {
    assert.throws(
      () => read('{\n  "a": 1\n  "b": 2\n}'),
      (error) => error instanceof JsoncError && error.line === 3,
    );
    const broken = ['', '{', '{"a"}', '{"a":}', '[1 2]', '{} x', "{'a':1}", '{,}', '"\\x"', '01', '[', '[,]', '/* {}'];
    for (const text of broken) assert.throws(() => read(text), JsoncError, text);
    assert.throws(() => read('['.repeat(100_000)), JsoncError);
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          read(text);
        } catch (error) {
          assert.ok(error instanceof JsoncError);
        }
      }),
    );
  });
});

describe('edits of JSON that people write', () => {
  it('add members at the end, in the way of the file', () => {
    assert.equal(setMember('{}', ['a', 'b'], 1), '{\n  "a": {\n    "b": 1\n  }\n}');
    assert.equal(setMember('{\n\t"x": 1\n}\n', ['a'], { b: 1 }), '{\n\t"x": 1,\n\t"a": {\n\t\t"b": 1\n\t}\n}\n');
    assert.equal(setMember('{ "x": 1 }', ['a'], true), '{ "x": 1, "a": true }');
    assert.equal(setMember('{\r\n  "x": 1\r\n}', ['a'], [1]), '{\r\n  "x": 1,\r\n  "a": [\r\n    1\r\n  ]\r\n}');
    assert.equal(setMember('{\n  "x": 1, // why\n}', ['a'], 2), '{\n  "x": 1, // why\n  "a": 2\n}');
    assert.equal(setMember('{\n  "x": 1 // why\n}', ['a'], 2), '{\n  "x": 1, // why\n  "a": 2\n}');
    assert.equal(setMember('{ // nothing yet\n}', ['a'], 2), '{ // nothing yet\n  "a": 2\n}');
    assert.equal(setMember('{"x":{}}', ['x', 'a'], 2), '{"x":{\n  "a": 2\n}}');
  });

  it('change what is there, and nothing when it is so already', () => {
    assert.equal(setMember('{"a": 1 /* one */}', ['a'], 2), '{"a": 2 /* one */}');
    const text = '{ "a": { "y": 1, "x": 2 } }';
    assert.equal(setMember(text, ['a'], { x: 2, y: 1 }), text);
  });

  it('add items to arrays', () => {
    assert.equal(addItem('{}', ['a'], 1), '{\n  "a": [\n    1\n  ]\n}');
    assert.equal(addItem('{"a": [1]}', ['a'], 2), '{"a": [1, 2]}');
    assert.equal(addItem('{\n  "a": [\n    1 // one\n  ]\n}', ['a'], 2), '{\n  "a": [\n    1, // one\n    2\n  ]\n}');
    assert.throws(() => addItem('{"a": 1}', ['a'], 2), TypeError);
  });

  it('take away one member with its comma and its line, and leave the comments around it', () => {
    const text = '{\n  // of a\n  "a": 1,\n  // of b\n  "b": 2, // b\n  /* of c */\n  "c": 3\n  // end\n}\n';
    assert.equal(removeMember(text, ['a']), text.replace('  "a": 1,\n', ''));
    assert.equal(removeMember(text, ['b']), text.replace('  "b": 2,', ''));
    assert.equal(removeMember(text, ['c']), text.replace('2,', '2').replace('  "c": 3\n', ''));
    assert.equal(removeMember('{"a":1,"b":2}', ['b']), '{"a":1}');
    assert.equal(removeMember('{"a": 1, "b": 2}', ['a']), '{ "b": 2}');
    assert.equal(removeMember('{"a": 1}', ['x', 'y']), '{"a": 1}');
  });

  it('take away items that are not wanted', () => {
    const isSmall = (item: unknown) => typeof item === 'number' && item < 3;
    assert.equal(keepItems('{"a": [5, 1, 4, 2, 3]}', ['a'], isSmall), '{"a": [ 1, 2]}');
    assert.equal(keepItems('{"a": [5]}', ['a'], isSmall), '{"a": []}');
  });

  it('are about the one that counts of keys that are there twice, and take all of them away', () => {
    assert.equal(setMember('{"a": 1, "b": 2, "a": 3}', ['a'], 4), '{"a": 1, "b": 2, "a": 4}');
    assert.equal(removeMember('{"a": 1, "b": 2, "a": 3}', ['a']), '{ "b": 2}');
  });

  it('know keys that objects of JavaScript have of themselves from keys of the text', () => {
    const text = '{"__proto__": {"x": 1}}';
    assert.equal(setMember(text, ['constructor', 'x'], 2), '{"__proto__": {"x": 1}, "constructor": {"x":2}}');
    assert.equal(removeMember(text, ['x']), text);
    assert.equal(removeMember(text, ['__proto__', 'x']), '{"__proto__": {}}');
  });

  it('hold in a text whose lines end with a carriage return alone, and behind a byte order mark', () => {
    assert.deepEqual(read(setMember('{\r  "x": 1 // why\r}', ['a'], 2)), { x: 1, a: 2 });
    assert.equal(setMember('\uFEFF{"x":1}', ['a'], 2), '\uFEFF{"x":1, "a": 2}');
  });

  it('leave every other value and every comment, whatever the text is like', () => {
    fc.assert(
      fc.property(writtenJson(), fc.jsonValue(), (text, value) => {
        const before = read(text);
        const set = setMember(text, ['keepit', 'inner'], value);
        assert.deepEqual(read(set), {
          ...Object(before),
          keepit: { inner: read(JSON.stringify(value)) },
        });
        assert.deepEqual(commentsIn(set), commentsIn(text));
        const gone = removeMember(set, ['keepit']);
        assert.ok(isSame(read(gone), before), gone);
        assert.deepEqual(commentsIn(gone), commentsIn(text));
      }),
    );
  });

  it('says where an object is missing, also when it is the whole', () => {
    assert.throws(() => setMember('[]', ['hooks', 'Stop'], []), /there is no object at the top$/);
    assert.throws(() => setMember('{"hooks":[]}', ['hooks', 'Stop'], []), /there is no object at hooks$/);
  });
});
