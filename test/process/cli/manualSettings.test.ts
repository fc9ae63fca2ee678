import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { useProgram } from '../support/cliProcess';
import { HookHome } from '../support/hookHome';

const SESSION = 'a1c2d3e4-0000-4000-8000-000000000001';
const settingsSchema = z.looseObject({
  mode: z.string(),
  tierPreset: z.optional(z.string()),
  compactionRatio: z.optional(z.number()),
  aggressiveness: z.optional(z.string()),
});
const madeSchema = z.object({ version: z.looseObject({ settings: settingsSchema }) });
const versionsSchema = z.looseObject({ versions: z.array(z.looseObject({ settings: settingsSchema })) });
const sessionsSchema = z.object({
  sessions: z.array(z.looseObject({ metadata: z.looseObject({ primaryTopics: z.optional(z.array(z.string())) }) })),
});

describe('The settings of the manual', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: HookHome;
  let app: string;
  beforeEach(async () => {
    home = await HookHome.make(program);
    app = path.join(await realpath(home.dir), 'app');
    await mkdir(app);
    const file = home.transcript(projectFolderName(app), SESSION);
    await mkdir(path.dirname(file), { recursive: true });
    const transcript = new TranscriptBuilder(SESSION, app);
    for (let turn = 0; turn < 12; turn++) {
      transcript
        .human(`Mend the mail queue in src/queue.ts, part ${turn}: it loses letters when the relay ${turn} is slow.`)
        .assistant(`The queue keeps letter ${turn} now until the relay has answered, and tries again after ${turn} s.`);
    }
    await writeFile(file, transcript.toString());
  });
  afterEach(() => home.dispose());

  const keepit = (...args: string[]) => {
    const options = { env: home.env({}), cwd: app, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [program.file, ...args], options);
  };
  const json = <S extends z.ZodMiniType>(schema: S, ...args: string[]): z.output<S> => {
    const { status, stdout, stderr } = keepit(...args, '--json');
    assert.equal(status, 0, stderr);
    return z.parse(schema, JSON.parse(stdout));
  };
  const anything = z.looseObject({});
  const made = (...args: string[]) => json(madeSchema, 'compress', SESSION, ...args).version.settings;

  it('say how much a level takes away from all of a session alike, and empty means its tiers again', () => {
    json(anything, 'register', SESSION);
    json(anything, 'config', 'set', 'defaults.reductions.moderate', '30');
    const level = made();
    assert.deepEqual([level.mode, level.compactionRatio, level.aggressiveness], ['uniform', 1.43, 'moderate']);
    assert.equal(made('--level', 'moderate').compactionRatio, 1.43);
    assert.deepEqual(made('--preset', '1').tierPreset, 'gentle', 'a level without a number is its preset');
    assert.deepEqual(made('--preset', 'standard').tierPreset, 'standard', 'a preset by its name is what it says');
    assert.equal(made('--ratio', '5').compactionRatio, 5);
    json(anything, 'config', 'set', 'defaults.reductions.moderate', '');
    assert.equal(made().tierPreset, 'standard');
    for (const wrong of ['0', '100', 'much']) {
      assert.equal(keepit('config', 'set', 'defaults.reductions.light', wrong).status, 1, wrong);
    }
  });

  it('make a version of what is registered', () => {
    json(anything, 'config', 'set', 'defaults.versionsOnRegister', 'true');
    json(anything, 'register', SESSION);
    json(anything, 'register', SESSION);
    const { versions } = json(versionsSchema, 'versions', SESSION);
    assert.deepEqual(
      versions.map(({ settings }) => settings.tierPreset),
      ['standard'],
    );
  });

  it('have topics of sessions filled by what is known', () => {
    json(anything, 'register', SESSION);
    json(anything, 'layers', 'enable', '--yes');
    json(anything, 'layers', 'build');
    const [session] = json(sessionsSchema, 'sessions').sessions;
    assert.match(session?.metadata.primaryTopics?.join(', ') ?? '', /queue/);
  });
});
