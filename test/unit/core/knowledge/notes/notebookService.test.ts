import { strict as assert } from 'node:assert';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const projectId = '-home-ada-src-app';
const [first, second] = ['11111111-aaaa', '22222222-bbbb'] as const;
const key = `ghp_${'a1B2'.repeat(9)}`;

function sessionOne(): TranscriptBuilder {
  return new TranscriptBuilder(first)
    .human(
      'We decided to use Redis for the session cache because it is fast. Always write tests for the parser module. ' +
        'Why did the importer lose lines?',
    )
    .assistant('The root cause was that the tokenizer dropped the last line of every file.')
    .human(`My token is ${key}. <private>Nobody is to know of the merger.</private> Please continue with the importer.`)
    .result('ok', { name: 'Edit', input: { file_path: '/home/ada/src/app/src/importer.ts' } })
    .assistant('Fixed the importer: all 12 tests pass. Should the exporter module be rewritten as well?');
}

async function memory(): Promise<FakeMemory> {
  const fake = new FakeMemory();
  fake.claude.write(`${projectId}/${first}.jsonl`, sessionOne());
  fake.claude.write(
    `${projectId}/${second}.jsonl`,
    new TranscriptBuilder(second)
      .human('We decided to use Postgres for the session cache instead of Redis.')
      .assistant('Done: the session cache of the importer is stored in Postgres now.'),
  );
  await fake.service.layers.enable(projectId, {});
  return fake;
}

const one = { projectId, sessionId: first };
const two = { projectId, sessionId: second };

