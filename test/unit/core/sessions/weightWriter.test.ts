import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { KeepitError } from '../../../../src/core/text/keepitError';
import { createMemory, type Memory } from '../../../../src/node/createMemory';
import { ManualClock } from '../../support/manualClock';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const REF = { projectId: APP, sessionId: 'aaaa' };
const OLD = new Date('2026-01-15T10:30:00Z');
const HARD = 'Tab\t"quoted" back\\slash é 👩‍👩‍👧 שלום\u2028 ';

const ofCode = (code: string) => (error: unknown) => error instanceof KeepitError && error.code === code;

/** Real files: what matters here is bytes. */
describe('a weight that is written into its transcript', () => {
  const temp = useTempFolder();
  let memory: Memory;
  let file: string;

  beforeEach(() => {
    memory = createMemory({
      claudeDir: path.join(temp.path, 'claude'),
      memoryDir: path.join(temp.path, 'memory'),
      distDir: temp.path,
      clock: new ManualClock('2026-01-20T12:00:00Z'),
      log: new RecordingLog(),
    });
    file = path.join(temp.path, 'claude', 'projects', APP, 'aaaa.jsonl');
  });
  afterEach(() => memory.dispose());

  async function write(content: { toString(): string }, at = OLD): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content.toString());
    await utimes(file, at, at);
  }

  const list = async () => (await memory.service.keepits(REF)).keepits;
  const refOf = async (content: string) => {
    const found = (await list()).find((keepit) => keepit.content === content);
    assert.ok(found, `no keepit ${content}`);
    return { ...REF, markerId: found.markerId };
  };
  const entry = async () => (await memory.service.sessions())[0]!;
  const two = () =>
    new TranscriptBuilder('aaaa')
      .human('Begin.')
      .assistant(`${HARD}##keepit0.50## Half to even. ##KEEPIT0.50## Never floats. ##keepit0.50##`)
      .human('##keepit0.25## ok');

  it('changes four bytes of the marker that is meant, whatever stands before it, and nothing else', async () => {
    await write(two());
    const before = await readFile(file, 'utf8');
    const edit = await memory.service.previewWeightEdit(await refOf('Never floats.'), 0.8);
    assert.deepEqual([edit.path, edit.line, edit.before, edit.after], [file, 2, '##KEEPIT0.50##', '##KEEPIT0.80##']);
    assert.match(edit.wordsBefore, /##keepit0\.50## Half to even\.$/);
    assert.match(edit.wordsAfter, /^Never floats\./);
    assert.equal(await readFile(file, 'utf8'), before, 'a preview writes nothing');
    await memory.service.writeWeight(edit);
    assert.equal(await readFile(file, 'utf8'), before.replace('##KEEPIT0.50##', '##KEEPIT0.80##'));
    assert.deepEqual(
      (await list()).map(({ content, weight }) => [content, weight]),
      [
        ['Half to even.', 0.5],
        ['Never floats.', 0.8],
        ['ok', 0.25],
      ],
    );
  });

  it('counts from then on, in place of what was set in memory; taking it back brings both back', async () => {
    await write(two());
    await memory.service.register([REF]);
    const ref = await refOf('Half to even.');
    await memory.service.setKeepitWeight(ref, 0.82);
    const bytes = await readFile(file);
    const before = await entry();
    const edit = await memory.service.previewWeightEdit(ref, 0.9);
    assert.equal(edit.effectiveWeight, 0.82);
    await memory.service.writeWeight(edit);
    const [changed] = await list();
    assert.deepEqual([changed?.weight, changed?.effectiveWeight, changed?.overridden], [0.9, 0.9, false]);
    const written = await entry();
    assert.equal(written.keepitOverlay, undefined);
    assert.equal(written.keepitMarkers.find(({ markerId }) => markerId === ref.markerId)?.weight, 0.9);
    await memory.service.takeBackWeight(edit);
    assert.deepEqual(await readFile(file), bytes);
    const again = await entry();
    assert.deepEqual(again.keepitMarkers, before.keepitMarkers);
    assert.deepEqual(
      again.keepitOverlay?.map(({ weight }) => weight),
      [0.82],
    );
  });

  it('leaves what memory has kept as it was, also where that was a second name of the same file', async () => {
    await write(two());
    await memory.service.register([REF]);
    const kept = path.join(temp.path, 'memory', 'projects', APP, 'originals', 'aaaa.jsonl');
    const original = await readFile(kept);
    const isLinked = (await stat(kept)).ino === (await stat(file)).ino;
    const edit = await memory.service.previewWeightEdit(await refOf('ok'), 1);
    assert.equal(edit.separatesOriginal, isLinked);
    await memory.service.writeWeight(edit);
    assert.deepEqual(await readFile(kept), original);
    assert.notEqual((await stat(kept)).ino, (await stat(file)).ino);
    assert.equal((await entry()).kept?.method === 'link', false);
    assert.deepEqual((await memory.service.sync()).failed, []);
    assert.equal((await list()).find(({ content }) => content === 'ok')?.weight, 1, 'a sync keeps what was written');
  });

  it('is refused for a session that is in use, and for one that Claude Code has deleted', async () => {
    await write(two(), new Date('2026-01-20T11:58:00Z'));
    await memory.service.register([REF]);
    const ref = await refOf('ok');
    await assert.rejects(memory.service.previewWeightEdit(ref, 1), ofCode('edit-in-use'));
    await utimes(file, OLD, OLD);
    await memory.service.previewWeightEdit(ref, 1);
    await rm(file);
    await assert.rejects(memory.service.previewWeightEdit(ref, 1), ofCode('edit-only-copy'));
  });

  it('is refused where there is no such marker to write: added, removed, unknown, or weighing that already', async () => {
    await write(two());
    await memory.service.register([REF]);
    const [added] = await memory.service.addKeepit(REF, { messageUuid: 'aaaa-0', weight: 0.5 });
    const ref = await refOf('ok');
    const preview = (markerId: string, weight: number) =>
      memory.service.previewWeightEdit({ ...REF, markerId }, weight);
    await assert.rejects(preview(added!.markerId, 0.8), ofCode('edit-not-written'));
    await assert.rejects(preview('0000000000000000', 0.8), ofCode('keepit-unknown'));
    await assert.rejects(preview(ref.markerId, 0.25), ofCode('edit-unchanged'));
    await assert.rejects(preview(ref.markerId, 9.99), ofCode('keepit-bad-weight'));
    await memory.service.removeKeepit(ref);
    await assert.rejects(preview(ref.markerId, 0.8), ofCode('keepit-removed'));
  });

  it('is refused when the marker is written with escapes, or its record is damaged', async () => {
    const escaped = two().toString().replace('##keepit0.25## ok', '\\u0023#keepit0.25## ok');
    await write(escaped);
    await assert.rejects(memory.service.previewWeightEdit(await refOf('ok'), 1), ofCode('edit-not-there'));
    const bytes = Buffer.from(two().toString());
    bytes[bytes.indexOf('é')] = 0xff; // no UTF-8 any more: places behind it cannot be told
    await writeFile(file, bytes);
    await utimes(file, OLD, OLD);
    await assert.rejects(memory.service.previewWeightEdit(await refOf('Half to even.'), 1), ofCode('edit-not-there'));
  });

  it('is refused when the transcript has changed since the preview, and nothing is written', async () => {
    await write(two());
    await memory.service.register([REF]);
    const edit = await memory.service.previewWeightEdit(await refOf('ok'), 1);
    await appendFile(file, '{"type":"user"');
    const before = await readFile(file);
    await assert.rejects(memory.service.writeWeight(edit), ofCode('edit-changed'));
    assert.deepEqual(await readFile(file), before);
    assert.equal((await list()).find(({ content }) => content === 'ok')?.weight, 0.25);
  });

  it('finds its way through harness words, several blocks and CRLF', async () => {
    const content = [
      { type: 'text', text: '##keepit0.50## first' },
      { type: 'text', text: '<system-reminder>##keepit0.50## no</system-reminder>ü ##keepit0.50## second' },
    ];
    const transcript = new TranscriptBuilder('aaaa').human('', { message: { role: 'user', content } });
    await write(transcript.toString().replaceAll('\n', '\r\n'));
    const before = await readFile(file, 'utf8');
    await memory.service.writeWeight(await memory.service.previewWeightEdit(await refOf('second'), 0.75));
    assert.equal(await readFile(file, 'utf8'), before.replace('0.50## second', '0.75## second'));
  });

  it('is the only thing that differs afterwards, for any words around it', async () => {
    const words = fc.string({ unit: 'binary' }).map((text) => text.replace(/[#`~<]/g, '·'));
    await fc.assert(
      fc.asyncProperty(words, words, fc.integer({ min: 0, max: 99 }), async (before, after, hundredths) => {
        await write(new TranscriptBuilder('aaaa').assistant(`x ${before} ##keepit1.00## y ${after}`));
        const [keepit] = await list();
        if (keepit === undefined) return; // indented words are code
        const text = await readFile(file, 'utf8');
        const weight = hundredths / 100;
        await memory.service.writeWeight(
          await memory.service.previewWeightEdit({ ...REF, markerId: keepit.markerId }, weight),
        );
        assert.equal(await readFile(file, 'utf8'), text.replace('##keepit1.00##', `##keepit${weight.toFixed(2)}##`));
        assert.equal((await list())[0]?.weight, weight);
      }),
      { numRuns: 60 },
    );
  });
});
