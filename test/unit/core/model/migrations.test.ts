import { strict as assert } from 'node:assert';
import { manifestMigrations, upgrade, type Migration } from '../../../../src/core/model/migrations';
import { SCHEMA_VERSION } from '../../../../src/core/model/fields';

const steps: readonly Migration[] = [
  { to: '0.2.0', migrate: (document) => ({ ...document, second: true }) },
  { to: '1.0.0', migrate: (document) => ({ ...document, order: [document.second === true ? 'after 0.2' : 'first'] }) },
];

describe('upgrade', () => {
  it('leaves a document of this version as it is', () => {
    const document = { version: SCHEMA_VERSION, more: 1 };
    assert.deepEqual(upgrade(document, steps), { state: 'current', document });
  });

  it('takes a newer patch for this version', () => {
    assert.equal(upgrade({ version: '1.0.99' }, steps).state, 'current');
  });

  it('makes every step that the document has not seen, in order', () => {
    assert.deepEqual(upgrade({ version: '0.1.0' }, steps), {
      state: 'migrated',
      from: '0.1.0',
      document: { version: SCHEMA_VERSION, second: true, order: ['after 0.2'] },
    });
    assert.deepEqual(upgrade({ version: '0.2.5' }, steps), {
      state: 'migrated',
      from: '0.2.5',
      document: { version: SCHEMA_VERSION, order: ['first'] },
    });
  });

  it('takes a document without a version for the oldest', () => {
    const upgraded = upgrade({}, steps);
    assert.equal(upgraded.state === 'migrated' && upgraded.from, '0.0.0');
  });

  for (const version of ['2.0.0', '1.1.0', '99', 2, '3.0.0-beta.1']) {
    it(`refuses ${JSON.stringify(version)}, however it is written`, () => {
      assert.equal(upgrade({ version }, steps).state, 'newer');
    });
  }

  it('leaves a version that is none to the schema', () => {
    assert.equal(upgrade({ version: 'latest' }, steps).state, 'current');
  });

  it('takes nothing but an object for a document', () => {
    for (const value of [null, undefined, [], 'x', 7]) assert.equal(upgrade(value, steps).state, 'foreign');
  });

  it('changes nothing in what it is given', () => {
    const document = { version: '0.1.0', sessions: [{ sessionId: 'a' }] };
    const before = structuredClone(document);
    upgrade(document, manifestMigrations);
    assert.deepEqual(document, before);
  });
});

describe('manifestMigrations', () => {
  it('turns a project record of the first design into a manifest', () => {
    const record = {
      projectId: 'p',
      lastAccessed: 'then',
      sessions: [{ sessionId: 'a', x: 1 }, { sessionId: 'b' }, 7],
    };
    const upgraded = upgrade(record, manifestMigrations);
    assert.deepEqual(upgraded.state === 'migrated' && upgraded.document, {
      version: SCHEMA_VERSION,
      projectId: 'p',
      lastModified: 'then',
      sessions: { a: { sessionId: 'a', x: 1 }, b: { sessionId: 'b' } },
    });
  });
});
