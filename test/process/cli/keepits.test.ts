import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectManifestSchema } from '../../../src/core/model/manifest';
import { CliHome, useProgram } from '../support/cliProcess';

const LEDGER = '-home-ada-src-ledger';
const AMOUNTS = 'a1b2c3d4-1111-4111-8111-111111111111';

const listingSchema = z.looseObject({
  keepits: z.array(z.looseObject({ markerId: z.string(), content: z.string(), effectiveWeight: z.number() })),
});
const changeSchema = z.looseObject({ marker: z.looseObject({ markerId: z.string(), content: z.string() }) });

describe('keepits with the built command line', function () {
  this.timeout(30_000);
  const program = useProgram();
  let home: CliHome;
  beforeEach(async () => {
    home = await CliHome.make(program, 'mixed-home');
    assert.equal((await home.run(['register', AMOUNTS])).code, 0);
  });
  afterEach(() => home.dispose());

  async function json<Schema extends z.core.$ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> {
    const { code, stdout, stderr } = await home.run([...args, '--json']);
    assert.equal(code, 0, stdout + stderr);
    return z.parse(schema, JSON.parse(stdout));
  }

  async function stored() {
    const text = await readFile(path.join(home.memoryDir, 'projects', LEDGER, 'manifest.json'), 'utf8');
    const entry = projectManifestSchema.parse(JSON.parse(text)).sessions[AMOUNTS];
    assert.ok(entry);
    return entry;
  }

  it('change what counts, and neither the transcript nor the kept original', async () => {
    const files = [
      home.transcript(LEDGER, AMOUNTS),
      path.join(home.memoryDir, 'projects', LEDGER, 'originals', `${AMOUNTS}.jsonl`),
    ];
    const state = () => Promise.all(files.map(async (file) => [await readFile(file), (await stat(file)).mtimeMs]));
    const before = await state();
    const [first] = (await json(listingSchema, 'keepits', AMOUNTS)).keepits;
    assert.ok(first);
    const { marker } = await json(changeSchema, 'keepit', 'add', AMOUNTS, '0', '--weight', '0.80', '--end', '12');
    assert.equal(marker.content, 'Amounts in t');
    await json(changeSchema, 'keepit', 'weight', first.markerId, '0.35');
    const weights = async () =>
      (await json(listingSchema, 'keepits', AMOUNTS)).keepits.map(({ effectiveWeight }) => effectiveWeight);
    assert.deepEqual(await weights(), [0.8, 0.35, 1]);
    assert.deepEqual(await state(), before);
    const changed = await stored();
    assert.deepEqual(
      changed.keepitOverlay?.map(({ origin, weight }) => [origin, weight]),
      [
        ['overlay', undefined],
        ['transcript', 0.35],
      ],
    );
    await json(changeSchema, 'keepit', 'remove', marker.markerId, first.markerId);
    assert.deepEqual(await weights(), [1]);
  });

  it('are all taken when many processes add some at once', async () => {
    const adding = [0, 4, 8, 12, 16].map((start) =>
      home.run(['keepit', 'add', AMOUNTS, '0', '--weight', '0.5', '--start', `${start}`, '--end', `${start + 3}`]),
    );
    const codes = (await Promise.all(adding)).map(({ code, stderr }) => [code, stderr]);
    assert.deepEqual(
      codes,
      Array.from({ length: 5 }, () => [0, '']),
    );
    assert.equal((await stored()).keepitOverlay?.length, 5);
  });
});
