import assert from 'node:assert/strict';
import { FakeMemory } from '../../../support/fakeMemory';

const line = (fields: object): string => `${JSON.stringify({ event: 'Stop', tookMs: 4, ...fields })}\n`;

describe('hooks: what they did', () => {
  it('tells what hooks gave to each session, and took in', async () => {
    const { service, hookStore } = new FakeMemory();
    const injected = { tokens: 30, units: 120, pieces: [{ kind: 'rules', tokens: 30, units: 120 }] };
    hookStore.texts.set('-p/one', line({ at: '2026-01-01T10:00:00Z', injected }));
    hookStore.texts.set(
      '-p/two',
      line({ at: '2026-01-02T10:00:00Z', captured: { messages: 4, tokens: 90 } }) +
        line({ at: '2026-01-02T11:00:00Z', problem: 'disk full' }),
    );
    const sessions = await service.hooks.sessions();
    assert.deepEqual(
      sessions.map(({ sessionId, firings, injectedTokens, capturedMessages, problems }) => ({
        sessionId,
        firings,
        injectedTokens,
        capturedMessages,
        problems,
      })),
      [
        { sessionId: 'two', firings: 2, injectedTokens: 0, capturedMessages: 4, problems: 1 },
        { sessionId: 'one', firings: 1, injectedTokens: 30, capturedMessages: 0, problems: 0 },
      ],
    );
    assert.equal(sessions[0]?.lastAt, '2026-01-02T11:00:00Z');
  });

  it('reads again what has grown, and nothing else', async () => {
    const { service, hookStore } = new FakeMemory();
    const read: string[] = [];
    const activity = hookStore.activity.bind(hookStore);
    hookStore.activity = (projectId, sessionId) => {
      read.push(sessionId);
      return activity(projectId, sessionId);
    };
    const first = line({ at: '2026-01-01T10:00:00Z' });
    hookStore.texts.set('-p/one', first).set('-p/two', first);
    await service.hooks.sessions('-p');
    hookStore.texts.set('-p/two', first + line({ at: '2026-01-01T11:00:00Z' }));
    const sessions = await service.hooks.sessions('-p');
    assert.deepEqual(
      sessions.map(({ sessionId, firings }) => [sessionId, firings]),
      [
        ['two', 2],
        ['one', 1],
      ],
    );
    assert.deepEqual(read, ['one', 'two', 'two']);
  });

  it('passes over a line that a killed hook left torn, and one of another shape', async () => {
    const { service, hookStore } = new FakeMemory();
    const whole = line({ at: '2026-01-01T10:00:00Z' });
    hookStore.texts.set('-p/one', `${whole}[]\n{"at":"2026\n${whole}${whole.slice(0, 20)}`);
    assert.equal((await service.hooks.activity('-p', 'one')).length, 2);
  });

  it('knows nothing of a session in which no hook ran', async () => {
    const { service } = new FakeMemory();
    assert.deepEqual(await service.hooks.activity('-p', 'one'), []);
    assert.deepEqual(await service.hooks.sessions('-p'), []);
  });
});
