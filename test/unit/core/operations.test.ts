import assert from 'node:assert/strict';
import { eachOperation, operations } from '../../../src/core/operations';
import { FakeMemory } from '../support/fakeMemory';

describe('the list of operations', () => {
  it('names what memory can do, and nothing else', () => {
    const { setup: _notHere, tools: _nor, transfer: _neither, ...listed } = operations;
    const service: Record<string, Record<string, unknown>> = { ...new FakeMemory().service };
    for (const [feature, { reads, writes }] of Object.entries(listed)) {
      const names = Object.keys({ ...reads, ...writes });
      assert.deepEqual(Object.keys(service[feature] ?? {}), names);
      for (const name of names) assert.equal(typeof service[feature]?.[name], 'function', name);
    }
  });

  it('says of each whether it writes', () => {
    const { versions, links } = eachOperation((_feature, _name, isWriting) => isWriting);
    assert.deepEqual([versions?.prune, versions?.list, links?.add], [true, false, true]);
  });
});
