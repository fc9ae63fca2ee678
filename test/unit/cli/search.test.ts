import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { commandsFor } from '../../../src/cli/commandTable';
import { runCli } from '../../../src/cli/runCli';
import { FakeMemory } from '../support/fakeMemory';
import { TranscriptBuilder } from '../support/transcriptBuilder';
import { FakeHost } from './support/fakeHost';

const PROJECT = '-home-ada-src-app';
const OTHER = '-home-ada-src-other';
const SESSION = 'a1b2c3d4-1111-4111-8111-111111111111';

const text = z.string();
const hit = z.looseObject({ score: z.number(), kind: text, sessionId: text, messageUuid: text, timestamp: text });
const foundSchema = z.object({
  results: z.array(z.extend(hit, { snippet: text, files: z.array(text) })),
  total: z.number(),
  nextCursor: z.optional(z.string()),
  tookMs: z.number(),
});

async function stage() {
  const memory = new FakeMemory();
  memory.claude.write(
    `${PROJECT}/${SESSION}.jsonl`,
    new TranscriptBuilder(SESSION)
      .human('Where is the refresh token kept?')
      .assistant('In the ##keepit0.80##keychain of the system.##keepit:end##'),
  );
  const other = new TranscriptBuilder('c1c2c3c4', '/home/ada/src/other').human('The keychain elsewhere');
  memory.claude.write(`${OTHER}/c1c2c3c4.jsonl`, other);
  const refs = [
    { projectId: PROJECT, sessionId: SESSION },
    { projectId: OTHER, sessionId: 'c1c2c3c4' },
  ];
  await memory.service.sessions.register(refs);
  const run = async (...args: string[]) => {
    const host = new FakeHost(() => ({ memory: memory.service, dispose: async () => undefined }));
    const code = await runCli(
      ['search', ...args],
      await commandsFor(['search', ...args]),
      host,
      new AbortController().signal,
    );
    return { code, stdout: host.stdout.text, stderr: host.stderr.text };
  };
  const find = async (...args: string[]) => foundSchema.parse(JSON.parse((await run(...args, '--json')).stdout));
  return { run, find };
}

describe('keepit search', () => {
  it('finds what is in memory, with where it was said', async () => {
    const { find, run } = await stage();
    const { results, total } = await find('keychain', '--project', PROJECT);
    assert.deepEqual([total, results[0]?.kind, results[0]?.sessionId], [1, 'keepit', SESSION]);
    const { stdout, code } = await run('refresh', 'token', '--project', PROJECT);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^exchange · session a1b2c3d4 · .*\n {2}Where is the refresh token kept\?\n {2}has it word for word · you asked\n\n1 answer/,
    );
  });

  it('searches all projects when it is told to', async () => {
    const { find } = await stage();
    assert.equal((await find('keychain', '--all-projects')).total, 2);
  });

  it('narrows by weight, kind, time and number', async () => {
    const { find } = await stage();
    const among = async (...args: string[]): Promise<number> =>
      (await find('+keychain', '--all-projects', ...args)).total;
    assert.equal(await among('--weight-min', '0.80'), 1);
    assert.equal(await among('--weight-max', '0.79'), 0);
    assert.equal(await among('--kind', 'message'), 2);
    assert.equal(await among('--until', '2026-01-01'), 0);
    assert.equal(await among('--file', 'src/**'), 0);
    const first = await find('keychain', '--all-projects', '--limit', '1');
    assert.equal(first.results.length, 1);
    const next = await find('keychain', '--all-projects', '--cursor', first.nextCursor ?? '');
    assert.equal(next.results.length, first.total - 1);
    assert.equal((await find('keys', '--also', 'keychain', '--all-projects')).total, 2);
  });

  it('says in one line what is wrong with a question', async () => {
    const { run } = await stage();
    for (const args of [[], ['x', '--kind', 'y'], ['x', '--weight-min', '2'], ['x', '--limit', 'z']]) {
      assert.equal((await run(...args)).code, 2, args.join(' '));
    }
    const { code, stderr } = await run('x', '--since', 'soon');
    assert.deepEqual([code, /not a date/.test(stderr)], [1, true]);
    assert.match((await run('zebra', '--all-projects')).stdout, /^Nothing was found in 2 sessions in memory\.\n$/);
  });
});