describe('NotebookService', () => {
  const notesOf = (fake: FakeMemory) => fake.layerStore.texts({ projectId, room: 'notebook' });

  it('writes nothing before the project was enabled', async () => {
    const fake = new FakeMemory();
    fake.claude.write(`${projectId}/${first}.jsonl`, sessionOne());
    await assert.rejects(fake.service.notebook.summarize(one), { reason: 'not-enabled' });
    assert.equal(notesOf(fake).size, 0);
  });

  it('summarizes what was decided, laid down, found out and mended, and what is open', async () => {
    const fake = await memory();
    const { outcome, after } = await fake.service.notebook.summarize(one);
    assert.equal(outcome, 'created');
    for (const text of [
      '## Context',
      '- **Decision:** We decided to use Redis for the session cache because it is fast.',
      '- **Rule:** Always write tests for the parser module.',
      '- **Discovery:** The root cause was that the tokenizer dropped the last line of every file.',
      '- **Status:** Fixed the importer: all 12 tests pass.',
      '- **Question:** Should the exporter module be rewritten as well?',
    ]) {
      assert.equal(after.includes(text), true, `${text} in ${after}`);
    }
  });

  it('writes neither secrets nor what is private', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one);
    const all = [...notesOf(fake).values()].join('\n');
    assert.equal(all.includes(key), false);
    assert.equal(all.includes('merger'), false);
  });

  it('brings the same file up to date, and leaves what a person wrote', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one);
    const name = `conversations/${first}.md`;
    const notes = notesOf(fake);
    notes.set(name, (notes.get(name) ?? '').replace('- **Rule:**', '- Ask Bob first.\n- **Rule:** (mine)'));
    fake.claude.write(
      `${projectId}/${first}.jsonl`,
      sessionOne().human('Never commit to the main branch of this repository.').assistant('Understood.'),
    );
    const { outcome, after, hunks } = await fake.service.notebook.summarize(one);
    assert.equal(outcome, 'updated');
    assert.equal([...notes.keys()].filter((known) => known.endsWith('.md')).length, 1);
    assert.equal(after.includes('- Ask Bob first.\n- **Rule:** (mine) Always write tests'), true, after);
    assert.equal(after.includes('Never commit to the main branch'), true, after);
    assert.equal(
      hunks.some(({ lines }) => lines.some((line) => line.startsWith('+'))),
      true,
    );
    assert.equal((await fake.service.notebook.summarize(one)).outcome, 'unchanged');
  });

  it('puts all summaries together, with what changed, and compares them with the project', async () => {
    const fake = await memory();
    fake.look = {
      docs: [{ file: 'README.md', text: '# App\n\nImports ledgers.' }],
      manifests: [{ file: 'package.json', text: '{"dependencies":{"redis":"5"}}' }],
      missing: [],
      commits: [{ date: '2026-01-18', subject: 'Store the cache in Postgres' }],
    };
    await fake.service.notebook.summarize(one);
    await fake.service.notebook.summarize(two);
    const { outcome, after, newSources } = await fake.service.notebook.synthesize(projectId);
    assert.equal(outcome, 'created');
    assert.equal(newSources.length, 2);
    for (const text of [
      '# Project Memory',
      '- We decided to use Postgres for the session cache instead of Redis. (2026-01-15)',
      '“We decided to use Redis for the session cache because it is fast” (2026-01-15) → “We decided to use Postgres',
      'but package.json still lists `redis`',
      'Store the cache in Postgres',
      '- `README.md`: App — Imports ledgers.',
      '- **Question:** Should the exporter module be rewritten as well?',
      '*Last synthesized: 2026-01-20T12:00:00.000Z*',
      '*Source: 2 conversations, 1 doc, 1 commit*',
    ]) {
      assert.equal(after.includes(text), true, `${text} in ${after}`);
    }
    assert.equal((await fake.service.notebook.synthesize(projectId)).outcome, 'unchanged');
    const recalled = await fake.service.notebook.recall(projectId);
    assert.equal(recalled.text, after);
    assert.deepEqual(recalled.newSources, []);
  });

  it('shows what a synthesis would change without writing it', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one);
    const shown = await fake.service.notebook.synthesize(projectId, { isPreview: true });
    assert.equal(shown.hunks.length, 1);
    await assert.rejects(fake.service.notebook.recall(projectId), { reason: 'no-master' });
  });

  it('lets go of the oldest points above a size, into the archive, and of nothing that a person wrote', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one);
    await fake.service.notebook.summarize(two);
    const whole = await fake.service.notebook.synthesize(projectId);
    const notes = notesOf(fake);
    notes.set('master.md', `${whole.after}\nMine.\n`);
    const small = await fake.service.notebook.synthesize(projectId, { maxTokens: whole.tokens - 200 });
    assert.equal(small.pruned > 0, true);
    assert.equal(small.tokens <= whole.tokens - 200, true);
    assert.equal(small.after.includes('Mine.'), true);
    const everything = small.after + (notes.get('archive/master.md') ?? '');
    const lines = whole.after.split('\n').filter((line) => line.startsWith('- '));
    for (const line of lines) assert.equal(everything.includes(line), true, line);
  });

  it('keeps scopes apart', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one, { scope: 'frontend' });
    await assert.rejects(fake.service.notebook.synthesize(projectId), { reason: 'no-summaries' });
    const { name } = await fake.service.notebook.synthesize(projectId, { scope: 'frontend' });
    assert.equal(name, 'frontend/master.md');
    for (const scope of ['conversations', '../x', '.git']) {
      await assert.rejects(fake.service.notebook.recall(projectId, { scope }), { reason: 'bad-scope' });
    }
  });

  it('goes on with a damaged state as if all words were a person’s, and keeps what was damaged', async () => {
    const fake = await memory();
    const { after } = await fake.service.notebook.summarize(one);
    const notes = notesOf(fake);
    notes.set('notebook.json', '{');
    assert.equal((await fake.service.notebook.summarize(one)).after, after);
    assert.equal(notes.get('notebook.json.corrupt'), '{');
  });

  it('knows its own words also when it was killed between two writes', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one);
    const notes = notesOf(fake);
    const before = new Map(notes);
    const grown = sessionOne().human('Never commit to the main branch of this repository.').assistant('Understood.');
    fake.claude.write(`${projectId}/${first}.jsonl`, grown);
    const states: Map<string, string>[] = [];
    const set = notes.set.bind(notes);
    notes.set = (name, text) => {
      const now = set(name, text);
      states.push(new Map(now));
      return now;
    };
    const { after } = await fake.service.notebook.summarize(one);
    notes.set = set;
    assert.equal(states.length, 3);
    for (const state of [before, ...states]) {
      notes.clear();
      for (const [name, text] of state) set(name, text);
      assert.equal((await fake.service.notebook.summarize(one)).after, after);
    }
  });

  it('exports all notes, and takes them in elsewhere without overwriting anything', async () => {
    const fake = await memory();
    await fake.service.notebook.summarize(one);
    await fake.service.notebook.summarize(two, { scope: 'frontend' });
    await fake.service.notebook.synthesize(projectId);
    const archive = await fake.service.notebook.export(projectId);
    const other = await memory();
    const result = await other.service.notebook.import(projectId, archive);
    const added = ['master.md', `conversations/${first}.md`, `frontend/conversations/${second}.md`];
    assert.deepEqual(result.added, added);
    assert.equal((await other.service.notebook.summarize(one)).outcome, 'unchanged');
    notesOf(other).set('master.md', 'Mine.\n');
    await assert.rejects(other.service.notebook.import(projectId, archive), { reason: 'differs' });
    assert.deepEqual((await other.service.notebook.import(projectId, archive, 'merge')).kept, ['master.md']);
    const { replaced } = await other.service.notebook.import(projectId, archive, 'replace');
    assert.equal(notesOf(other).get(replaced[0]?.archivedAs ?? ''), 'Mine.\n');
    await assert.rejects(other.service.notebook.import(projectId, archive.replace('Redis', 'Valkey')), {
      reason: 'damaged-archive',
    });
    const escaping = archive.replace('"name": "master.md"', '"name": "../master.md"');
    await assert.rejects(other.service.notebook.import(projectId, escaping), { reason: 'not-an-archive' });
  });
});
