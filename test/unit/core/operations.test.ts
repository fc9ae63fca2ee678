import assert from 'node:assert/strict';
import { operations } from '../../../src/core/operations';
import { FakeMemory } from '../support/fakeMemory';

describe('the list of operations', () => {
  it('names what memory can do, and nothing else', () => {
    const { setup: _notHere, tools: _nor, transfer: _neither, ...listed } = operations;
    const service: Record<string, Record<string, unknown>> = { ...new FakeMemory().service };
    for (const [feature, names] of Object.entries(listed)) {
      assert.deepEqual(Object.keys(service[feature] ?? {}), Object.keys(names));
      for (const name of Object.keys(names)) assert.equal(typeof service[feature]?.[name], 'function', name);
    }
  });
});
