import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { describeHolder } from '../../../src/node/files/fileLock';
import { armedContextSchema } from '../../../src/core/model/preparedBrief';
import { useProgram } from '../support/cliProcess';
import { readGiven } from '../../../src/core/model/hookActivity';
import { HookHome, type HookEnd } from '../support/hookHome';

const PROJECT = '-home-ada-src-ledger';
const CWD = '/home/ada/src/ledger';
const OLD = 'a1b2c3d4-1111-4111-8111-111111111111';
const NEW = '99999999-2222-4333-8444-555555555555';
const factsSchema = z.object({ facts: z.array(z.looseObject({ id: z.string(), content: z.string() })) });
const errorSchema = z.object({ error: z.looseObject({ code: z.string() }) });

const outputSchema = z.object({
  systemMessage: z.string(),
  hookSpecificOutput: z.object({ additionalContext: z.string() }),
});

/** What a hook says to the user, and to the model. */
function saidIn(stdout: string): { systemMessage: string; context: string } {
  const { systemMessage, hookSpecificOutput } = outputSchema.parse(JSON.parse(stdout));
  return { systemMessage, context: hookSpecificOutput.additionalContext };
}

describe('hooks, as Claude Code runs them', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: HookHome;
  beforeEach(async () => {
    home = await HookHome.make(program, 'mixed-home');
  });
  afterEach(() => home.dispose());

  const input = (sessionId: string, fields: object = {}): object => ({
    session_id: sessionId,
    transcript_path: home.transcript(PROJECT, sessionId),
    cwd: CWD,
    ...fields,
  });
  const start = (sessionId: string, source = 'startup'): HookEnd =>
    home.hook('SessionStart', { input: input(sessionId, { source }) });
  const folder = (...parts: string[]): string => path.join(home.memoryDir, 'projects', PROJECT, ...parts);
  const arm = async (text: string, armedAt = 'now'): Promise<void> => {
    const armed = { version: '1.0.0', projectId: PROJECT, compositionId: 'c1', name: 'review', armedAt, text };
    await mkdir(folder(), { recursive: true });
    await writeFile(folder('armed.json'), JSON.stringify(armedContextSchema.parse(armed)));
  };
  const learn = (): void => {
    for (const args of [
      ['register', OLD],
      ['layers', 'enable', '--location', 'home'],
      ['layers', 'build'],
    ]) {
      const { code, stderr } = home.keepit(...args, '--project', PROJECT);
      assert.equal(code, 0, stderr);
    }
  };

  it('take a session in when it ends, and tell the next one of it', async () => {
    learn();
    home.hook('SessionEnd', { input: input(OLD, { reason: 'other' }) });
    await home.settled(PROJECT);
    const { systemMessage, context } = saidIn(start(NEW).stdout);
    assert.ok(context.startsWith(`Keepit session ID: ${NEW}\n\nKeepit: data from past sessions`), context);
    assert.match(context, /Where the last session stopped \(a1b2c3d4 “Amounts off by a cent after import”/);
    assert.match(systemMessage, /^Keepit told this session: where the last one stopped/);
    const [own] = await home.activity(PROJECT, NEW);
    assert.equal(own?.injected?.units, context.length);
    const given = readGiven(await readFile(folder('hooks', 'sessions', NEW, 'given.jsonl'), 'utf8'));
    const pieces = own.injected.pieces.map(({ key, preview }) => given.get(key ?? '') ?? preview);
    assert.equal(pieces.join('\n\n'), context);
    const captured = (await home.activity(PROJECT, OLD)).find(({ event }) => event === 'Capture');
    assert.equal(captured?.source, 'end');
  });

  it('hand keepits to a compaction word for word, also those that were marked a moment ago', async () => {
    const { stdout } = home.hook('PreCompact', { input: input(OLD, { trigger: 'auto' }) });
    assert.match(stdout, /pinned>\ncents\(\) refuses what has more than two decimals\.\n<\/keepit>/);
    const text = 'x ##keepit1.00##Added just now, 👩‍👩‍👧.##keepit:end##';
    const line = { type: 'user', uuid: 'u-new', parentUuid: null, sessionId: OLD, timestamp: '2026-02-01T00:00:00Z' };
    await appendFile(
      home.transcript(PROJECT, OLD),
      `${JSON.stringify({ ...line, cwd: CWD, message: { role: 'user', content: text } })}\n`,
    );
    const second = home.hook('PreCompact', { input: input(OLD, { trigger: 'manual' }) });
    assert.match(second.stdout, /Added just now, 👩‍👩‍👧\./);
    const hooks = (await home.activity(PROJECT, OLD)).filter(({ event }) => event === 'PreCompact');
    assert.deepEqual(
      hooks.map(({ source }) => source),
      ['auto', 'manual'],
    );
  });

  it('give what was armed to one session, once, however often they run, also where an older set-up calls four', async () => {
    await arm('what was armed');
    const runs = [NEW, NEW, NEW, 'another'].flatMap((id) => [
      { input: input(id, { source: 'startup' }) },
      { input: input(id, { source: 'startup' }), args: ['--piece', '2'] },
    ]);
    const ends = await home.hookAtOnce('SessionStart', runs);
    assert.ok(ends.every(({ code, stderr }) => code === 0 && stderr === ''));
    assert.ok(ends.filter((_, at) => at % 2 === 1).every(({ stdout }) => stdout === ''));
    const all = ends.map(({ stdout }) => stdout).join('\n');
    assert.equal(all.split('what was armed').length - 1, 1);
    const taken = (await readdir(folder())).filter((name) => name.startsWith('armed-'));
    assert.equal(taken.length, 1);
    const winner = taken[0]?.includes(NEW) === true ? NEW : 'another';
    assert.equal(home.hook('SessionStart', { input: input(winner, { source: 'resume' }) }).stdout, '');
    await arm('armed again', 'later');
    assert.match(home.hook('SessionStart', { input: input(winner, { source: 'resume' }) }).stdout, /armed again/);
  });

  it('tell a session that is resumed what others have added meanwhile, once', async () => {
    learn();
    home.hook('SessionEnd', { input: input(OLD, { reason: 'other' }) });
    await home.settled(PROJECT);
    const first = saidIn(start(NEW).stdout).context;
    assert.match(first, /Where the last session stopped/);
    assert.equal(start(NEW, 'resume').stdout, '');
    const line = { type: 'user', uuid: 'u-more', parentUuid: null, sessionId: OLD, timestamp: '2026-12-01T00:00:00Z' };
    const message = { role: 'user', content: 'Please move the exchange rates into rates.json, as decided.' };
    await appendFile(home.transcript(PROJECT, OLD), `${JSON.stringify({ ...line, cwd: CWD, message })}\n`);
    home.hook('SessionEnd', { input: input(OLD, { reason: 'other' }) });
    await home.settled(PROJECT);
    const twice = [1, 2].map(() => ({ input: input(NEW, { source: 'resume' }) }));
    const outputs = (await home.hookAtOnce('SessionStart', twice)).map(({ stdout }) => stdout).join('');
    const news = saidIn(outputs).context;
    assert.ok(news.includes('rates.json'), news);
    assert.deepEqual(
      news.split('\n').filter((one) => one.startsWith('- ') && first.includes(one)),
      [],
    );
    assert.equal(start(NEW, 'resume').stdout, '');
  });

  it('give nothing twice when Keepit is installed twice', async () => {
    learn();
    const twice = [1, 2, 3].map(() => ({ input: input(NEW, { source: 'startup' }) }));
    const starts = (await home.hookAtOnce('SessionStart', twice)).map(({ stdout }) => stdout);
    assert.equal(starts.join('').split('Keepit session ID').length - 1, 1);
    await home.settled(PROJECT);
    const prompts = [1, 2, 3].map(() => ({ input: input(NEW, { prompt: 'hello' }) }));
    const rules = (await home.hookAtOnce('UserPromptSubmit', prompts)).map(({ stdout }) => stdout);
    assert.ok(rules.filter((text) => text !== '').length <= 1);
  });

  it('tell again after a compaction what it has taken out', async () => {
    assert.match(start(NEW).stdout, /session ID/);
    assert.equal(start(NEW, 'resume').stdout, '');
    assert.match(start(NEW, 'compact').stdout, /session ID/);
  });

  it('give no rule any more that was rejected a moment ago', async () => {
    home.keepit('config', 'set', 'hooks.sessionStart', 'false');
    const line = { type: 'user', uuid: 'u-rule', parentUuid: null, sessionId: OLD, timestamp: '2026-02-01T00:00:00Z' };
    const message = { role: 'user', content: 'From now on, always use pnpm instead of npm in this project.' };
    await appendFile(home.transcript(PROJECT, OLD), `${JSON.stringify({ ...line, cwd: CWD, message })}\n`);
    learn();
    home.hook('SessionEnd', { input: input(OLD, { reason: 'other' }) });
    await home.settled(PROJECT);
    const ask = (sessionId: string): string =>
      home.hook('UserPromptSubmit', { input: input(sessionId, { prompt: 'hello' }) }).stdout;
    assert.match(ask(NEW), /always use pnpm/);
    const { facts } = factsSchema.parse(JSON.parse(home.keepit('facts', '--json', '--project', PROJECT).stdout));
    const rule = facts.find(({ content }) => content.includes('pnpm'));
    assert.equal(home.keepit('fact', 'reject', rule?.id ?? '', '--project', PROJECT).code, 0);
    assert.equal(ask('another').includes('pnpm'), false);
  });

  it('take in what is new after so many tool calls', async () => {
    assert.equal(home.keepit('config', 'set', 'hooks.captureInterval', '3').code, 0);
    home.keepit('register', OLD, '--project', PROJECT);
    for (let call = 1; call <= 4; call++) home.hook('PostToolUse', { input: input(OLD, { tool_name: 'Bash' }) });
    await home.settled(PROJECT);
    const activity = await home.activity(PROJECT, OLD);
    assert.deepEqual(
      activity.filter(({ event }) => event === 'Capture').map(({ source }) => source),
      ['interval'],
    );
    assert.equal(await readFile(folder('hooks', 'sessions', OLD, 'tools'), 'utf8'), '.');
  });

  it('are switched off one by one, at once', () => {
    for (const name of ['sessionStart', 'userPromptSubmit', 'reminders', 'preCompact']) {
      assert.equal(home.keepit('config', 'set', `hooks.${name}`, 'false').code, 0);
    }
    assert.equal(start(NEW).stdout, '');
    assert.equal(home.hook('UserPromptSubmit', { input: input(NEW, { prompt: 'cents' }) }).stdout, '');
    assert.equal(home.hook('PreCompact', { input: input(OLD) }).stdout, '');
    home.keepit('config', 'set', 'hooks.sessionStart', 'true');
    assert.match(start(NEW).stdout, /session ID/);
    const { code, stdout } = home.keepit('config', 'set', 'hooks.captureInterval', '0', '--json');
    assert.deepEqual([code, errorSchema.parse(JSON.parse(stdout)).error.code.startsWith('config')], [1, true]);
  });

  it('lose nothing when the background is killed in the middle', async () => {
    learn();
    for (let kill = 0; kill < 4; kill++) {
      home.hook('Stop', { input: input(OLD, { last_assistant_message: 'never written' }) });
      const work = home.startWork(PROJECT);
      await new Promise((resolve) => setTimeout(resolve, 60 + kill * 120));
      work.kill('SIGKILL');
    }
    home.hook('SessionEnd', { input: input(OLD, { reason: 'other' }) });
    await home.settled(PROJECT);
    assert.match(start(NEW).stdout, /Keepit: data from past sessions/);
    assert.equal(home.keepit('doctor', '--json').code, 0);
  });

  it('start the background again at once after it was killed, and once only while it works', async () => {
    const ended = home.startWork(PROJECT);
    await new Promise((resolve) => ended.once('exit', resolve));
    const lock = folder('hooks', '.work.lock');
    const holder = { ...(await describeHolder('0123456789abcdef')), processStart: '1' };
    for (const pid of [ended.pid, process.pid]) {
      await writeFile(lock, JSON.stringify({ ...holder, pid }));
      start(NEW);
      await home.settled(PROJECT);
    }
    await writeFile(lock, JSON.stringify(await describeHolder('0123456789abcdef')));
    start(NEW);
    assert.equal((await readdir(folder('hooks', 'requests'))).length, 1);
    await rm(lock);
  });

  it('take in two sessions of a project that work at the same time', async () => {
    home.keepit('config', 'set', 'defaults.autoRegisterSessions', 'true');
    const ids = [OLD, 'b-second'];
    const text = (await readFile(home.transcript(PROJECT, OLD), 'utf8')).replaceAll(OLD, 'b-second');
    await writeFile(`${home.transcript(PROJECT, 'b-second')}.tmp`, text);
    await rename(`${home.transcript(PROJECT, 'b-second')}.tmp`, home.transcript(PROJECT, 'b-second'));
    await home.hookAtOnce(
      'Stop',
      [...ids, ...ids, ...ids].map((id) => ({ input: input(id) })),
    );
    await home.settled(PROJECT);
    const { stdout } = home.keepit('sessions', '--json', '--project', PROJECT);
    for (const id of ids) assert.ok(stdout.includes(`"sessionId":"${id}"`), id);
    assert.equal(await home.log(), '');
  });
});
