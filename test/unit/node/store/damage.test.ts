import { strict as assert } from 'node:assert';
import { readFile, rm } from 'node:fs/promises';
import fc from 'fast-check';
import { StoreError } from '../../../../src/core/model/host';
import { newProject, someManifest } from '../../support/storedDocuments';
import { useStore } from '../../support/storeFixture';

const { projectId } = newProject;
const whole = Buffer.from(JSON.stringify(someManifest(['a', 'b', 'c']), null, 2));

type Damage = (bytes: Buffer) => Buffer;

const cut = fc.nat(whole.length).map(
  (at): Damage =>
    (bytes) =>
      bytes.subarray(0, at),
);
const flips = fc
  .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(7)), { minLength: 1, maxLength: 5 })
  .map((places): Damage => (bytes) => {
    for (const [at, bit] of places) bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    return bytes;
  });
const zeros = fc.tuple(fc.nat(whole.length), fc.nat(500)).map(
  ([at, length]): Damage =>
    (bytes) =>
      bytes.fill(0, at, Math.min(bytes.length, at + length)),
);
const garbage = fc.uint8Array({ maxLength: 200 }).map(
  (noise): Damage =>
    () =>
      Buffer.from(noise),
);
const json = fc.json().map(
  (text): Damage =>
    () =>
      Buffer.from(text),
);

describe('FileMemoryStore and manifests damaged in any way', () => {
  const fixture = useStore();

  it('answers with a manifest or a StoreError, and never destroys what was there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, flips, zeros, garbage, json), async (damage) => {
        await rm(fixture.inProject(), { recursive: true, force: true });
        const damaged = damage(Buffer.from(whole));
        await fixture.writeManifest(damaged);
        try {
          await fixture.open().readManifest(projectId);
          await fixture.open().updateManifest(newProject, (manifest) => ({ ...manifest, touched: true }));
        } catch (error) {
          assert.ok(error instanceof StoreError, String(error));
        }
        const names = await fixture.namesIn();
        const contents = await Promise.all(names.map((name) => readFile(fixture.inProject(name))));
        const manifest = contents[names.indexOf('manifest.json')];
        const isKept = contents.some((content) => content.equals(damaged));
        // Damage that leaves a valid manifest behind is a change like any other.
        assert.ok(isKept || (names.length === 1 && manifest?.includes('"touched": true')));
      }),
      { numRuns: 40 },
    );
  });

  it('keeps all that stood before the place where a manifest was cut', async () => {
    const ends = ['a', 'b', 'c'].map((id) => whole.indexOf(`"${id}": {`));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: whole.length - 1 }), async (at) => {
        await rm(fixture.inProject(), { recursive: true, force: true });
        await fixture.writeManifest(whole.subarray(0, at));
        const sessions = (await fixture.open().readManifest(projectId))?.sessions ?? {};
        const expected = someManifest(['a', 'b', 'c']).sessions;
        for (const [n, id] of ['a', 'b'].entries()) {
          if (at > (ends[n + 1] ?? 0)) assert.deepEqual(sessions[id], expected[id]);
        }
      }),
      { numRuns: 20 },
    );
  });
});
