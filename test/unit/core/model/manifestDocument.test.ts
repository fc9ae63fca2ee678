import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { defaultConfig } from '../../../../src/core/model/config';
import { createManifest } from '../../../../src/core/model/manifest';
import { completeManifest, readManifestDocument } from '../../../../src/core/model/manifestDocument';
import { newProject, NOW, someEntry, someManifest, someMarker, someVersion } from '../../support/storedDocuments';

const place = { projectId: newProject.projectId, nowIso: NOW };

function read(document: unknown) {
  return readManifestDocument(document, place);
}

/** As it comes from a file. */
function copyOf(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document));
}

describe('readManifestDocument', () => {
  it('accepts what was written, with every field that it does not know, wherever that is', () => {
    const unknown = fc.dictionary(
      fc.string({ minLength: 1 }).map((key) => `x-${key}`),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(unknown, { minLength: 7, maxLength: 7 }), (extras) => {
        const [top, entry, metadata, marker, position, version, settings] = extras;
        const session = someEntry('a', {
          ...entry,
          metadata: { ...metadata, gitBranch: 'main' },
          keepitMarkers: [{ ...someMarker(), ...marker, position: { ...position, start: 0, end: 1 } }],
          compressions: [{ ...someVersion(), ...version }],
        });
        const manifest = { ...createManifest(newProject, NOW), ...top, sessions: { a: session } };
        const whole = { ...manifest, settings: { ...manifest.settings, ...settings } };
        const text = JSON.stringify(whole);
        const reading = read(JSON.parse(text));
        assert.ok(reading.state === 'sound');
        assert.deepEqual(copyOf(reading.manifest), JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });

  it('fills the gaps of a manifest that follows the first design, without calling it damaged', () => {
    const { compositions: _c, settings: _s, ...document } = someManifest([]);
    const { keepitMarkers: _k, compressions: _v, metadata: _m, ...entry } = someEntry('a');
    const reading = read({ ...document, sessions: { a: entry } });
    assert.ok(reading.state === 'sound');
    assert.deepEqual(reading.manifest.compositions, {});
    assert.deepEqual(reading.manifest.settings, {});
    assert.deepEqual(reading.manifest.sessions.a?.compressions, []);
    assert.equal(reading.migratedFrom, undefined);
  });

  it('takes what an older one has copied from the configuration for set by nobody', () => {
    const copied = { defaultCompressionPreset: 'standard', autoRegisterNewSessions: true, keepitDecayEnabled: true };
    const old = {
      ...someManifest([]),
      version: '1.0.0',
      settings: { ...copied, autoDecay: defaultConfig(NOW).autoDecay, layersEnabled: true },
    };
    const reading = read(old);
    assert.ok(reading.state === 'sound');
    assert.deepEqual(reading.manifest.settings, { autoRegisterNewSessions: true, layersEnabled: true });
    const again = read({ ...reading.manifest, settings: copied });
    assert.ok(again.state === 'sound');
    assert.deepEqual(again.manifest.settings, copied);
  });

  it('migrates a project record', () => {
    const record = {
      projectId: newProject.projectId,
      originalPath: '/home/dac/github/myapp',
      displayName: 'myapp',
      createdAt: NOW,
      lastAccessed: NOW,
      sessions: [someEntry('a'), someEntry('b')],
    };
    const reading = read(record);
    assert.ok(reading.state === 'sound');
    assert.equal(reading.migratedFrom, '0.0.0');
    assert.deepEqual(reading.manifest.sessions, { a: someEntry('a'), b: someEntry('b') });
  });

  it('refuses a newer one before it looks at anything else', () => {
    assert.deepEqual(read({ version: '2.0.0', sessions: 'all different now' }), { state: 'newer', version: '2.0.0' });
  });

  it('keeps the valid sessions, and of an invalid one what is valid', () => {
    const { sessions, ...document } = someManifest(['good', 'strange']);
    const change = { marker: someMarker('m3'), origin: 'overlay' as const, weight: 0.9, changedAt: NOW };
    const bad = {
      ...someEntry('bad'),
      originalTokens: 'many',
      keepitMarkers: [someMarker('m1'), { markerId: 'm2' }, someMarker('m3')],
      keepitOverlay: [{ marker: someMarker('m1'), origin: 'transcript', weight: 7, changedAt: NOW }, change],
      kept: { file: 'originals/bad.jsonl', method: 'link', bytes: 1, syncedBytes: 1, syncedLines: 1 },
      note: 'theirs',
    };
    const unsafe = { '../../etc': { sessionId: '../../etc' } };
    const reading = read(copyOf({ ...document, sessions: { ...sessions, bad, ...unsafe } }));
    assert.ok(reading.state === 'damaged');
    const kept = reading.manifest.sessions;
    assert.deepEqual(kept.good, someEntry('good'));
    assert.deepEqual(
      kept.bad?.keepitMarkers.map(({ markerId }) => markerId),
      ['m1', 'm3'],
    );
    assert.deepEqual(kept.bad.keepitOverlay, [change]);
    assert.deepEqual([kept.bad.originalTokens, kept.bad.originalMessages, kept.bad.note], [0, 450, 'theirs']);
    assert.equal(kept.bad.kept, undefined, 'the next sync is to read it from the beginning');
    assert.deepEqual(Object.keys(reading.manifest.sessions), ['good', 'strange', 'bad']);
  });

  it('names the first thing that is wrong', () => {
    const reading = read({ ...someManifest([]), sessions: { a: someEntry('a', { originalTokens: -1 }) } });
    assert.equal(reading.state === 'damaged' && reading.problem, 'sessions.a.originalTokens must be at least 0');
    const swapped = read({ ...someManifest([]), sessions: { a: someEntry('b') } });
    assert.equal(swapped.state === 'damaged' && swapped.problem, 'sessions.a holds the entry of another session');
  });

  it('makes a valid manifest of anything', () => {
    const values = fc.oneof(
      fc.jsonValue(),
      fc.record({ version: fc.jsonValue(), sessions: fc.jsonValue(), settings: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(values, (value) => {
        const reading = read(value);
        if (reading.state === 'newer') return;
        assert.equal(read(copyOf(reading.manifest)).state, 'sound');
      }),
    );
  });
});

describe('completeManifest', () => {
  const versions = {
    sessionId: 'lost',
    originalFile: '/gone/lost.jsonl',
    originalTokens: 7,
    originalMessages: 3,
    versions: [someVersion('v001'), someVersion('v002')],
  };

  it('adds sessions, versions and compositions that only the folders know', () => {
    const composition = {
      compositionId: 'c1',
      name: 'feature-x',
      createdAt: NOW,
      components: [],
      outputFile: 'composed.md',
      totalTokens: 1,
      totalMessages: 1,
      usedInSessions: [],
    };
    const facts = { sessions: [{ sessionId: 'lost', versions }, { sessionId: 'bare' }], compositions: [composition] };
    const completed = completeManifest(someManifest(['known']), facts, NOW);
    assert.deepEqual(Object.keys(completed.sessions), ['known', 'lost', 'bare']);
    assert.deepEqual(completed.sessions.lost?.compressions, versions.versions);
    assert.equal(completed.sessions.lost.originalFile, '/gone/lost.jsonl');
    assert.equal(completed.sessions.bare?.kept, undefined);
    assert.deepEqual(completed.compositions, { 'feature-x': composition });
    assert.equal(read(copyOf(completed)).state, 'sound');
  });

  it('adds to a known session only the versions that it lacks', () => {
    const facts = { sessions: [{ sessionId: 'lost', versions }], compositions: [] };
    const completed = completeManifest(someManifest(['lost']), facts, NOW);
    assert.deepEqual(
      completed.sessions.lost?.compressions.map(({ versionId }) => versionId),
      ['v001', 'v002'],
    );
    assert.equal(completed.sessions.lost.originalTokens, 100_000);
  });
});
