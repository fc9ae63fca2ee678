import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { FakeAnthropic } from '../../unit/support/fakeAnthropic';
import { lyingAnswer, PINNED, sessionWithKeepits } from '../../unit/support/modelStage';
import { CliHome, useProgram, type Ended } from '../support/cliProcess';
import { errorOf } from '../../unit/cli/support/documents';

const KEY = 'sk-ant-test-0123456789abcdefghijklmnop';
const SESSION = 'aaaa1111-2222-4333-8444-555555555555';

const madeSchema = z.object({
  version: z.looseObject({ versionId: z.string(), provider: z.string(), cost: z.object({ usd: z.number() }) }),
});
const estimateSchema = z.object({ estimate: z.looseObject({ cost: z.object({ usd: z.number() }) }) });
const ledgerSchema = z.object({ entries: z.array(z.looseObject({ outcome: z.string() })) });

describe('the command line, when it asks a model', () => {
  const program = useProgram();
  let server: FakeAnthropic;
  let home: CliHome;

  beforeEach(async () => {
    server = await FakeAnthropic.start();
    server.otherwise = lyingAnswer;
    home = await CliHome.make(program);
    const file = home.transcript('-home-ada-src-app', SESSION);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, sessionWithKeepits(SESSION).toString());
    const { code, stderr } = await home.run(['register', SESSION]);
    assert.equal(code, 0, stderr);
  });

  afterEach(async () => {
    await server.stop();
    await home.dispose();
  });

  function compress(...args: string[]): Promise<Ended> {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY };
    const what = ['compress', SESSION, '--ratio', '8', '--provider', 'anthropic', '--model', 'haiku'];
    return home.run([...what, ...args], { env });
  }

  it('tells the price without asking anybody', async () => {
    const { code, stdout } = await compress('--dry-run', '--json');
    assert.equal(code, 0);
    assert.ok(estimateSchema.parse(JSON.parse(stdout)).estimate.cost.usd > 0);
    assert.equal(server.requests.length, 0);
  });

  it('wants a limit where nobody can be asked', async () => {
    const { code, stdout } = await compress('--json');
    assert.equal(code, 2);
    assert.match(errorOf(stdout).message, /--max-cost/);
    assert.equal(server.requests.length, 0);
  });

  it('makes a version within the limit, with the keepits in it, and writes down what it cost', async () => {
    const { code, stdout, stderr } = await compress('--json', '--max-cost', '0.50');
    assert.equal(code, 0, `${stdout}${stderr}`);
    const { version } = madeSchema.parse(JSON.parse(stdout));
    assert.equal(version.provider, 'anthropic');
    const shown = await home.run(['version', 'show', SESSION, version.versionId]);
    assert.ok(shown.stdout.includes(PINNED));
    const ledger = await home.run(['ledger', '--json']);
    assert.deepEqual(
      ledgerSchema.parse(JSON.parse(ledger.stdout)).entries.map(({ outcome }) => outcome),
      server.requests.map(() => 'ok'),
    );
    assert.doesNotMatch(`${stdout}${stderr}${ledger.stdout}`, /sk-ant/);
  });

  it('says in one line what is wrong with a key, and what can be done', async () => {
    server.otherwise = () => ({ status: 401, errorType: 'authentication_error', message: `invalid ${KEY}` });
    const { code, stdout, stderr } = await compress('--max-cost', '0.50');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^keepit: Anthropic does not accept the API key\. .*`local`/m);
    assert.doesNotMatch(stderr, /sk-ant|at .*\.js/);
  });

  it('writes down a call that Ctrl-C has ended', async () => {
    server.otherwise = () => ({ text: 'half of an answer', fault: 'stuck' });
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY };
    const { code } = await home.run(['compress', SESSION, '--provider', 'anthropic', '--max-cost', '1'], {
      env,
      during: (child) => {
        const look = setInterval(() => {
          if (server.requests.length === 0) return;
          clearInterval(look);
          setTimeout(() => child.kill('SIGINT'), 200);
        }, 20);
      },
    });
    assert.equal(code, 130);
    const ledger = await home.run(['ledger', '--json']);
    assert.deepEqual(
      ledgerSchema.parse(JSON.parse(ledger.stdout)).entries.map(({ outcome }) => outcome),
      ['cancelled'],
    );
  });
});
