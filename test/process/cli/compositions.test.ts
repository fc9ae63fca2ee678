import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { CliHome, useProgram } from '../support/cliProcess';
import { errorOf } from '../../unit/cli/support/documents';

const LEDGER = '-home-ada-src-ledger';
const SESSIONS = ['a1b2c3d4-1111-4111-8111-111111111111', 'a1b2ffff-2222-4222-8222-222222222222'];

const compositionSchema = z.looseObject({
  composition: z.looseObject({
    name: z.string(),
    totalTokens: z.number(),
    budget: z.number(),
    files: z.array(z.string()),
    deliveries: z.optional(z.array(z.looseObject({ to: z.string() }))),
    components: z.array(z.looseObject({ sessionId: z.string(), versionId: z.string(), order: z.number() })),
    allocations: z.array(z.looseObject({ sessionId: z.string(), tokens: z.number() })),
    omitted: z.array(z.looseObject({ sessionId: z.string(), reason: z.string() })),
  }),
  undo: z.optional(z.string()),
});
const deliveredSchema = z.looseObject({
  delivered: z.looseObject({
    to: z.string(),
    tokens: z.number(),
    sessionId: z.optional(z.string()),
    command: z.optional(z.string()),
    file: z.optional(z.string()),
    text: z.optional(z.string()),
    isWhole: z.optional(z.boolean()),
  }),
});
const arrivalSchema = z.looseObject({ arrived: z.union([z.boolean(), z.literal('unknown')]), evidence: z.string() });
const listSchema = z.looseObject({ compositions: z.array(z.looseObject({ name: z.string() })) });
const deletedSchema = z.looseObject({ deleted: z.looseObject({ trash: z.string() }), undo: z.string() });

