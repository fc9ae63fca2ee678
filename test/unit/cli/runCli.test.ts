import assert from 'node:assert/strict';
import { CliFailure, exitCodes } from '../../../src/cli/cliErrors';
import { command, type Command } from '../../../src/cli/command';
import { memoryOf } from './support/someMemory';
import { runCli } from '../../../src/cli/runCli';
import { SessionLookupError } from '../../../src/core/sessions/sessionLookupError';
import { errorOf } from './support/documents';
import { FakeHost, FakeStream } from './support/fakeHost';
import { echoCommand } from './support/testCommands';

/** These commands use no memory; what matters is that it is opened once and closed always. */
class MemoryDoor {
  opened = 0;
  disposed = 0;
  readonly open = () => {
    this.opened++;
    return {
      memory: memoryOf({}),
      dispose: async () => {
        this.disposed++;
      },
    };
  };
}

function failing(error: unknown): Command {
  return echoCommand('fail', {
    run: () => Promise.reject(error instanceof Error ? error : new Error(String(error))),
  });
}

async function run(
  argv: string[],
  options: { commands?: Command[]; host?: ConstructorParameters<typeof FakeHost>[1] } = {},
) {
  const door = new MemoryDoor();
  const host = new FakeHost(door.open, options.host);
  const code = await runCli(argv, options.commands ?? [echoCommand('echo')], host, new AbortController().signal);
  return { code, out: host.stdout.text, err: host.stderr.text, door };
}

