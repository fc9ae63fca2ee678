import { strict as assert } from 'node:assert';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const projectId = '-home-ada-src-app';
const [first, second] = ['11111111-aaaa', '22222222-bbbb'] as const;
const one = { projectId, sessionId: first };
const two = { projectId, sessionId: second };

function sessionOne(): TranscriptBuilder {
  return new TranscriptBuilder(first)
    .human('We decided to use Redis for the session cache because it is fast. Always write tests for the parser.')
    .assistant('The root cause was that the tokenizer dropped the last line of every file.');
}

function sessionTwo(): TranscriptBuilder {
  return new TranscriptBuilder(second)
    .human('We decided to use Postgres for the session cache instead of Redis.')
    .assistant('Done: the session cache of the importer is stored in Postgres now.');
}

async function memory(): Promise<FakeMemory> {
  const fake = new FakeMemory();
  fake.claude.write(`${projectId}/${first}.jsonl`, sessionOne());
  fake.claude.write(`${projectId}/${second}.jsonl`, sessionTwo());
  await fake.service.layers.enable(projectId, {});
  await fake.service.notebook.summarize(one);
  return fake;
}

describe('a synthesis that was looked at first', () => {
  const notesOf = (fake: FakeMemory) => fake.layerStore.texts({ projectId, room: 'notebook' });

  it('writes what was shown, byte for byte, however late', async () => {
    const fake = await memory();
    const { notebook } = fake.service;
    const { result, plan } = await notebook.propose(projectId);
    assert.ok(plan);
    assert.equal(notesOf(fake).has('master.md'), false);
    fake.clock.set('2026-01-20T15:00:00Z');
    fake.look = { docs: [], manifests: [], missing: [], commits: [{ date: '2026-01-20', subject: 'Meanwhile' }] };
    await notebook.apply(projectId, plan);
    assert.equal(notesOf(fake).get('master.md'), result.after);
    assert.deepEqual((await notebook.recall(projectId)).newSources, []);
  });

  it('is the same as one that was not', async () => {
    const shown = await memory();
    const { plan } = await shown.service.notebook.propose(projectId);
    assert.ok(plan);
    await shown.service.notebook.apply(projectId, plan);
    const straight = await memory();
    await straight.service.notebook.synthesize(projectId);
    assert.deepEqual(notesOf(shown), notesOf(straight));
  });

  it('is refused when a summary has come, or one has changed, or somebody wrote into the note', async () => {
    const changes: ((fake: FakeMemory) => unknown)[] = [
      (fake) => fake.service.notebook.summarize(two),
      (fake) => notesOf(fake).set(`conversations/${first}.md`, '# Mine\n'),
      (fake) => notesOf(fake).set('master.md', 'Mine.\n'),
      (fake) => fake.service.notebook.synthesize(projectId),
    ];
    for (const change of changes) {
      const fake = await memory();
      const { plan } = await fake.service.notebook.propose(projectId);
      assert.ok(plan);
      await change(fake);
      const before = new Map(notesOf(fake));
      await assert.rejects(fake.service.notebook.apply(projectId, plan), { reason: 'changed' });
      assert.deepEqual(notesOf(fake), before);
    }
  });

  it('has no plan when nothing is new', async () => {
    const fake = await memory();
    await fake.service.notebook.synthesize(projectId);
    const { result, plan } = await fake.service.notebook.propose(projectId);
    assert.deepEqual([result.outcome, plan], ['unchanged', undefined]);
  });
});

describe('what was written into a notebook', () => {
  const notesOf = (fake: FakeMemory) => fake.layerStore.texts({ projectId, room: 'notebook' });

  it('is taken back to the byte, and known of as before', async () => {
    const fake = await memory();
    const { notebook } = fake.service;
    notesOf(fake).set('master.md', 'Mine, from long ago.\n');
    const before = new Map(notesOf(fake));
    const { plan } = await notebook.propose(projectId, { maxTokens: 40 });
    assert.ok(plan);
    const undo = await notebook.apply(projectId, plan);
    assert.equal(notesOf(fake).has('archive/master.md'), true);
    await notebook.undo(projectId, [undo]);
    assert.deepEqual(notesOf(fake), before);
    assert.equal((await notebook.propose(projectId, { maxTokens: 40 })).result.after, plan.drafts.at(-1)?.change.after);
  });

  it('is gone when it is taken back and was not there before, of several sessions at once', async () => {
    const fake = await memory();
    const { notebook } = fake.service;
    const before = new Map(notesOf(fake));
    fake.claude.write(`${projectId}/${first}.jsonl`, sessionOne().human('Never commit to main.').assistant('Noted.'));
    const results = [await notebook.summarize(one), await notebook.summarize(two)];
    const undos = results.map(({ undo }) => undo ?? assert.fail('nothing was written'));
    await notebook.undo(projectId, undos);
    assert.deepEqual(notesOf(fake), before);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['updated', 'created'],
    );
  });

  it('is not to be taken back when nothing was written', async () => {
    const fake = await memory();
    assert.equal((await fake.service.notebook.summarize(one)).undo, undefined);
    assert.equal((await fake.service.notebook.summarize(two, { isPreview: true })).undo, undefined);
  });

  it('stays, all of it, when a person has changed one of the notes since', async () => {
    const fake = await memory();
    const { notebook } = fake.service;
    const { undo: own } = await notebook.summarize(two);
    const { plan } = await notebook.propose(projectId);
    assert.ok(plan && own);
    const undo = await notebook.apply(projectId, plan);
    const name = `conversations/${second}.md`;
    notesOf(fake).set(name, `${notesOf(fake).get(name) ?? ''}Mine.\n`);
    const before = new Map(notesOf(fake));
    await assert.rejects(notebook.undo(projectId, [undo, own]), { reason: 'changed-since', message: /22222222-bbbb/ });
    assert.deepEqual(notesOf(fake), before);
  });

  it('is known of rightly, wherever taking it back is interrupted', async () => {
    const fake = await memory();
    const { notebook } = fake.service;
    const notes = notesOf(fake);
    const note = `conversations/${first}.md`;
    const old = notes.get(note) ?? '';
    fake.claude.write(`${projectId}/${first}.jsonl`, sessionOne().human('Never commit to main.').assistant('Noted.'));
    const { undo, after } = await notebook.summarize(one);
    assert.ok(undo);
    const states: Map<string, string>[] = [];
    const set = notes.set.bind(notes);
    notes.set = (name, text) => {
      const now = set(name, text);
      states.push(new Map(now));
      return now;
    };
    await notebook.undo(projectId, [undo]);
    notes.set = set;
    assert.equal(notes.get(note), old);
    assert.equal(states.length, 3);
    for (const state of states) {
      notes.clear();
      for (const [name, text] of state) set(name, text);
      assert.equal((await notebook.summarize(one)).after, after);
    }
  });
});