describe('compositions with the built command line', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: CliHome;
  beforeEach(async () => {
    home = await CliHome.make(program, 'mixed-home');
    assert.equal((await home.run(['register', ...SESSIONS])).code, 0);
  });
  afterEach(() => home.dispose());

  async function json<Schema extends z.core.$ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> {
    const { code, stdout, stderr } = await home.run([...args, '--json']);
    assert.equal(code, 0, stdout + stderr);
    return z.parse(schema, JSON.parse(stdout));
  }

  async function refused(code: string, ...args: string[]): Promise<string> {
    const run = await home.run([...args, '--json']);
    assert.equal(run.code, 1, run.stdout + run.stderr);
    const error = errorOf(run.stdout);
    assert.equal(error.code, code);
    return `${error.message} ${error.hint}`;
  }

  const composeBoth = ['compose', '--name', 'ctx', '--budget', '16k', ...SESSIONS.flatMap((id) => ['--session', id])];

  it('are made inside the budget, listed, shown, and never overwritten', async () => {
    const { composition } = await json(compositionSchema, ...composeBoth);
    assert.ok(composition.totalTokens <= composition.budget);
    assert.deepEqual(
      composition.components.map(({ sessionId, order }) => [sessionId, order]),
      SESSIONS.map((sessionId, order) => [sessionId, order]),
    );
    assert.deepEqual(composition.files, [
      path.join(home.memoryDir, 'projects', LEDGER, 'composed', 'ctx', 'composed.md'),
      path.join(home.memoryDir, 'projects', LEDGER, 'composed', 'ctx', 'composed.jsonl'),
    ]);
    const { compositions } = await json(listSchema, 'compositions');
    assert.deepEqual(
      compositions.map(({ name }) => name),
      ['ctx'],
    );
    const shown = await home.run(['composition', 'show', 'ctx', '--format', 'md']);
    assert.equal(shown.stdout, await readFile(composition.files[0] ?? '', 'utf8'));
    await refused('composition-name-taken', ...composeBoth);
    const again = await json(compositionSchema, ...composeBoth, '--replace');
    assert.match(again.undo ?? '', /^keepit composition restore .+-ctx-composition --project -home-ada-src-ledger$/);
  });

  it('can be looked at before they are made, with nothing written', async () => {
    const schema = z.looseObject({
      preview: z.looseObject({ totalTokens: z.number(), components: z.array(z.unknown()) }),
    });
    const { preview } = await json(schema, ...composeBoth, '--strategy', 'best', '--dry-run');
    assert.equal(preview.components.length, 2);
    assert.deepEqual((await json(listSchema, 'compositions')).compositions, []);
  });

  it('give a session the tokens that were named for it, as budgets are written', async () => {
    const schema = z.looseObject({
      preview: z.looseObject({ components: z.array(z.looseObject({ sessionId: z.string(), allocation: z.number() })) }),
    });
    const [first = '', second = ''] = SESSIONS;
    const given = ['--allocation', `${first}=1.2k`, '--allocation', `${second}=12000`];
    const { preview } = await json(schema, ...composeBoth, ...given, '--dry-run');
    assert.deepEqual(
      preview.components.map(({ sessionId, allocation }) => [sessionId, allocation]),
      [
        [first, 1200],
        [second, 12_000],
      ],
    );
  });

  it('are delivered as a session to resume, armed, printed and written', async () => {
    await json(compositionSchema, ...composeBoth);
    const { delivered } = await json(deliveredSchema, 'deliver', 'ctx', '--to', 'resume');
    assert.equal(delivered.command, `claude --resume '${delivered.file ?? ''}' --fork-session`);
    assert.ok((await readFile(delivered.file ?? '', 'utf8')).includes(delivered.sessionId ?? '-'));
    const armed = await json(deliveredSchema, 'deliver', 'ctx', '--to', 'next-session');
    assert.equal(typeof armed.delivered.isWhole, 'boolean');
    const printed = await home.run(['deliver', 'ctx', '--to', 'stdout']);
    assert.match(printed.stdout, /^# Context from past sessions: ctx\n/);
    const out = path.join(home.dir, 'context.md');
    await json(deliveredSchema, 'deliver', 'ctx', '--to', 'file', '--out', out);
    assert.equal(await readFile(out, 'utf8'), printed.stdout);
    await json(deliveredSchema, 'deliver', 'ctx', '--to', 'file', '--out', out);
    const { composition } = await json(compositionSchema, 'composition', 'show', 'ctx');
    assert.equal(composition.deliveries?.filter(({ to }) => to === 'file').length, 2, 'the same is no conflict');
    await writeFile(out, printed.stdout.toUpperCase());
    await refused('file-exists', 'deliver', 'ctx', '--to', 'file', '--out', out);
    assert.equal(await readFile(out, 'utf8'), printed.stdout.toUpperCase());
    const disarmed = await json(z.looseObject({ disarmed: z.boolean() }), 'disarm', '--project', LEDGER);
    assert.ok(disarmed.disarmed);
  });

  it('are seen to arrive', async () => {
    await json(compositionSchema, ...composeBoth);
    const { delivered } = await json(deliveredSchema, 'deliver', 'ctx', '--to', 'resume');
    assert.equal((await json(arrivalSchema, 'arrived', 'ctx')).arrived, 'unknown');
    const transcript = await readFile(delivered.file ?? '', 'utf8');
    await writeFile(home.transcript(LEDGER, 'f0000000-0000-4000-8000-000000000000'), transcript);
    const arrival = await json(arrivalSchema, 'arrived', 'ctx');
    assert.deepEqual([arrival.arrived, arrival.evidence], [true, 'the session goes on from its records']);
  });

  it('are removed, brought back and made again', async () => {
    await json(compositionSchema, ...composeBoth);
    const { deleted, undo } = await json(deletedSchema, 'composition', 'delete', 'ctx');
    assert.equal(undo, `keepit composition restore ${deleted.trash} --project ${LEDGER}`);
    await refused('composition-unknown', 'composition', 'show', 'ctx');
    await json(compositionSchema, ...undo.split(' ').slice(1));
    await json(compositionSchema, 'composition', 'rename', 'ctx', 'other');
    assert.equal((await home.run(['unregister', SESSIONS[1] ?? '', '--yes'])).code, 0);
    const rebuilt = await json(compositionSchema, 'composition', 'rebuild', 'other');
    assert.deepEqual(
      rebuilt.composition.omitted.map(({ sessionId, reason }) => [sessionId, reason]),
      [[SESSIONS[1], 'it is no longer in memory']],
    );
  });

  it('are refused with a word on what to do', async () => {
    for (const name of ['a/b', '..', '']) {
      const { code } = await home.run(['compose', '--name', name, '--budget', '16k', ...SESSIONS]);
      assert.ok(code === 1 || code === 2, name);
    }
    const tooSmall = await refused(
      'composition-budget-too-small',
      'compose',
      '--name',
      'x',
      '--budget',
      '30',
      ...SESSIONS,
    );
    assert.match(tooSmall, /tokens are too few/);
    await refused(
      'composition-no-such-version',
      'compose',
      '--name',
      'x',
      '--budget',
      '9k',
      `${SESSIONS[0] ?? ''}:v007`,
    );
    for (const wrong of [
      ['compose', '--name', 'x', ...SESSIONS],
      ['compose', '--name', 'x', '--budget', 'many', ...SESSIONS],
      ['compose', '--name', 'x', '--budget', '9k'],
      ['compose', '--name', 'x', '--budget', '9k', '--strategy', 'magic', ...SESSIONS],
      ['deliver', 'x', '--to', 'moon'],
      ['deliver', 'x', '--to', 'file'],
    ]) {
      assert.equal((await home.run(wrong)).code, 2, wrong.join(' '));
    }
  });
});
