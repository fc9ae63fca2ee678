import assert from 'node:assert/strict';
import { SessionLookupError } from '../../../../src/core/sessions/sessionLookupError';
import { FakeMemory } from '../../support/fakeMemory';
import { someTranscript } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';

describe('resolve', () => {
  let memory: FakeMemory;
  beforeEach(() => {
    memory = new FakeMemory();
    memory.claude.write(`${APP}/a1b2c3d4.jsonl`, someTranscript('a1b2c3d4'), '2026-01-10T00:00:00Z');
    memory.claude.write(`${APP}/a1b2ffff.jsonl`, someTranscript('a1b2ffff').title('Newest'), '2026-01-11T00:00:00Z');
    memory.claude.write('-other/c0de1234.jsonl', someTranscript('c0de1234', 4, '/other'));
  });

  const reasonOf = async (ref: string, projectId?: string) => {
    try {
      return await memory.service.sessions.resolve(ref, projectId === undefined ? {} : { projectId });
    } catch (error) {
      assert.ok(error instanceof SessionLookupError);
      return error.reason;
    }
  };

  it('knows a session by its id and by a unique prefix, in any letter case', async () => {
    const expected = { projectId: APP, sessionId: 'a1b2c3d4' };
    assert.deepEqual(await reasonOf('a1b2c3d4'), expected);
    assert.deepEqual(await reasonOf('a1b2c'), expected);
    assert.deepEqual(await reasonOf('A1B2C'), expected);
  });

  it('opens no transcript for that', async () => {
    await memory.service.sessions.resolve('a1b2c3d4');
    assert.deepEqual(memory.claude.opened, []);
  });

  it('names the candidates of an ambiguous prefix, newest first, with the titles that are known', async () => {
    await memory.service.sessions.discover();
    await assert.rejects(memory.service.sessions.resolve('a1b2'), (error) => {
      assert.ok(error instanceof SessionLookupError);
      assert.deepEqual(
        error.candidates.map(({ sessionId, title }) => [sessionId, title]),
        [
          ['a1b2ffff', 'Newest'],
          ['a1b2c3d4', 'Question 0 of a1b2c3d4'],
        ],
      );
      assert.match(error.message, /a1b2ffff.*a1b2c3d4/);
      return true;
    });
  });

  it('refuses what is too short, and says what is not there', async () => {
    assert.equal(await reasonOf('a1b'), 'too-short');
    assert.equal(await reasonOf(''), 'too-short');
    assert.equal(await reasonOf('ffff0000'), 'not-found');
    assert.equal(await reasonOf('c0de1234', APP), 'not-found');
    assert.equal(await reasonOf('../../etc/passwd'), 'not-found');
  });

  it('finds the one that is meant among sessions with the same id by its project', async () => {
    memory.claude.write('-other/a1b2c3d4.jsonl', someTranscript('a1b2c3d4'));
    assert.equal(await reasonOf('a1b2c3d4'), 'ambiguous');
    assert.deepEqual(await reasonOf('a1b2c3d4', '-other'), { projectId: '-other', sessionId: 'a1b2c3d4' });
  });

  it('finds registered sessions that Claude Code has deleted', async () => {
    const ref = { projectId: APP, sessionId: 'a1b2c3d4' };
    await memory.service.sessions.register([ref]);
    memory.claude.delete(`${APP}/a1b2c3d4.jsonl`);
    assert.deepEqual(await reasonOf('a1b2c'), ref);
  });

  it('takes the path of a transcript, through symbolic links too', async () => {
    const path = `/claude/projects/${APP}/a1b2c3d4.jsonl`;
    memory.claude.links.set('/home/ada/link.jsonl', path);
    for (const ref of [path, '/home/ada/link.jsonl']) {
      assert.deepEqual(await reasonOf(ref), { projectId: APP, sessionId: 'a1b2c3d4' });
    }
    assert.equal(await reasonOf('/nowhere/x.jsonl'), 'not-found');
  });

  it('takes a transcript from anywhere, for the project that it was written in, and can register it', async () => {
    memory.claude.write('/backup/dead0000.jsonl', someTranscript('dead0000'));
    const ref = await memory.service.sessions.resolve('/backup/dead0000.jsonl');
    assert.deepEqual(ref, { projectId: APP, sessionId: 'dead0000' });
    assert.equal((await memory.service.sessions.show(ref)).registered, false);
    assert.equal((await memory.service.sessions.register([ref])).registered[0]?.originalFile, '/backup/dead0000.jsonl');
    const session = (await memory.project(APP)).sessions.find(({ sessionId }) => sessionId === 'dead0000');
    assert.deepEqual([session?.registered, session?.isOriginalGone, session?.expiresInDays], [true, false, undefined]);
  });
});

describe('resolveProject', () => {
  let memory: FakeMemory;
  beforeEach(() => {
    memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write('-home-ada-mono/bbbb.jsonl', someTranscript('bbbb', 4, '/home/ada/mono/packages/core'));
  });

  it('knows a project by its id and by its directory, through symbolic links', async () => {
    memory.claude.links.set('/home/ada/app', '/home/ada/src/app');
    for (const place of [APP, '/home/ada/src/app', '/home/ada/app']) {
      assert.equal(await memory.service.sessions.resolveProject(place), APP);
    }
  });

  it('knows a directory that sessions of a project changed into, once they were read', async () => {
    assert.equal(await memory.service.sessions.resolveProject('/home/ada/mono/packages/core'), undefined);
    await memory.service.sessions.discover();
    assert.equal(await memory.service.sessions.resolveProject('/home/ada/mono/packages/core'), '-home-ada-mono');
  });

  it('knows a project that only the store has', async () => {
    await memory.service.sessions.register([{ projectId: APP, sessionId: 'aaaa' }]);
    memory.claude.delete(`${APP}/aaaa.jsonl`);
    assert.equal(await memory.service.sessions.resolveProject('/home/ada/src/app'), APP);
  });

  it('does not know other directories', async () => {
    assert.equal(await memory.service.sessions.resolveProject('/home/ada'), undefined);
  });
});
