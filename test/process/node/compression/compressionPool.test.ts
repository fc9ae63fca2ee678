import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { CompressionEngine } from '../../../../src/core/versions/compressionEngine';
import type { CompressionJob } from '../../../../src/core/versions/compressionJob';
import { SummarizerError } from '../../../../src/core/versions/summarizerError';
import type { Summarizer, Summary, SummaryCost, SummaryRequest } from '../../../../src/core/versions/types';
import { defaultConfig } from '../../../../src/core/model/config';
import { DiskClaudeFolder } from '../../../../src/node/claude/claudeFolder';
import { CompressionPool } from '../../../../src/node/compression/compressionPool';
import { createCompressionEngine } from '../../../../src/node/compression/createCompressionEngine';
import { NodeTokenCounters } from '../../../../src/node/tokens/nodeTokenCounters';
import { useProgram } from '../../support/cliProcess';
import { RecordingLog } from '../../../unit/support/recordingLog';
import { useTempFolder } from '../../../unit/support/tempFolder';
import { someTranscript } from '../../../unit/support/transcriptBuilder';

/** A model that answers at once, never, or with a failure. */
class FakeModel implements Summarizer {
  readonly name = 'anthropic';
  readonly requests: SummaryRequest[] = [];
  readonly signals: (AbortSignal | undefined)[] = [];
  failure: Error | undefined;
  isHanging = false;

  async estimate(request: SummaryRequest): Promise<SummaryCost> {
    this.requests.push(request);
    return { calls: 1, inputTokens: 100, outputTokens: 10, usd: 0.5 };
  }

  async summarize(
    request: SummaryRequest,
    _options: unknown,
    onProgress?: (progress: { done: number; total: number; label: string }) => void,
    signal?: AbortSignal,
  ): Promise<Summary> {
    this.requests.push(request);
    this.signals.push(signal);
    onProgress?.({ done: 1, total: 2, label: 'asking' });
    if (this.failure !== undefined) throw this.failure;
    if (this.isHanging)
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended'))));
    const cost = { calls: 1, inputTokens: 100, outputTokens: 10, usd: 0.5 };
    return { blocks: [{ kind: 'note', role: 'user', text: 'Asked for this.', messages: [0] }], cost };
  }
}

