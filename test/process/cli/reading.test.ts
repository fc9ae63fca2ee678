import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { FakeAnthropic } from '../../unit/support/fakeAnthropic';
import { answer, session, SESSION } from '../../unit/support/readingStage';
import { CliHome, useProgram } from '../support/cliProcess';

const PROJECT = '-home-ada-src-app';
const rule = {
  kind: 'rule',
  message: 0,
  by: 'user',
  quote: 'For money use Decimal, floats are forbidden.',
  alone: true,
};

const estimateSchema = z.object({ estimate: z.looseObject({ sessions: z.number(), usdPerSession: z.number() }) });
const resultSchema = z.object({ read: z.array(z.looseObject({ items: z.number() })), failed: z.array(z.unknown()) });
const ledgerSchema = z.object({ entries: z.array(z.looseObject({ purpose: z.string(), outcome: z.string() })) });

describe('the command line, when a model reads sessions', () => {
  const program = useProgram();
  let server: FakeAnthropic;
  let home: CliHome;

  beforeEach(async () => {
    server = await FakeAnthropic.start();
    server.otherwise = () => ({ text: answer([rule]) });
    home = await CliHome.make(program);
    const file = home.transcript(PROJECT, SESSION);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, session().toString());
    for (const args of [
      ['register', SESSION],
      ['layers', 'enable', '--yes', '--location', 'home', '--project', PROJECT],
    ]) {
      const { code, stderr } = await home.run(args);
      assert.equal(code, 0, stderr);
    }
  });

  afterEach(async () => {
    await server.stop();
    await home.dispose();
  });

  const env = () => ({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant-test-0123456789abcdefghijklmnop' });

  it('tells the price first, and reads within the limit, with every call in the ledger', async () => {
    const what = ['read', '--all', '--project', PROJECT, '--provider', 'anthropic', '--json'];
    const priced = await home.run([...what, '--dry-run'], { env: env() });
    const { estimate } = estimateSchema.parse(JSON.parse(priced.stdout));
    assert.ok(estimate.sessions === 1 && estimate.usdPerSession > 0);
    const refused = await home.run(what, { env: env() });
    assert.deepEqual([refused.code, server.requests.length], [2, 0]);
    const { stdout } = await home.run([...what, '--max-cost', '0.50'], { env: env() });
    const result = resultSchema.parse(JSON.parse(stdout));
    assert.deepEqual([result.read.map(({ items }) => items), result.failed], [[1], []]);
    const ledger = ledgerSchema.parse(JSON.parse((await home.run(['ledger', '--json'])).stdout));
    assert.deepEqual(
      ledger.entries.map(({ purpose, outcome }) => [purpose, outcome]),
      [['read', 'ok']],
    );
    assert.match((await home.run(['facts', '--review', '--project', PROJECT])).stdout, /For money use Decimal/);
  });

  it('wants a yes before each session is read when it ends', async () => {
    const on = ['reading', 'on', '--project', PROJECT, '--json'];
    assert.notEqual((await home.run(on)).code, 0);
    assert.match((await home.run([...on, '--yes'])).stdout, /"enabled": ?true/);
    assert.match((await home.run(['reading', 'off', '--json'])).stdout, /"enabled": ?false/);
  });

  it('leaves nothing running when it is killed', async function () {
    if (process.platform === 'win32') this.skip(); // the stand-in for `claude` is a script with a #! line
    const bin = path.join(home.dir, 'bin');
    const pidFile = path.join(home.dir, 'pid');
    await mkdir(bin);
    const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`;
    await writeFile(path.join(bin, 'claude'), `#!${process.execPath}\n${script}`);
    await chmod(path.join(bin, 'claude'), 0o755);
    await home.run(['read', SESSION, '--project', PROJECT, '--provider', 'claude-cli', '--yes'], {
      env: { PATH: bin },
      during: (child) => {
        const look = setInterval(() => {
          void readFile(pidFile, 'utf8').then(
            (pid) => {
              if (pid === '') return;
              clearInterval(look);
              child.kill('SIGKILL');
            },
            () => undefined, // not started yet
          );
        }, 20);
      },
    });
    const pid = Number(await readFile(pidFile, 'utf8'));
    for (let isRunning = true; isRunning; await new Promise((resolve) => setTimeout(resolve, 20))) {
      try {
        process.kill(pid, 0);
      } catch {
        isRunning = false;
      }
    }
  });
});
