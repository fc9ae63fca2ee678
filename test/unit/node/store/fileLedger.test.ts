import assert from 'node:assert/strict';
import { appendFile, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LedgerEntry } from '../../../../src/core/model/models';
import { FileLedger } from '../../../../src/node/store/fileLedger';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';

const entry: LedgerEntry = {
  at: '2026-01-20T12:00:00.000Z',
  provider: 'anthropic',
  model: 'claude-opus-5-5',
  purpose: 'compress',
  inputTokens: 1_000,
  outputTokens: 100,
  cacheWriteTokens: 0,
  cacheReadTokens: 0,
  usd: 0.25,
  durationMs: 1_200,
  outcome: 'ok',
};

describe('the ledger', () => {
  const folder = useTempFolder();
  const file = () => path.join(folder.path, 'store', 'ledger.jsonl');
  const open = (log = new RecordingLog()) => new FileLedger(path.join(folder.path, 'store'), log);

  it('is empty before anything was spent', async () => {
    assert.deepEqual(await open().entries(), []);
  });

  it('keeps what was appended, in order, closed to other users', async () => {
    const ledger = open();
    await ledger.append(entry);
    await ledger.append({ ...entry, outcome: 'refused' });
    assert.deepEqual(await open().entries(), [entry, { ...entry, outcome: 'refused' }]);
    if (process.platform !== 'win32') assert.equal((await stat(file())).mode & 0o777, 0o600);
  });

  it('keeps every line when several write at once', async () => {
    const ledgers = Array.from({ length: 4 }, () => open());
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => ledgers[index % 4]!.append({ ...entry, durationMs: index })),
    );
    const durations = (await open().entries()).map(({ durationMs }) => durationMs);
    assert.deepEqual(
      durations.sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, index) => index),
    );
  });

  it('goes on after a line that a killed process left unfinished, and says that it cannot be read', async () => {
    await open().append(entry);
    await appendFile(file(), '{"at":"2026-01-20T1');
    const log = new RecordingLog();
    const ledger = open(log);
    await ledger.append({ ...entry, usd: 0.5 });
    assert.deepEqual(
      (await ledger.entries()).map(({ usd }) => usd),
      [0.25, 0.5],
    );
    assert.match(log.lines.join('\n'), /1 lines of .* cannot be read/);
    assert.equal((await readFile(file(), 'utf8')).split('\n').length, 4);
  });

  it('sums what was spent since a time', async () => {
    const ledger = open();
    await ledger.append(entry);
    await ledger.append({ ...entry, at: '2026-01-21T08:00:00.000Z', usd: 1 });
    assert.equal(await ledger.spentSince(new Date('2026-01-21T00:00:00Z')), 1);
    assert.equal(await ledger.spentSince(new Date('2026-01-01T00:00:00Z')), 1.25);
  });
});
