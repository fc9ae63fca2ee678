import assert from 'node:assert/strict';
import { ownValue, setOwnValue, withoutKey } from '../../../../src/core/text/ownValue';

describe('records whose keys come from outside', () => {
  it('hold what was put there, and nothing that every object has', () => {
    const record: Record<string, number> = {};
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      assert.equal(ownValue(record, name), undefined, name);
      setOwnValue(record, name, 1);
      assert.equal(ownValue(record, name), 1, name);
    }
    assert.equal(ownValue(undefined, 'constructor'), undefined);
    assert.deepEqual(Object.keys(record), Object.getOwnPropertyNames(Object.prototype));
    assert.equal(Object.getPrototypeOf(record), Object.prototype);
  });

  it('lose one key, and keep the others in their order', () => {
    const record = Object.fromEntries([
      ['a', 1],
      ['__proto__', 2],
      ['b', 3],
    ]);
    assert.deepEqual(Object.entries(withoutKey(record, 'a')), [
      ['__proto__', 2],
      ['b', 3],
    ]);
    assert.deepEqual(withoutKey({ a: 1 }, 'constructor'), { a: 1 });
  });
});
