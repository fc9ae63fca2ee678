import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { writeSession } from '../bench/generate';
import { Random } from '../bench/random';
import { TextPool } from '../bench/textPool';
import { CliHome, useProgram } from '../process/support/cliProcess';

const PROJECT = '-home-sam-src-app';
const SESSION = '7d0c2a9e-55aa-4c1e-9b11-0c7a4f3f2f10';
const FILE_BYTES = 24 * 1024 * 1024;
/** Of seed 001: beyond this, "manual chunking" would be needed. */
const LONG_TOKENS = 500_000;
const MOST_MB = 400;
const LOOK_MS = 25;

/** The most memory that a process had at once, as Linux tells. */
async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

describe('a session of more than 500,000 tokens', function () {
  this.timeout(600_000);
  const program = useProgram();
  let home: CliHome;

  const run = async (...args: string[]): Promise<unknown> => {
    let peak = 0;
    const { code, stdout, stderr } = await home.run([...args, '--all-projects', '--json'], {
      during: ({ pid = 0 }) => {
        const look = setInterval(() => {
          void peakMb(pid).then((now) => (peak = Math.max(peak, now)));
        }, LOOK_MS);
        look.unref();
      },
    });
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    assert.ok(peak > 0 && peak < MOST_MB, `${args.join(' ')} took ${peak.toFixed(0)} MB`);
    return JSON.parse(stdout);
  };

  before(async function () {
    if (process.platform !== 'linux') this.skip(); // elsewhere the system does not tell how much memory a process had
    home = await CliHome.make(program);
    const random = new Random(7);
    const identity = { sessionId: SESSION, cwd: '/home/sam/src/app', startMs: Date.UTC(2026, 0, 5, 9) };
    await writeSession(home.transcript(PROJECT, SESSION), identity, FILE_BYTES, { random, pool: new TextPool(random) });
  });
  after(() => home.dispose());

  it('is kept, compressed, composed and searched as a whole, in less than 400 MB', async () => {
    const registered = z.looseObject({ registered: z.array(z.looseObject({ originalTokens: z.number() })) });
    const [entry] = z.parse(registered, await run('register', SESSION)).registered;
    assert.ok((entry?.originalTokens ?? 0) > LONG_TOKENS, String(entry?.originalTokens));
    const made = z.looseObject({
      version: z.looseObject({ outputTokens: z.number(), messageRange: z.tuple([z.number(), z.number()]) }),
    });
    const { version } = z.parse(made, await run('compress', SESSION, '--whole', '--mode', 'uniform', '--ratio', '30'));
    assert.equal(version.messageRange[0], 0);
    assert.ok(version.outputTokens < (entry?.originalTokens ?? 0) / 15, String(version.outputTokens));
    const composed = z.looseObject({ composition: z.looseObject({ totalTokens: z.number() }) });
    const { composition } = z.parse(
      composed,
      await run('compose', '--name', 'long', '--budget', '20000', '--session', SESSION),
    );
    assert.ok(composition.totalTokens <= 20_000 && composition.totalTokens > 10_000, String(composition.totalTokens));
    const said = z.looseObject({ messages: z.array(z.looseObject({ text: z.string() })) });
    const { messages } = z.parse(said, await run('messages', SESSION, '--from', '40', '--to', '60'));
    const words = messages.map(({ text }) => /[a-z]+ [a-z]+ [a-z]+/.exec(text)?.[0]).find((one) => one !== undefined);
    const found = z.looseObject({ results: z.array(z.looseObject({ sessionId: z.optional(z.string()) })) });
    const { results } = z.parse(found, await run('search', `"${words}"`));
    assert.ok(results.some(({ sessionId }) => sessionId === SESSION));
  });
});
