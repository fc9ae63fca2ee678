import assert from 'node:assert/strict';
import { cleanManifest, hasChanged, redactionsOf } from '../../../../src/core/model/manifestDocument';
import { someEntry, someManifest, someMarker, someVersion } from '../../support/storedDocuments';

const TOKEN = ['ghp', 'a1B2c3D4e5F6'.repeat(3)].join('_');
const LEFT = '[redacted: GitHub token]';

describe('a manifest that is to be written', () => {
  it('has no secret in what it says of a session, and the same ids, places and weights', () => {
    const marker = { ...someMarker(), content: `Use ${TOKEN}.`, context: `before ${TOKEN}` };
    const entry = someEntry('a', {
      metadata: { title: `Rotate ${TOKEN}`, gitBranch: `fix/${TOKEN}`, primaryTopics: [TOKEN] },
      keepitMarkers: [marker],
      keepitOverlay: [{ marker, origin: 'overlay', changedAt: marker.createdAt }],
    });
    const { sessions } = cleanManifest({ ...someManifest([]), sessions: { a: entry } });
    const cleaned = { ...marker, content: `Use ${LEFT}.`, context: `before ${LEFT}` };
    assert.deepEqual(sessions.a, {
      ...entry,
      metadata: { title: `Rotate ${LEFT}`, gitBranch: `fix/${LEFT}`, primaryTopics: [LEFT] },
      keepitMarkers: [cleaned],
      keepitOverlay: [{ marker: cleaned, origin: 'overlay', changedAt: marker.createdAt }],
    });
  });

  it('holds nothing that somebody put between private tags', () => {
    const entry = someEntry('a', { metadata: { title: 'Deploy <private>to the bunker</private> today' } });
    const { sessions } = cleanManifest({ ...someManifest([]), sessions: { a: entry } });
    assert.equal(sessions.a?.metadata.title, 'Deploy  today');
  });

  it('leaves what leads to a file as it is, so that it still does', () => {
    const file = `/home/ada/${TOKEN}/a.jsonl`;
    const entry = someEntry('a', { originalFile: file, metadata: { cwd: `/home/ada/${TOKEN}` } });
    const { sessions } = cleanManifest({ ...someManifest([]), sessions: { a: entry } });
    assert.deepEqual([sessions.a?.originalFile, sessions.a?.metadata.cwd], [file, `/home/ada/${TOKEN}`]);
  });

  it('has the very entries that were clean, and those that were cleaned before are not looked at', () => {
    const before = someManifest(['a', 'b']);
    const once = cleanManifest(before);
    assert.equal(hasChanged(before, once), false);
    assert.equal(once.sessions.a, before.sessions.a);
    const unclean = { ...before, sessions: { a: someEntry('a', { metadata: { title: TOKEN } }) } };
    assert.equal(cleanManifest(unclean, unclean).sessions.a, unclean.sessions.a);
    assert.equal(hasChanged(unclean, cleanManifest(unclean)), true);
  });

  it('tells how many secrets were left out, of a session and of its versions', () => {
    const version = { ...someVersion(), redacted: [{ kind: 'GitHub token', count: 2 }] };
    const entry = someEntry('a', { metadata: { title: `${LEFT} and [redacted: npm token]` }, compressions: [version] });
    assert.deepEqual(redactionsOf(entry), [
      { kind: 'GitHub token', count: 3 },
      { kind: 'npm token', count: 1 },
    ]);
  });
});
