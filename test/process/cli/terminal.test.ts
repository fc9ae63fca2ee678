import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';
import { hasTerminals, onTerminal } from '../support/terminal';

const PROJECT = '-tmp-terminal-app';
const SESSION = 'abcd1234-1111-4111-8111-111111111111';
const ESC = '\u001b';
/** Sets a title, moves the cursor, colours by ESC and by C1, deletes, turns the direction, and hides. */
const HOSTILE = `${ESC}]0;owned\u0007${ESC}[2J${ESC}[31mred \u009b31m \u007f \u202egnp.exe\u202c \u2066x\u2069 \u200b`;
/** What this program itself may write: its colours, clearing its line of progress, and what a question needs. */
const OWN = new RegExp(`${ESC}\\[(?:1|2|22|3[1236]|39)m|\\r${ESC}\\[K|${ESC}\\[\\d*G|${ESC}\\[0J`, 'g');
const CONTROLS = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const uuidSchema = z.looseObject({ messages: z.array(z.looseObject({ uuid: z.string() })) });
const versionsSchema = z.looseObject({ versions: z.array(z.looseObject({ versionId: z.string() })) });
const factsSchema = z.looseObject({ facts: z.array(z.looseObject({ id: z.string() })) });

/** Commands that print what was given to them, or what was found by it. */
const OTHERS: readonly (readonly string[])[] = [
  ...[['brief'], ['suggest'], ['suggest', '--topic', `cache${HOSTILE}`], ['links'], ['never'], ['memory', 'get']],
  ...[
    ['resume', 'abcd', '--print'],
    ['link', 'add', 'abcd', '--to', PROJECT, '--reason', HOSTILE],
    ['search', `Postgres${HOSTILE}`, '--kind', 'exchange', '--kind', 'message', '--topic', HOSTILE],
    ['composition', 'diff', 'one', 'one'],
    ['erase', '--text', 'tokenizer', '--dry-run'],
    ['never', 'add', `abcd${HOSTILE}`],
    ['auto-decay', '--dry-run'],
    ['synthesize', '--dry-run', '--full'],
    ['export', '-o', `one${HOSTILE}.tar`],
    ['import', `one${HOSTILE}.tar`, '--dry-run'],
    ['compose', '--name', `two${HOSTILE}`, '--budget', '4000', '--session', 'abcd'],
  ],
];