describe('CompressionPool', () => {
  const temp = useTempFolder();
  const program = useProgram();
  let model: FakeModel;
  let log: RecordingLog;
  let engine: CompressionEngine;
  let pool: CompressionPool;

  beforeEach(() => {
    model = new FakeModel();
    log = new RecordingLog();
    pool = poolWith('compressionWorker.js');
  });
  afterEach(() => pool.dispose());

  function poolWith(workerName: string): CompressionPool {
    const { dir: distDir } = program;
    const claude = new DiskClaudeFolder(temp.path);
    const ranksFile = path.join(distDir, 'o200k_base.bin');
    const tokens = new NodeTokenCounters(ranksFile);
    const summarizers = [model];
    engine = createCompressionEngine({ claude, tokens, summarizers, pause: () => pause() });
    const workerFile = path.join(distDir, workerName);
    return new CompressionPool({
      workerFile,
      ranksFile,
      claudeDir: temp.path,
      tokens,
      summarizers,
      inProcess: engine,
      log,
    });
  }

  async function job(more: Partial<CompressionJob> = {}): Promise<CompressionJob> {
    const file = path.join(temp.path, 'aaaa.jsonl');
    const text = someTranscript('aaaa', 40).human('##keepit1.00## Never lose this.').toString();
    await mkdir(temp.path, { recursive: true });
    await writeFile(file, text);
    return {
      ref: { projectId: 'p', sessionId: 'aaaa' },
      path: file,
      bytes: text.length,
      mtimeMs: 1,
      title: 't',
      overlay: [],
      parts: [],
      scope: { kind: 'whole' },
      settings: {
        mode: 'uniform',
        compactionRatio: 5,
        aggressiveness: 'minimal',
        model: 'local',
        skipFirstMessages: 0,
        keepitMode: 'decay',
        sessionDistance: 1,
      },
      decay: defaultConfig('').keepitDecay,
      provider: 'local',
      options: { model: 'local' },
      isInUse: false,
      timestamp: '2026-01-15T10:00:00.000Z',
      ...more,
    };
  }

  it('gives the same bytes as the engine without a thread', async () => {
    const asked = await job();
    const labels: string[] = [];
    const inThread = await pool.compress(asked, ({ label }) => labels.push(label));
    assert.deepEqual(inThread, await engine.compress(asked));
    assert.deepEqual(await pool.estimate(asked), await engine.estimate(asked));
    assert.ok(labels.length > 0);
    assert.deepEqual(log.lines, []);
  });

  it('compares as the engine does, without reading the session again', async () => {
    const { ref, path: file, bytes, mtimeMs, overlay } = await job();
    const asked = { ref, path: file, bytes, mtimeMs, overlay, a: 'original', b: 'original' } as const;
    const diff = await pool.compare(asked);
    assert.deepEqual(diff, await engine.compare(asked));
    assert.deepEqual([diff.hunks.length, diff.added, diff.removed, diff.lost], [41, 0, 0, []]);
    assert.deepEqual(log.lines, []);
  });

  it('tells what is wrong as the engine does', async () => {
    const scope = { kind: 'part', partNumber: 3 } as const;
    await assert.rejects(pool.compress(await job({ scope })), { name: 'CompressionError', reason: 'no-such-part' });
    const gone = { ...(await job()), path: path.join(temp.path, 'gone.jsonl'), bytes: 2 };
    await assert.rejects(pool.estimate(gone), { name: 'TranscriptUnreadableError', reason: 'vanished' });
    assert.deepEqual(log.lines, []);
  });

  it('lets models be asked by the host', async () => {
    const asked = await job({ provider: 'anthropic' });
    assert.equal((await pool.estimate(asked)).cost.usd, 0.5);
    const labels: string[] = [];
    const made = await pool.compress(asked, ({ label }) => labels.push(label));
    assert.match(made.body, /^Asked for this\.\n\n##keepit1\.00## Never lose this\.\n##keepit:end##\n$/);
    assert.deepEqual([made.cost.usd, labels], [0.5, ['asking']]);
    const [request] = model.requests;
    assert.equal(request?.counter.count('one two'), 2);
    assert.ok(!JSON.stringify(request.messages).includes('Never lose'), 'keepits are not sent');
  });

  it('tells why a model failed', async () => {
    model.failure = new SummarizerError('rate-limited');
    await assert.rejects(pool.compress(await job({ provider: 'anthropic' })), model.failure);
    assert.deepEqual(log.lines, []);
  });

  it('stops when it is told to, and does the next thing', async () => {
    model.isHanging = true;
    const controller = new AbortController();
    const asked = await job({ provider: 'anthropic' });
    const hanging = pool.compress(asked, undefined, controller.signal);
    const preview = await pool.estimate(await job());
    assert.equal(preview.inputMessages, 41, 'nobody waits for the model');
    while (model.signals.length === 0) await pause();
    controller.abort();
    await assert.rejects(hanging, { name: 'AbortError' });
    assert.equal(model.signals[0]?.aborted, true);
    await assert.rejects(pool.compress(asked, undefined, AbortSignal.abort()), { name: 'AbortError' });
    assert.ok((await pool.compress(await job())).body.length > 0);
  });

  it('works without a thread where there can be none', async () => {
    await pool.dispose();
    pool = poolWith('no-such-file.js');
    assert.ok((await pool.compress(await job())).body.includes('Never lose this.'));
    assert.match(log.lines.join(), /without a thread/);
  });

  it('writes nothing', async () => {
    const asked = await job();
    await pool.compress(asked);
    assert.deepEqual(await readdir(temp.path), ['aaaa.jsonl']);
  });
});
