import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import * as fc from 'fast-check';
import * as z from 'zod';
import {
  briefItemSchema,
  factStatesSchema,
  fileNotesSchema,
  preparedBriefSchema,
  reminderIndexSchema,
  reminderUnitSchema,
  sessionStateSchema,
  armedContextSchema,
} from '../../../src/core/model/preparedBrief';
import { hookInputSchema } from '../../../src/core/model/hookInput';
import { hookSettingsSchema, defaultHookSettings } from '../../../src/core/model/hookSettings';

interface Schema {
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

const real: Readonly<Record<string, Schema>> = {
  armedContextSchema,
  briefItemSchema,
  factStatesSchema,
  fileNotesSchema,
  hookInputSchema,
  hookSettingsSchema,
  preparedBriefSchema,
  reminderIndexSchema,
  reminderUnitSchema,
  sessionStateSchema,
};

const source = { sessionId: 's', messageUuid: 'u' };
const item = {
  kind: 'rule',
  text: 'Use pnpm.',
  trust: 'stated',
  sources: [source],
  heading: 'h',
  key: 'k',
  extra: [1],
};
const version = '1.0.0';
const documents: Readonly<Record<string, object>> = {
  armedContextSchema: {
    version,
    projectId: '-p',
    compositionId: 'c',
    name: 'n',
    armedAt: '2026-01-01T00:00:00Z',
    text: 'a',
    rest: { file: '/x' },
  },
  factStatesSchema: { permanent: { rules: [{ id: 'r', isRejected: true }], solutions: [], core_logic: [{ id: 'c' }] } },
  briefItemSchema: item,
  preparedBriefSchema: {
    version,
    projectId: '-p',
    madeAt: '2026-01-01T00:00:00Z',
    sources: { '/a': '1 2' },
    settings: defaultHookSettings,
    isAutomatic: true,
    items: [item],
    inForce: [{ ...item, factId: 'r001' }],
  },
  fileNotesSchema: {
    version,
    facts: { file: '/f', stamp: '1 2' },
    notes: { 'a.ts': [{ file: 'src/a.ts', text: 't', key: 'k', factId: 'r001', sessionId: 's' }] },
  },
  hookInputSchema: { session_id: 's', transcript_path: '/t', cwd: null, prompt: 'p', source: 7, new: {} },
  hookSettingsSchema: defaultHookSettings,
  sessionStateSchema: {
    version,
    sessionId: 's',
    at: '',
    title: '',
    bytes: 3,
    keepits: [{ weight: 1, text: 't' }],
    request: { text: 't', uuid: 'u' },
    tasks: ['d'],
    files: [],
  },
  reminderIndexSchema: { version, units: ['{}'], words: '\na 1 0\n' },
  reminderUnitSchema: { id: 'i', text: 't', label: 'l', weight: 2 },
};

describe('the small zod of hooks', () => {
  let lean: Readonly<Record<string, Schema>> = {};
  let folder = '';

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'keepit-lean-'));
    const entry = path.join(folder, 'entry.ts');
    const models = path.resolve('src/core/model');
    const files = ['preparedBrief', 'hookInput', 'hookSettings'];
    await writeFile(entry, files.map((file) => `export * from '${path.join(models, file)}';`).join('\n'));
    const outfile = path.join(folder, 'lean.mjs');
    const alias = { 'zod/mini': path.resolve('src/hooks/leanZod.ts') };
    await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', alias });
    const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && 'safeParse' in value;
    const loaded: unknown = await import(pathToFileURL(outfile).href);
    const known = z.record(z.string(), z.unknown()).parse({ ...z.looseObject({}).parse(loaded) });
    lean = Object.fromEntries(
      Object.entries(known).flatMap(([name, value]) =>
        isSchema(value) ? [[name, z.custom<Schema>(isSchema).parse(value)]] : [],
      ),
    );
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('takes what zod takes, and refuses what zod refuses', () => {
    for (const [name, schema] of Object.entries(real)) {
      const sound = documents[name] ?? {};
      const changed = fc.tuple(fc.constantFrom(...Object.keys(sound), 'other'), fc.jsonValue()).map(([key, value]) => ({
        ...sound,
        [key]: value,
      }));
      const without = fc.constantFrom(...Object.keys(sound)).map((key) => {
        return Object.fromEntries(Object.entries(sound).filter(([one]) => one !== key));
      });
      const same = (value: unknown): void => {
        const [expected, found] = [schema.safeParse(value), lean[name]!.safeParse(value)];
        assert.equal(found.success, expected.success, `${name}: ${JSON.stringify(value)}`);
        if (expected.success) assert.deepEqual(found.data, expected.data, name);
      };
      assert.equal(schema.safeParse(sound).success, true, name);
      same(sound);
      fc.assert(fc.property(fc.oneof(changed, without, fc.jsonValue()), same), { numRuns: 300 });
    }
  });
});
