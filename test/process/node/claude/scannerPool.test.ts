import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DiskClaudeFolder } from '../../../../src/node/claude/claudeFolder';
import { InProcessScanner } from '../../../../src/node/claude/inProcessScanner';
import { ScannerPool } from '../../../../src/node/claude/scannerPool';
import { NodeTokenCounters } from '../../../../src/node/tokens/nodeTokenCounters';
import { useProgram } from '../../support/cliProcess';
import { RecordingLog } from '../../../unit/support/recordingLog';
import { useTempFolder } from '../../../unit/support/tempFolder';
import { someTranscript, TranscriptBuilder } from '../../../unit/support/transcriptBuilder';

const ESTIMATE = { counting: 'estimate', bytes: 1e9 } as const;
const EXACT = { counting: 'exact' } as const;

describe('ScannerPool', () => {
  const temp = useTempFolder();
  const program = useProgram();
  let pool: ScannerPool;
  let inProcess: InProcessScanner;
  let log: RecordingLog;

  beforeEach(() => {
    const ranksFile = path.join(program.dir, 'o200k_base.bin');
    log = new RecordingLog();
    inProcess = new InProcessScanner(new DiskClaudeFolder(temp.path), new NodeTokenCounters(ranksFile));
    const workerFile = path.join(program.dir, 'scannerWorker.js');
    pool = new ScannerPool({ workerFile, ranksFile, inProcess, log, maxWorkers: 2 });
  });
  afterEach(() => pool.dispose());

  async function transcript(name: string, messages: number): Promise<string> {
    const file = path.join(temp.path, `${name}.jsonl`);
    await writeFile(file, someTranscript(name, messages).toString());
    return file;
  }

  it('finds the same in threads as in the host, with either counter', async () => {
    const file = await transcript('aaaa', 2000);
    for (const request of [ESTIMATE, EXACT]) {
      const inThread = await pool.scan(file, request);
      assert.deepEqual(inThread, await inProcess.scan(file, request));
      assert.equal(inThread.stats.messages, 2000);
      assert.equal(inThread.stats.counting, request.counting);
    }
    assert.deepEqual(log.lines, []);
  });

  it('reads many transcripts at the same time', async () => {
    const files = await Promise.all(Array.from({ length: 12 }, (_, index) => transcript(`s${index}`, 900 + index)));
    const scans = await Promise.all(files.map((file) => pool.scan(file, ESTIMATE)));
    assert.deepEqual(
      scans.map(({ stats }) => stats.messages),
      files.map((_, index) => 900 + index),
    );
  });

  it('reads many small transcripts in the host, a few at a time', async () => {
    const files = await Promise.all(Array.from({ length: 40 }, (_, index) => transcript(`s${index}`, 2 + index)));
    const scans = await Promise.all(files.map((file) => pool.scan(file, { counting: 'estimate', bytes: 1000 })));
    assert.deepEqual(
      scans.map(({ stats }) => stats.messages),
      files.map((_, index) => 2 + index),
    );
  });

  it('leaves a torn last line for the next time', async () => {
    const file = await transcript('aaaa', 4);
    const whole = (await readFile(file)).length;
    const line = new TranscriptBuilder('bbbb').human('being written').toString();
    await appendFile(file, line.slice(0, 40));
    const torn = await pool.scan(file, ESTIMATE);
    assert.deepEqual([torn.stats.messages, torn.stats.account.brokenCount, torn.stats.end.offset], [4, 0, whole]);
    await appendFile(file, line.slice(40));
    const { stats } = await pool.scan(file, ESTIMATE);
    assert.deepEqual([stats.messages, stats.account.brokenCount], [5, 0]);
  });

  it('says that a file is gone, in the host and in a thread alike', async () => {
    const gone = path.join(temp.path, 'gone.jsonl');
    for (const request of [ESTIMATE, EXACT]) {
      await assert.rejects(pool.scan(gone, request), { code: 'transcript-vanished' });
    }
  });

  it('ends at an abort, and goes on with what comes after', async () => {
    const file = await transcript('aaaa', 20_000);
    const controller = new AbortController();
    const scans = Array.from({ length: 6 }, () => pool.scan(file, EXACT, controller.signal));
    controller.abort();
    for (const scan of await Promise.allSettled(scans)) {
      assert.ok(scan.status === 'rejected' && scan.reason instanceof Error && scan.reason.name === 'AbortError');
    }
    assert.equal((await pool.scan(await transcript('bbbb', 4), EXACT)).stats.messages, 4);
  });

  it('reads in the host when threads cannot be had', async () => {
    const workerFile = path.join(temp.path, 'missing.js');
    const lonely = new ScannerPool({ workerFile, ranksFile: '', inProcess, log, maxWorkers: 1 });
    const file = await transcript('aaaa', 3000);
    for (let round = 0; round < 5; round++) assert.equal((await lonely.scan(file, ESTIMATE)).stats.messages, 3000);
    assert.ok(log.lines.length >= 1 && log.lines.length <= 3, log.lines.join('\n'));
    await lonely.dispose();
  });

  it('counts exactly as told in the host, where the ranks are missing for the thread', async () => {
    const workerFile = path.join(program.dir, 'scannerWorker.js');
    const odd = new ScannerPool({ workerFile, ranksFile: '/nowhere', inProcess, log, maxWorkers: 1 });
    assert.equal((await odd.scan(await transcript('aaaa', 4), EXACT)).stats.counting, 'exact');
    await odd.dispose();
  });
});
