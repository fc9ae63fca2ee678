import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CompressionError } from '../../../src/core/versions/compressionJob';
import { SummarizerError } from '../../../src/core/versions/models/modelCaller';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { MemoryThreadError, openMemoryThread } from '../../../src/node/threads/memoryThread';
import { FakeCaller } from '../../unit/support/fakeCaller';
import { RecordingLog } from '../../unit/support/recordingLog';
import { answerText } from '../../unit/support/summaryRequests';
import { useTempFolder } from '../../unit/support/tempFolder';
import { someTranscript } from '../../unit/support/transcriptBuilder';
import { useProgram } from '../support/cliProcess';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };
const BY_MODEL = { provider: 'vscode-lm', model: 'haiku', compactionRatio: 5 } as const;

describe('a memory in a thread of its own', () => {
  const temp = useTempFolder();
  const program = useProgram();
  let log: RecordingLog;
  let caller: FakeCaller;
  let memory: Memory;

  beforeEach(async () => {
    log = new RecordingLog();
    caller = new FakeCaller('vscode-lm');
    memory = threadFrom(program.dir);
    const folder = path.join(temp.path, 'claude', 'projects', APP);
    await mkdir(folder, { recursive: true });
    const transcript = someTranscript('aaaa', 40).human('##keepit1.00## Never lose this.');
    await writeFile(path.join(folder, 'aaaa.jsonl'), transcript.toString());
  });
  afterEach(() => memory.dispose());

  function threadFrom(distDir: string): Memory {
    const models = { anthropicKey: async () => undefined, callers: [caller] };
    return openMemoryThread({ ...places(), log, distDir, models });
  }

  function places() {
    return { claudeDir: path.join(temp.path, 'claude'), memoryDir: path.join(temp.path, 'memory') };
  }

  it('answers as the memory of this process does', async () => {
    const { sessions, keepits, versions } = memory.service;
    const here = createMemory({ ...places(), log, distDir: program.dir });
    const steps: string[] = [];
    const { registered } = await sessions.register([ref], ({ step }) => steps.push(step));
    assert.equal(registered.length, 1);
    assert.ok(steps.length > 0);
    assert.deepEqual(await sessions.list(), await here.service.sessions.list());
    assert.deepEqual(await sessions.conversation(ref), await here.service.sessions.conversation(ref));
    assert.deepEqual(await keepits.list(ref), await here.service.keepits.list(ref));
    const { version } = await versions.compress(ref, { compactionRatio: 2 });
    const diff = await versions.compare(ref, 'original', version.versionId);
    assert.deepEqual(diff, await here.service.versions.compare(ref, 'original', version.versionId));
    assert.deepEqual([memory.claudeDir, memory.memoryDir], [here.claudeDir, here.memoryDir]);
    assert.deepEqual(log.lines, []);
    await here.dispose();
  });

  it('tells of progress while it works, in options too', async () => {
    const projects: number[] = [];
    await memory.service.sessions.discover({ onProgress: ({ done }) => projects.push(done) });
    assert.ok(projects.length > 0);
  });

  it('fails with the errors of the memory, class, reason and hint', async () => {
    const { sessions, versions } = memory.service;
    await assert.rejects(sessions.resolve('zzzz'), { name: 'SessionLookupError', reason: 'not-found', candidates: [] });
    await sessions.register([ref]);
    const scope = { kind: 'part', partNumber: 3 } as const;
    await assert.rejects(versions.compress(ref, { scope }), (error: unknown) => {
      return error instanceof CompressionError && error.reason === 'no-such-part' && error.hint !== '';
    });
  });

  it('has this host ask its models', async () => {
    caller.replies.push(async (listener) => {
      listener.onText(12);
      return { text: answerText({ text: 'Asked for this.', messages: [0] }) };
    });
    await memory.service.sessions.register([ref]);
    const { version } = await memory.service.versions.compress(ref, BY_MODEL);
    assert.match(
      await memory.service.versions.text(ref, version.versionId, 'md'),
      /Asked for this\.\n\n##keepit1\.00##/,
    );
    assert.ok(!JSON.stringify(caller.calls).includes('Never lose'), 'keepits are not sent');
  });

  it('tells why a model failed', async () => {
    caller.replies.push(new SummarizerError('rate-limited'));
    await memory.service.sessions.register([ref]);
    await assert.rejects(memory.service.versions.compress(ref, BY_MODEL), (error: unknown) => {
      return error instanceof SummarizerError && error.reason === 'rate-limited';
    });
  });

  it('stops when it is told to, and does the next thing', async () => {
    const { sessions, versions } = memory.service;
    await sessions.register([ref]);
    const asked = new Promise<void>((resolve) => {
      caller.replies.push(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const controller = new AbortController();
    const hanging = versions.compress(ref, BY_MODEL, undefined, controller.signal);
    await asked;
    assert.equal((await versions.preview(ref, {})).inputMessages, 41, 'nobody waits for the model');
    controller.abort(new Error('enough'));
    await assert.rejects(hanging, { message: 'enough' });
    await assert.rejects(versions.compress(ref, {}, undefined, AbortSignal.abort()), { name: 'AbortError' });
    assert.equal((await versions.list(ref)).versions.length, 0);
    assert.equal((await versions.compress(ref, {})).version.versionId, 'v001');
  });

  it('stops work that lets no message in', async () => {
    const { sessions, versions } = memory.service;
    const large = { projectId: APP, sessionId: 'large' };
    const file = path.join(temp.path, 'claude', 'projects', APP, 'large.jsonl');
    await writeFile(file, someTranscript('large', 8000).toString());
    await sessions.register([large]);
    const controller = new AbortController();
    const enough = (): void => controller.abort(new Error('enough'));
    const tiered = { mode: 'tiered', tierPreset: 'standard' } as const;
    await assert.rejects(versions.compress(large, tiered, enough, controller.signal), { message: 'enough' });
    assert.deepEqual((await versions.list(large)).versions, []);
  });

  it('says that it was lost, and starts anew', async () => {
    const dir = path.join(temp.path, 'dist');
    await mkdir(dir);
    await copyFile(path.join(program.dir, 'o200k_base.bin'), path.join(dir, 'o200k_base.bin'));
    const started = JSON.stringify(path.join(dir, 'started'));
    const real = JSON.stringify(path.join(program.dir, 'memoryWorker.js'));
    await writeFile(
      path.join(dir, 'memoryWorker.js'),
      `const { existsSync, writeFileSync } = require('node:fs');
       if (existsSync(${started})) require(${real});
       else (writeFileSync(${started}, ''), process.exit(3));`,
    );
    await memory.dispose();
    memory = threadFrom(dir);
    await assert.rejects(memory.service.sessions.list(), (error: unknown) => {
      return error instanceof MemoryThreadError && /ended with code 3/.test(error.message) && error.hint !== '';
    });
    assert.deepEqual(await memory.service.sessions.list(), []);
  });

  it('ends with its owner', async () => {
    await memory.service.sessions.register([ref]);
    const asked = new Promise<void>((resolve) => {
      caller.replies.push(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const failing = assert.rejects(memory.service.versions.compress(ref, BY_MODEL), { name: 'AbortError' });
    await asked;
    await memory.dispose();
    await failing;
    await assert.rejects(memory.service.sessions.list(), { name: 'AbortError' });
  });
});
