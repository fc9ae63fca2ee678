import assert from 'node:assert/strict';
import { CompositionWorld, PROJECT, type WorldSession } from './compositionWorld';

function session(id: string, day: number, more: Partial<WorldSession> = {}): WorldSession {
  return { id, day, versions: [{ id: 'v001', blocks: [{ text: `What ${id} did.` }], fidelity: 0.5 }], ...more };
}

describe('two compositions', () => {
  it('differ by their sessions, keepits and words', async () => {
    const versions = [
      { id: 'v001', blocks: [{ text: 'Short.' }], fidelity: 0.4 },
      { id: 'v002', blocks: [{ text: 'Told at length, with the reasons.' }], fidelity: 0.9 },
    ];
    const world = new CompositionWorld().add(
      session('aaaa', 15, { keepits: [{ weight: 1, content: 'Never forget this' }] }),
      session('bbbb', 16),
      session('cccc', 17, { versions }),
    );
    const { saved } = world.services;
    const compose = (name: string, components: { sessionId: string; versionId?: string }[]) =>
      saved.compose(PROJECT, world.request({ name, components }));
    await compose('first', [{ sessionId: 'aaaa' }, { sessionId: 'cccc', versionId: 'v001' }]);
    await compose('second', [{ sessionId: 'cccc', versionId: 'v002' }, { sessionId: 'bbbb' }]);
    const place = (name: string) => ({ projectId: PROJECT, name });
    const diff = await saved.compare(place('first'), place('second'));
    assert.deepEqual([diff.a.name, diff.b.name, diff.same], ['first', 'second', 0]);
    assert.deepEqual(
      [diff.onlyInA, diff.onlyInB].map((list) => list.map(({ sessionId }) => sessionId)),
      [['aaaa'], ['bbbb']],
    );
    assert.deepEqual(
      diff.changed.map(({ sessionId, before, after }) => [sessionId, before.versions, after.versions]),
      [['cccc', ['v001'], ['v002']]],
    );
    assert.deepEqual(diff.keepits, { lost: [{ weight: 1, content: 'Never forget this' }], gained: [] });
    assert.match(diff.patch, /^-Short\.$/m);
    assert.match(diff.patch, /^\+Told at length, with the reasons\.$/m);
    const alike = await saved.compare(place('first'), place('first'));
    assert.deepEqual([alike.patch, alike.onlyInA, alike.changed, alike.same], ['', [], [], 2]);
  });

  it('are both there', async () => {
    const world = new CompositionWorld().add(session('aaaa', 15));
    const { saved } = world.services;
    await saved.compose(PROJECT, world.request({ name: 'first' }));
    const missing = saved.compare({ projectId: PROJECT, name: 'first' }, { projectId: PROJECT, name: 'none' });
    await assert.rejects(missing, { code: 'composition-unknown' });
  });
});
