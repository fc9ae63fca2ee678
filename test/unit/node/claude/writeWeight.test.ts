import assert from 'node:assert/strict';
import { appendFile, chmod, link, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TranscriptEditError } from '../../../../src/core/sessions/transcriptEditError';
import type { WeightOverwrite } from '../../../../src/core/sessions/transcriptEditor';
import { FileTranscriptEditor } from '../../../../src/node/claude/writeWeight';
import { useTempFolder } from '../../support/tempFolder';

const TEXT = '{"text":"💡 ##keepit0.50## Half to even."}\r\n{"text":"more"}\n';
const LITERAL = '"💡 ##keepit0.50## Half to even."';
const OLD = new Date('2026-01-15T10:00:00.123Z');

function ofReason(reason: string) {
  return (error: unknown) => error instanceof TranscriptEditError && error.reason === reason;
}

describe('a weight in a file', () => {
  const temp = useTempFolder();
  const editor = new FileTranscriptEditor();
  let file: string;

  async function overwrite(more: Partial<WeightOverwrite> = {}): Promise<void> {
    const { size, mtimeMs } = await stat(file);
    const offset = Buffer.from(TEXT.slice(0, TEXT.indexOf(LITERAL))).length;
    const bytes = Buffer.from(LITERAL);
    const weightAt = bytes.indexOf('0.50');
    const seen = { bytes: size, mtimeMs };
    return editor.overwriteWeight(file, {
      seen,
      literal: { offset, bytes },
      weightAt,
      before: '0.50',
      after: '0.80',
      ...more,
    });
  }

  beforeEach(async () => {
    file = path.join(temp.path, 'session.jsonl');
    await writeFile(file, TEXT, { mode: 0o640 });
    await utimes(file, OLD, OLD);
  });

  it('is overwritten where it stands: four bytes, and the date by a millisecond', async () => {
    const { ino, mode } = await stat(file);
    await overwrite();
    assert.equal(await readFile(file, 'utf8'), TEXT.replace('0.50', '0.80'));
    const after = await stat(file);
    assert.deepEqual([after.ino, after.mode], [ino, mode]);
    assert.equal(Math.round(after.mtimeMs), OLD.getTime() + 1);
  });

  it('stays when the file has grown, was dated anew, or is another one', async () => {
    const { size, mtimeMs } = await stat(file);
    await appendFile(file, '{}\n');
    await assert.rejects(overwrite({ seen: { bytes: size, mtimeMs } }), ofReason('changed'));
    await writeFile(file, TEXT);
    await assert.rejects(overwrite({ seen: { bytes: size, mtimeMs } }), ofReason('changed'));
    file = path.join(temp.path, 'gone.jsonl');
    await assert.rejects(
      editor.overwriteWeight(file, {
        seen: { bytes: 1, mtimeMs },
        literal: { offset: 0, bytes: Buffer.from('0.50') },
        weightAt: 0,
        before: '0.50',
        after: '0.80',
      }),
      ofReason('changed'),
    );
  });

  it('stays when other characters are there, or the marker has moved', async () => {
    const { mtimeMs } = await stat(file);
    await writeFile(file, TEXT.replace('💡 ##keepit0.50##', '##keepit0.50## 💡'));
    await utimes(file, OLD, OLD);
    await assert.rejects(overwrite({ seen: { bytes: Buffer.from(TEXT).length, mtimeMs } }), ofReason('changed'));
    await assert.rejects(overwrite({ before: '0.51' }), ofReason('not-there'));
    await assert.rejects(overwrite({ weightAt: 3 }), ofReason('not-there'));
    assert.match(await readFile(file, 'utf8'), /##keepit0\.50## 💡/);
  });

  it('stays when a literal goes beyond the end of the file', async () => {
    const bytes = Buffer.from(`${LITERAL}${'x'.repeat(200)}`);
    const weightAt = bytes.indexOf('0.50');
    await assert.rejects(overwrite({ literal: { offset: 8, bytes }, weightAt }), ofReason('changed'));
  });

  it('stays when the file has a second name, which would change with it', async () => {
    await link(file, path.join(temp.path, 'other'));
    await assert.rejects(overwrite(), ofReason('shared'));
    assert.equal(await readFile(file, 'utf8'), TEXT);
  });

  it('stays when the file may not be written', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') this.skip(); // root may write everything
    await chmod(file, 0o400);
    await assert.rejects(overwrite(), ofReason('not-permitted'));
  });

  it('has four characters, or nothing is begun', async () => {
    await assert.rejects(overwrite({ after: '0.8' }), TypeError);
    await assert.rejects(overwrite({ after: '10.0' }), TypeError);
    assert.equal(await readFile(file, 'utf8'), TEXT);
  });
});