describe('a run of the command line', () => {
  it('prints text for people, and closes the memory', async () => {
    const { code, out, err, door } = await run(['echo', 'abcd']);
    assert.deepEqual({ code, out, err }, { code: exitCodes.done, out: 'session: abcd\n', err: '' });
    assert.deepEqual([door.opened, door.disposed], [1, 1]);
  });

  it('prints exactly one JSON document with --json', async () => {
    const { out } = await run(['echo', 'abcd', '--json', '--from', '2']);
    assert.equal(out.split('\n').length, 2);
    assert.deepEqual(JSON.parse(out), { session: 'abcd', from: 2, all: false });
  });

  it('tells in one line that the answer could not be written', async () => {
    for (const argv of [
      ['echo', 'abcd'],
      ['echo', 'abcd', '--json'],
    ]) {
      const stdout = new FakeStream({ failure: new CliFailure('answer-not-written', 'ENOSPC') });
      const { code, err } = await run(argv, { host: { stdout } });
      assert.equal(code, exitCodes.failure);
      assert.match(err, /^keepit: The answer could not be written \(ENOSPC\)\. .*\n$/);
    }
  });

  it('tells an expected failure in one line, without a stack', async () => {
    const commands = [failing(new SessionLookupError('not-found', 'abcd'))];
    const { code, out, err, door } = await run(['fail'], { commands });
    assert.equal(code, exitCodes.failure);
    assert.equal(out, '');
    assert.match(err, /^keepit: There is no session "abcd"\. .*\n$/);
    assert.equal(door.disposed, 1);
  });

  it('tells an expected failure as a document with --json', async () => {
    const commands = [failing(new SessionLookupError('too-short', 'ab'))];
    const { code, out, err } = await run(['fail', '--json'], { commands });
    assert.equal(code, exitCodes.failure);
    assert.equal(err, '');
    assert.equal(errorOf(out).code, 'session-too-short');
  });

  it('prints the answer and the failure when only a part could be done', async () => {
    const part = echoCommand('part', {
      run: async () => ({ done: [1] }),
      text: () => 'done: 1',
      failure: () => new CliFailure('partly-failed', '1 session'),
    });
    const json = await run(['part', '--json'], { commands: [part] });
    assert.equal(json.code, exitCodes.failure);
    assert.match(json.out, /^\{"done":\[1\],/);
    assert.equal(errorOf(json.out).code, 'partly-failed');
    const text = await run(['part'], { commands: [part] });
    assert.equal(text.out, 'done: 1\n');
    assert.match(text.err, /^keepit: 1 session could not be done\./);
  });

  it('ends with 2 for wrong usage, and opens no memory for it', async () => {
    const { code, out, err, door } = await run(['ecko']);
    assert.equal(code, exitCodes.usage);
    assert.equal(out, '');
    assert.match(err, /There is no command "ecko"\. Did you mean `echo`\?/);
    assert.equal(err.trimEnd().split('\n').length, 1);
    assert.equal(door.opened, 0);
    const asJson = await run(['ecko', '--json']);
    assert.equal(asJson.code, exitCodes.usage);
    assert.match(asJson.out, /^\{"error":\{"code":"usage",/);
  });

  it('ends with 2 for a value that an option cannot have', async () => {
    for (const value of ['x', '-1', '1.5', '1e3', '99999999999999999999']) {
      const { code, err } = await run(['echo', 'abcd', `--from=${value}`]);
      assert.equal(code, exitCodes.usage);
      assert.ok(err.startsWith(`keepit: --from takes a whole number from 0, not "${value}".`), err);
    }
  });

  it('tells what a command has found out as fields and tables, where nothing else is said', async () => {
    const found = {
      writtenAt: 'today',
      isWhole: true,
      notes: [{ name: 'a', tokens: 1200 }, { name: 'bcd' }],
      left: ['x'],
    };
    const plain = command({ name: 'plain', group: 'Sessions', summary: '', examples: [], run: async () => found });
    assert.equal(
      (await run(['plain'], { commands: [plain] })).out,
      [
        'Written at  today',
        'Is whole    yes',
        'Notes',
        '  Name  Tokens',
        '  a      1,200',
        '  bcd',
        'Left',
        '  x',
        '',
      ].join('\n'),
    );
  });

  it('shows the help on stdout when it was asked for, else on stderr', async () => {
    const asked = await run(['--help']);
    assert.equal(asked.code, exitCodes.done);
    assert.match(asked.out, /Usage: keepit <command>/);
    const nothing = await run([]);
    assert.equal(nothing.code, exitCodes.usage);
    assert.equal(nothing.out, '');
    assert.match(nothing.err, /Usage: keepit <command>/);
  });

  it('shows the version', async () => {
    assert.deepEqual((await run(['--version'])).out, '1.2.3\n');
  });

  it('shows the stack of a bug, and its cause, on stderr and exits with 70', async () => {
    const bug = new TypeError('x is undefined', { cause: new Error('the reason') });
    const { code, err, out } = await run(['fail', '--json'], { commands: [failing(bug)] });
    assert.equal(code, exitCodes.bug);
    assert.match(err, /this is a bug/);
    assert.match(err, /TypeError: x is undefined\n +at /);
    assert.match(err, /caused by: Error: the reason/);
    assert.equal(errorOf(out).code, 'bug');
  });

  it('exits with 130 when it was interrupted, and says nothing on stdout', async () => {
    const { code, out, err, door } = await run(['fail'], {
      commands: [failing(new DOMException('stop', 'AbortError'))],
    });
    assert.equal(code, exitCodes.interrupted);
    assert.equal(out, '');
    assert.match(err, /interrupted/);
    assert.equal(door.disposed, 1);
  });

  it('is quiet when nobody reads its output any more', async () => {
    const host = { stdout: new FakeStream({ isBroken: true }) };
    const { code, err } = await run(['echo'], { host });
    assert.deepEqual({ code, err }, { code: exitCodes.done, err: '' });
    const failed = await run(['fail', '--json'], {
      host,
      commands: [failing(new SessionLookupError('too-short', 'ab'))],
    });
    assert.equal(failed.err, '');
  });

  it('does its work when nobody reads stderr', async () => {
    const working = echoCommand('work', {
      run: async (_input, context) => {
        context.onProgress({ step: 'register', done: 1, total: 2 });
        return {};
      },
      text: () => 'done',
    });
    const host = { stderr: new FakeStream({ isTty: true, isBroken: true }) };
    assert.equal((await run(['work'], { commands: [working], host })).out, 'done\n');
  });

  it('paints for a terminal only, and indents JSON for one only', async () => {
    const terminal = { stdout: new FakeStream({ isTty: true }) };
    assert.equal((await run(['echo'], { host: terminal })).out.includes('\u001b[32m'), true);
    const plain = { stdout: new FakeStream({ isTty: true }) };
    assert.equal((await run(['echo', '--no-color'], { host: plain })).out.includes('\u001b'), false);
    const forced = { env: { FORCE_COLOR: '1' } };
    assert.equal((await run(['echo'], { host: forced })).out.includes('\u001b[32m'), true);
    const json = { stdout: new FakeStream({ isTty: true }) };
    assert.match((await run(['echo', '--json'], { host: json })).out, /^\{\n {2}"all"/);
  });

  it('asks a person only where there is one, and never with --json', async () => {
    const asking = echoCommand('ask', {
      run: async (_input, context) => {
        return { answer: (await context.confirm?.('Sure?')) ?? 'not asked' };
      },
      text: (result) => Object.values(result).map(String),
    });
    const ask = async () => ' Yes ';
    assert.equal((await run(['ask'], { commands: [asking], host: { ask } })).out, 'true\n');
    assert.equal((await run(['ask'], { commands: [asking] })).out, 'not asked\n');
    const json = await run(['ask', '--json'], { commands: [asking], host: { ask } });
    assert.deepEqual(JSON.parse(json.out), { answer: 'not asked' });
  });
});