describe('the built command line on a terminal', function () {
  this.timeout(300_000);
  const program = useProgram();
  let home: CliHome;

  before(async function () {
    if (!hasTerminals()) this.skip(); // python3 makes the terminal
  });
  beforeEach(async () => {
    home = await CliHome.make(program);
    const project = path.join(home.dir, 'app');
    await mkdir(project);
    await mkdir(path.dirname(home.transcript(PROJECT, SESSION)), { recursive: true });
    const said = new TranscriptBuilder(SESSION, project)
      .human(`Always use Postgres for ${HOSTILE} the cache. We decided that. ##keepit0.90##`)
      .assistant(`The root cause ${HOSTILE} was that the tokenizer dropped the last line.`)
      .toString();
    const [first = '{}', ...rest] = said.split('\n');
    const hostile = { ...z.parse(z.looseObject({}), JSON.parse(first)), gitBranch: `main${HOSTILE}` };
    const strange = { type: `strange${HOSTILE}`, sessionId: SESSION };
    const title = { type: 'custom-title', customTitle: `Title ${HOSTILE}`, sessionId: SESSION };
    const lines = [JSON.stringify(hostile), ...rest.filter((line) => line !== '')];
    const text = [...lines, JSON.stringify(strange), JSON.stringify(title), `{"torn${HOSTILE}`, ''].join('\n');
    await writeFile(home.transcript(PROJECT, SESSION), text);
  });
  afterEach(() => home.dispose());

  async function ask<Schema extends z.core.$ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> {
    const { stdout, stderr } = await home.run([...args, '--project', PROJECT, '--json']);
    assert.equal(stderr, '', args.join(' '));
    return z.parse(schema, JSON.parse(stdout));
  }

  async function screenOf(args: readonly string[], typed?: string): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      HOME: home.dir,
      CLAUDE_CONFIG_DIR: home.claudeDir,
      CLAUDE_MEMORY_DIR: home.memoryDir,
      TERM: 'xterm-256color',
    };
    const command = [process.execPath, program.file, ...args];
    const { code, screen } = await onTerminal(command, { cwd: home.cwd, env, ...(typed !== undefined && { typed }) });
    assert.notEqual(code, 70, `${args.join(' ')}: ${screen}`);
    return screen.replace(OWN, '').replace(/\r+\n/g, '\n');
  }

  it('gets no control character of a transcript or a stored document from any command', async () => {
    const ran = async (...args: string[]) => {
      const { code, stdout, stderr } = await home.run([...args, '--project', PROJECT]);
      assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    };
    const before = [['discover'], ['show', 'abcd'], ['messages', 'abcd'], ['keepits', 'abcd'], ['register', '--all']];
    for (const args of before) await isClean(args);
    await ran('compress', 'abcd', '--mode', 'uniform', '--ratio', '2');
    await ran('compose', '--name', 'one', '--budget', '4000', '--session', 'abcd');
    await ran('layers', 'enable', '--location', 'home');
    await ran('layers', 'build');
    await ran('summarize', 'abcd');
    await ran('synthesize');
    await spoil();
    const [version] = (await ask(versionsSchema, 'versions', 'abcd')).versions;
    const [message] = (await ask(uuidSchema, 'messages', 'abcd')).messages;
    const { facts } = await ask(factsSchema, 'facts', '--all');
    const id = version?.versionId ?? '';
    const commands = [
      ...[['discover'], ['show', 'abcd'], ['messages', 'abcd'], ['sessions'], ['keepits', 'abcd'], ['keepits']],
      ['decay', 'abcd', '--ratio', '30', '--level', 'aggressive'],
      ...[
        ['versions', 'abcd'],
        ['version', 'show', 'abcd', id],
        ['diff', 'abcd', 'original', id, '--full'],
      ],
      ['version', 'show', 'abcd', id, '--format', 'jsonl'],
      ...[['compositions'], ['composition', 'show', 'one'], ['composition', 'show', 'one', '--text']],
      ['deliver', 'one', '--to', 'stdout'],
      ...['l1', 'l2', 'l3', 'l4'].map((layer) => ['layers', 'show', layer]),
      ...[
        ['layers'],
        ['facts', '--all'],
        ['recall'],
        ['memory', 'list'],
        ['search', 'Postgres'],
        ['search', 'tokenizer'],
      ],
      ...[['stats'], ['doctor'], ['ledger'], ['trash'], ['config', 'list']],
      ...facts.slice(0, 1).map((fact) => ['fact', 'confirm', fact.id]),
      ['keepit', 'add', 'abcd', message?.uuid ?? '', '--weight', '0.80', '--start', '0', '--end', '6'],
      ...facts.slice(0, 1).map((fact) => ['fact', 'why', fact.id]),
      ...OTHERS,
      ['show', `abcd${HOSTILE}`],
      [`no-such-${HOSTILE}`],
    ];
    for (const args of commands) await isClean(args);
    for (const args of [
      ['messages', 'abcd'],
      ['show', 'abcd'],
      ['facts', '--all'],
    ])
      await isClean([...args, '--json']);
    await isClean(['clean-up'], 'n\n');
    await isClean(['unregister', 'abcd'], 'n\n');
    await isClean(['sync', '--verbose']);
  });

  it('prints a version to a pipe as it is', async () => {
    assert.equal((await home.run(['register', '--all', '--project', PROJECT])).code, 0);
    await home.run(['compress', 'abcd', '--mode', 'uniform', '--ratio', '2', '--project', PROJECT]);
    const [version] = (await ask(versionsSchema, 'versions', 'abcd')).versions;
    const folder = path.join(home.memoryDir, 'projects', PROJECT, 'summaries', SESSION);
    const file = (await readdir(folder)).find((name) => name.endsWith('.md')) ?? '';
    const text = `${await readFile(path.join(folder, file), 'utf8')}${HOSTILE}\n`;
    await writeFile(path.join(folder, file), text);
    const shown = await home.run(['version', 'show', 'abcd', version?.versionId ?? '', '--project', PROJECT]);
    assert.equal(shown.stdout, text);
  });

  async function isClean(args: readonly string[], typed?: string): Promise<void> {
    const hasProject = !args[0]?.startsWith('no-such') && !['config', 'doctor', 'ledger'].includes(args[0] ?? '');
    const screen = await screenOf(hasProject ? [...args, '--project', PROJECT] : args, typed);
    const found = CONTROLS.exec(screen);
    const around = screen.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 20);
    assert.equal(found, null, `${args.join(' ')}: ${JSON.stringify(around)}`);
  }

  /** What another program, or an older one, may have left in stored texts. */
  async function spoil(): Promise<void> {
    const folder = path.join(home.memoryDir, 'projects', PROJECT);
    const names = await readdir(folder, { recursive: true });
    const texts = names.filter((name) => /\.md$/.test(name));
    assert.ok(texts.length > 0);
    for (const name of texts) {
      const file = path.join(folder, name);
      await writeFile(file, `${await readFile(file, 'utf8')}\nPostgres ${HOSTILE}\n`);
    }
  }
});
