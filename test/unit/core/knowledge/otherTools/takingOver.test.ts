import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { rollingIndexSchema } from '../../../../../src/core/model/rolling';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-game';
const FOLDER = path.resolve('test/fixtures/memory-keeper');

/** The folder of a memory-keeper plugin as it was left, in a project that is enabled: known since long ago, or foreign. */
async function leftFolder(isForeign = false): Promise<{ memory: FakeMemory; files: Map<string, string> }> {
  const memory = new FakeMemory();
  const spoken = new TranscriptBuilder('s1').human('Now update the docs of the save format.').assistant('Done.');
  memory.claude.write(`${PROJECT}/s1.jsonl`, spoken);
  await memory.service.layers.enable(PROJECT);
  const files = isForeign
    ? memory.layerStore.foreign({ projectId: PROJECT })
    : memory.layerStore.texts({ projectId: PROJECT });
  for (const entry of await readdir(FOLDER, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(path.relative(FOLDER, file).split(path.sep).join('/'), await readFile(file, 'utf8'));
  }
  return { memory, files };
}

/** As these plugins append: a heading with the day, and what was done. */
function grownMemory(days: number, subject = 'parser'): string {
  const told = `The ${subject} was rewritten, the tests were repaired and the release was prepared with care. `.repeat(
    40,
  );
  return Array.from(
    { length: days },
    (_, day) => `## 2026-01-${String(day + 1).padStart(2, '0')} 10:00\n${told}\n`,
  ).join('\n');
}

describe('the folder of a memory-keeper plugin', () => {
  it('is read as it is', async () => {
    const { memory, files } = await leftFolder();
    const before = new Map(files);
    const facts = await memory.service.layers.facts(PROJECT);
    assert.deepEqual(facts.map(({ kind, id }) => `${kind} ${id}`).sort(), [
      'core_logic cl001',
      'rules r001',
      'solutions s001',
    ]);
    const index = await memory.service.rolling.index(PROJECT);
    assert.equal(index.deltaCreatedAtMemoryMtime, 1234567890123.456);
    assert.equal(index['pendingDelta'], false);
    assert.match(await memory.service.rolling.get(PROJECT, 'memory_20260113_120000.summary.json'), /bcrypt/);
    assert.deepEqual(files, before);
  });

  it('keeps what Keepit has no field for, and its concepts, when the layers are built beside it', async () => {
    const { memory, files } = await leftFolder();
    const theirs = files.get('concepts.json');
    await memory.service.layers.build(PROJECT);
    const facts: unknown = JSON.parse(files.get('facts.json') ?? '');
    assert.match(JSON.stringify(facts), /"nextRuleId":2.*Store saves in IndexedDB/);
    assert.equal(files.get('archive/concepts.json'), theirs);
  });

  it('gives its decisions, patterns and problems their places, each once', async () => {
    const { memory, files } = await leftFolder();
    const { facts, issues } = await memory.service.rolling.takeOver(PROJECT);
    assert.deepEqual([facts, issues], [4, 2]);
    const shown = await memory.service.layers.facts(PROJECT, { review: true });
    const imported = shown.filter(({ origin }) => origin === 'foreign');
    assert.deepEqual(
      imported.map(({ content }) => content).sort(),
      [
        'Do not build variable names from chatIndex',
        'Use camelCase for variable names',
        'Always keep the AP overflow.',
        imported.find(({ content }) => content.includes('IndexedDB'))?.content,
        imported.find(({ content }) => content.includes('across midnight'))?.content,
      ].sort(),
    );
    assert.ok((await memory.service.layers.facts(PROJECT)).every(({ origin }) => origin === undefined));
    assert.match(
      files.get('memory.md') ?? '',
      /## 2026-01-09, problems in facts\.json\n\n- \*\*Fixed:\*\* REST resets twice\n- \*\*Open:\*\* Saving/,
    );
    assert.equal(rollingIndexSchema.parse(JSON.parse(files.get('memory-index.json') ?? '')).counter, 3);
    const after = new Map(files);
    const again = await memory.service.rolling.takeOver(PROJECT);
    assert.deepEqual([again.facts, again.issues, again.sessions, again.archives, again.moved], [0, 0, [], [], []]);
    assert.deepEqual(files, after);
  });

  it('is not obeyed where it came with the project, before and after it was taken over', async () => {
    const { memory } = await leftFolder(true);
    const { layers, rolling } = memory.service;
    await layers.build(PROJECT);
    assert.deepEqual(await layers.facts(PROJECT), []);
    await assert.rejects(rolling.get(PROJECT, 'memory.md'), { reason: 'not-built' });
    const { sessions, issues } = await rolling.takeOver(PROJECT);
    assert.deepEqual(sessions, ['sessions/2026-01-05_0142.l1.jsonl', 'sessions/2026-01-06_1000.l1.jsonl']);
    assert.equal(issues, 2);
    assert.match(await rolling.get(PROJECT, 'memory.md'), /REST resets twice/);
    assert.deepEqual(await layers.facts(PROJECT), []);
    const proposed = await layers.facts(PROJECT, { review: true });
    assert.ok(proposed.some(({ content }) => content === 'Always keep the AP overflow.'));
    assert.ok(proposed.some(({ content }) => content === 'Use camelCase for variable names'));
    assert.deepEqual([...new Set(proposed.map(({ trust, origin }) => `${trust} ${origin}`))], ['proposed foreign']);
    const again = await rolling.takeOver(PROJECT);
    assert.deepEqual([again.facts, again.issues, again.sessions, again.moved], [0, 0, [], []]);
  });

  it('comes to the same where it was cut short and begun again', async () => {
    const taken = async (writes: number): Promise<{ wasCut: boolean; made: unknown }> => {
      const { memory, files } = await leftFolder();
      memory.layerStore.writesLeft = writes;
      const wasCut = await memory.service.rolling.takeOver(PROJECT).then(
        () => false,
        () => true,
      );
      memory.layerStore.writesLeft = Infinity;
      if (wasCut) await memory.service.rolling.takeOver(PROJECT);
      const content = await memory.service.layers.layer(PROJECT, 'l2');
      const exchanges = content.layer === 'l2' ? content.sessions.flatMap((session) => session.exchanges) : [];
      return { wasCut, made: [exchanges.map(({ summary }) => summary), [...files.keys()].sort()] };
    };
    const { made: whole } = await taken(Infinity);
    for (let writes = 0; ; writes++) {
      const { wasCut, made } = await taken(writes);
      assert.deepEqual(made, whole, `cut after ${writes} writes`);
      if (!wasCut) break;
    }
  });

  it('does not bring back what was forgotten here', async () => {
    const { memory } = await leftFolder();
    await memory.service.rolling.takeOver(PROJECT);
    const proposed = await memory.service.layers.facts(PROJECT, { review: true });
    const [fact] = proposed.filter(({ content }) => content.includes('camelCase'));
    await memory.service.layers.changeFact(PROJECT, fact?.id ?? '', { to: 'forgotten' });
    assert.equal((await memory.service.rolling.takeOver(PROJECT)).facts, 0);
  });

  it('takes in sessions of which only L1 is left, with what their people laid down', async () => {
    const { memory, files } = await leftFolder();
    const l1 = files.get('sessions/2026-01-05_0142.l1.jsonl');
    const { sessions, left } = await memory.service.rolling.takeOver(PROJECT);
    assert.deepEqual(sessions, ['sessions/2026-01-05_0142.l1.jsonl', 'sessions/2026-01-06_1000.l1.jsonl']);
    assert.deepEqual(left, ['archive', 'logs', 'sessions/2025-12-20_0900.md']);
    assert.equal(files.get('sessions/2026-01-05_0142.l1.jsonl'), l1);
    const content = await memory.service.layers.layer(PROJECT, 'l2');
    const exchanges = content.layer === 'l2' ? content.sessions.flatMap((session) => session.exchanges) : [];
    assert.deepEqual(
      exchanges.map(({ id, l1_range: range, files: touched }) => [id, range, touched]),
      [
        ['e001', [1, 5], ['scripts/ui.js']],
        ['e002', [6, 7], []],
        ['e003', [1, 3], ['scripts/state.js']],
      ],
    );
    assert.equal(exchanges[2]?.summary, 'Restructured the AP system');
    const rules = await memory.service.layers.facts(PROJECT, { kind: 'rules', review: true });
    const found = rules.find(({ content: rule }) => rule === 'Always keep the AP overflow.');
    assert.deepEqual([found?.trust, found?.origin, found?.source], ['proposed', 'foreign', undefined]);
  });

  it('moves a session away whose people said nothing that is not known', async () => {
    const { memory, files } = await leftFolder();
    files.delete('concepts.json');
    await memory.service.layers.build(PROJECT);
    files.set(
      'sessions/2026-01-20_1000.l1.jsonl',
      '{"ts":"2026-01-20T10:00:00Z","role":"user","text":"Now update the docs of the save format."}\n',
    );
    const { moved } = await memory.service.rolling.takeOver(PROJECT);
    assert.ok(moved.some(({ to }) => to === 'sessions/archive/2026-01-20_1000.l1.jsonl'));
  });

  it('splits a memory and an archive that have grown too large, without losing a byte, under the days that they tell of', async () => {
    const { memory, files } = await leftFolder();
    const text = grownMemory(31);
    const large = grownMemory(28, 'lexer');
    files.set('memory.md', text);
    files.set('memory_20260214_120000.md', large);
    files.delete('facts.json');
    const { archives } = await memory.service.rolling.takeOver(PROJECT);
    const joined = archives.map((name) => files.get(name)).join('');
    assert.equal(joined, large + text);
    assert.ok(
      archives.every((name) => /^memory_202601\d\d_2359\d\d\.md$/.test(name)),
      archives.join(),
    );
    assert.equal(files.get('archive/memory_20260214_120000.md'), large);
    const index = rollingIndexSchema.parse(JSON.parse(files.get('memory-index.json') ?? ''));
    assert.equal(index.rotatedFiles.length, archives.length + 1);
    assert.ok(archives.every((name) => files.has(name.replace('.md', '.summary.json'))));
  });

  it('writes nothing in a dry run, and says the same', async () => {
    const { memory, files } = await leftFolder();
    files.set('memory.md', grownMemory(31));
    const before = new Map(files);
    const dry = await memory.service.rolling.takeOver(PROJECT, { isDryRun: true });
    assert.deepEqual(files, before);
    assert.deepEqual({ ...(await memory.service.rolling.takeOver(PROJECT)), isDryRun: true }, dry);
  });
});
