import assert from 'node:assert/strict';
import { resumeArguments } from '../../../../src/core/sessions/projectNames';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const CWD = '/home/ada/src/app';
const PROJECT = '-home-ada-src-app';
const SESSION = 'a1b2c3d4-1111-4111-8111-111111111111';
const ref = { projectId: PROJECT, sessionId: SESSION };

function stage(): FakeMemory {
  const memory = new FakeMemory();
  memory.claude.write(
    `${PROJECT}/${SESSION}.jsonl`,
    new TranscriptBuilder(SESSION, CWD).human('Hello.').assistant('Hi.'),
  );
  return memory;
}

describe('going on with a session', () => {
  it('is asked for by its id, in the folder that it began in', async () => {
    const found = await stage().service.sessions.resumable(ref);
    assert.deepEqual([found.folder, found.isCopy], [CWD, false]);
    assert.deepEqual(resumeArguments(found, { isFork: false, isFolderThere: true }), ['--resume', SESSION]);
    assert.deepEqual(resumeArguments(found, { isFork: true, isFolderThere: true }), [
      '--resume',
      SESSION,
      '--fork-session',
    ]);
  });

  it('is asked for by its file where its folder is gone, or is not that of its project', async () => {
    const found = await stage().service.sessions.resumable(ref);
    assert.deepEqual(resumeArguments(found, { isFork: false, isFolderThere: false }), ['--resume', found.file]);
    const elsewhere = { ...found, folder: '/home/ada/other' };
    assert.deepEqual(resumeArguments(elsewhere, { isFork: false, isFolderThere: true }), ['--resume', found.file]);
  });

  it('forks from the kept copy, where Claude Code has deleted its own', async () => {
    const memory = stage();
    await memory.service.sessions.register([ref]);
    memory.claude.delete(`${PROJECT}/${SESSION}.jsonl`);
    const found = await memory.service.sessions.resumable(ref);
    assert.deepEqual([found.folder, found.isCopy], [CWD, true]);
    const args = resumeArguments(found, { isFork: false, isFolderThere: true });
    assert.deepEqual(args, ['--resume', found.file, '--fork-session']);
  });

  it('is refused for a session that there is not', async () => {
    const unknown = { projectId: PROJECT, sessionId: 'b1b2c3d4-1111-4111-8111-111111111111' };
    await assert.rejects(stage().service.sessions.resumable(unknown), { code: 'session-not-found' });
  });
});
