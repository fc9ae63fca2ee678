import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';
import { errorOf } from '../../unit/cli/support/documents';

const PROJECT = '-tmp-notebook-app';
const SESSION = 'abcd1234-1111-4111-8111-111111111111';

const changeSchema = z.looseObject({ file: z.string(), outcome: z.string(), isWritten: z.boolean() });

describe('the notebook with the built command line', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: CliHome;
  let project: string;
  beforeEach(async () => {
    home = await CliHome.make(program);
    project = path.join(home.dir, 'app');
    await mkdir(path.join(project, '.git', 'info'), { recursive: true });
    await mkdir(path.dirname(home.transcript(PROJECT, SESSION)), { recursive: true });
    const transcript = new TranscriptBuilder(SESSION, project)
      .human('We decided to use Postgres for the session cache because it is durable.')
      .assistant('The root cause was that the tokenizer dropped the last line of every file.');
    await writeFile(home.transcript(PROJECT, SESSION), transcript.toString());
  });
  afterEach(() => home.dispose());

  const call = async (...args: string[]) => home.run([...args, '--project', PROJECT, '--json']);

  async function changed(...args: string[]): Promise<z.output<typeof changeSchema>> {
    const { code, stdout, stderr } = await call(...args);
    assert.equal(code, 0, stdout + stderr);
    return z.parse(changeSchema, JSON.parse(stdout));
  }

  it('writes nothing before it was enabled, then summarizes, synthesizes and recalls', async () => {
    assert.equal(errorOf((await call('summarize', 'abcd')).stdout).code, 'layers-not-enabled');
    assert.deepEqual(await readdir(project), ['.git']);
    assert.equal((await call('layers', 'enable')).code, 0);
    assert.equal((await changed('summarize', 'abcd', '--dry-run')).isWritten, false);
    const { file } = await changed('summarize', 'abcd');
    assert.equal(file, path.join(project, '_memory', 'conversations', `${SESSION}.md`));
    assert.equal((await changed('synthesize')).outcome, 'created');
    assert.equal((await changed('synthesize')).outcome, 'unchanged');
    const recalled = await home.run(['recall', '--project', PROJECT]);
    assert.equal(recalled.stdout, await readFile(path.join(project, '_memory', 'master.md'), 'utf8'));
    const exclude = await readFile(path.join(project, '.git', 'info', 'exclude'), 'utf8');
    assert.equal(exclude.includes('/_memory/'), true);
    assert.equal((await call('layers', 'disable')).code, 0);
    const after = await readFile(path.join(project, '.git', 'info', 'exclude'), 'utf8');
    assert.equal(after.includes('/_memory/'), false);
  });

  it('leaves whole notes and goes on, wherever it is killed', async () => {
    assert.equal((await call('layers', 'enable')).code, 0);
    const file = path.join(project, '_memory', 'conversations', `${SESSION}.md`);
    const mine = '- Mine, and nobody else’s.';
    await changed('summarize', 'abcd');
    await writeFile(file, (await readFile(file, 'utf8')).replace('- **Decision:**', `${mine}\n- **Decision:**`));
    let transcript = await readFile(home.transcript(PROJECT, SESSION), 'utf8');
    for (let round = 0; round < 6; round++) {
      const more = new TranscriptBuilder(`${SESSION}-${round}`, project).human(
        `Never touch module number ${round} again.`,
      );
      transcript += more.toString();
      await writeFile(home.transcript(PROJECT, SESSION), transcript);
      await home.run(['summarize', 'abcd', '--project', PROJECT], {
        during: (child) => void sleep(120 + 60 * round).then(() => child.kill('SIGKILL')),
      });
      const note = await readFile(file, 'utf8');
      assert.equal(note.includes(mine) && note.trimEnd().endsWith('messages*'), true, note);
    }
    await changed('summarize', 'abcd');
    const note = await readFile(file, 'utf8');
    assert.equal(note.split(mine).length, 2);
    assert.equal((await changed('summarize', 'abcd')).outcome, 'unchanged');
    assert.equal((await readFile(file, 'utf8')).includes('*Session'), true);
  });

  it('exports into a new file, or one that says the same, and takes in what it exported', async () => {
    assert.equal((await call('layers', 'enable')).code, 0);
    const out = path.join(home.dir, 'notes.json');
    assert.equal((await call('notebook', 'export', '--out', out)).code, 0);
    await changed('summarize', 'abcd');
    assert.equal(errorOf((await call('notebook', 'export', '--out', out)).stdout).code, 'file-exists');
    await rm(out);
    for (let n = 0; n < 2; n++) assert.equal((await call('notebook', 'export', '--out', out)).code, 0);
    const imported = await call('notebook', 'import', out);
    assert.deepEqual(JSON.parse(imported.stdout), {
      added: [],
      unchanged: [`conversations/${SESSION}.md`],
      kept: [],
      replaced: [],
    });
  });

  it('keeps a rolling memory, also when it is killed again and again', async () => {
    assert.equal((await call('layers', 'enable')).code, 0);
    const file = path.join(project, '.claude', 'memory', 'memory.md');
    for (let round = 0; round < 5; round++) {
      await home.run(['memory', 'final', 'abcd', '--project', PROJECT], {
        during: (child) => void sleep(150 + 50 * round).then(() => child.kill('SIGKILL')),
      });
    }
    assert.equal((await call('memory', 'final', 'abcd')).code, 0);
    assert.equal((await readFile(file, 'utf8')).split('- **Decision:** We decided to use Postgres').length, 2);
    assert.equal((await call('memory', 'set', 'project', '--text', 'A ledger.')).code, 0);
    assert.equal((await home.run(['memory', 'get', 'project.md', '--project', PROJECT])).stdout, 'A ledger.\n');
    const listedSchema = z.looseObject({ files: z.array(z.looseObject({ name: z.string() })) });
    const { files } = z.parse(listedSchema, JSON.parse((await call('memory', 'list')).stdout));
    assert.deepEqual(
      files.map(({ name }) => name),
      ['memory.md', 'project.md'],
    );
    assert.equal((await call('memory', 'get', '../../../x')).code, 2);
  });
});
