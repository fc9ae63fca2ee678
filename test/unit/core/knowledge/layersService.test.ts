import assert from 'node:assert/strict';
import { CONCEPTS_FILE, FACTS_FILE, STATE_FILE } from '../../../../src/core/knowledge/layerDocuments';
import type { Exchange } from '../../../../src/core/model/layers';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';

function rest(): TranscriptBuilder {
  return new TranscriptBuilder('s1')
    .human('Fix the REST button logic')
    .assistant('Fixed. REST button now works once per day.')
    .human('No, it still resets. Never use axios for that.')
    .assistant('Sorry, the reset is gone now.');
}

async function enabled(builder = rest()) {
  const memory = new FakeMemory();
  memory.claude.write(`${PROJECT}/s1.jsonl`, builder);
  await memory.service.layers.enable(PROJECT);
  return { memory, layers: memory.service.layers, files: memory.layerStore.texts({ projectId: PROJECT }) };
}

async function exchangesOf({
  layers,
}: Pick<Awaited<ReturnType<typeof enabled>>, 'layers'>): Promise<readonly Exchange[]> {
  const content = await layers.layer(PROJECT, 'l2');
  return content.layer === 'l2' ? content.sessions.flatMap(({ exchanges }) => exchanges) : [];
}

describe('LayersService', () => {
  it('writes nothing for a project that nobody has enabled', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${PROJECT}/s1.jsonl`, rest());
    await assert.rejects(memory.service.layers.build(PROJECT), { code: 'layers-not-enabled' });
    assert.equal((await memory.service.layers.status(PROJECT)).isEnabled, false);
    assert.equal(memory.layerStore.places.size, 0);
  });

  it('can be disabled again, and says so', async () => {
    const { layers } = await enabled();
    assert.equal((await layers.disable(PROJECT)).isEnabled, false);
    await assert.rejects(layers.facts(PROJECT), { code: 'layers-not-enabled' });
  });

  it('says what stands against a place before anything is written', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${PROJECT}/s1.jsonl`, rest());
    memory.layerStore.problem = 'not-writable';
    await assert.rejects(memory.service.layers.enable(PROJECT), { code: 'layers-not-writable' });
    assert.equal(await memory.store.readManifest(PROJECT), undefined);
  });

  it('builds all four layers', async () => {
    const stage = await enabled();
    const result = await stage.layers.build(PROJECT);
    assert.deepEqual([...stage.files.keys()].sort(), [
      CONCEPTS_FILE,
      FACTS_FILE,
      STATE_FILE,
      'sessions/2026-01-15_1000.l1.jsonl',
      'sessions/2026-01-15_1000.l2.json',
    ]);
    assert.deepEqual([result.exchanges, result.facts.rules], [2, 1]);
    const [first, second] = await exchangesOf(stage);
    assert.deepEqual([first?.id, first?.outcome, first?.l1_range], ['e001', 'corrected', [1, 2]]);
    assert.deepEqual([second?.id, second?.outcome, second?.l1_range], ['e002', 'done', [3, 4]]);
    const [rule] = await stage.layers.facts(PROJECT, { kind: 'rules' });
    assert.equal(rule?.content, 'Never use axios for that.');
    assert.deepEqual([rule.source?.sessionId, rule.source?.messageUuid], ['s1', 's1-2']);
  });

  it('changes no byte when there is nothing new, nor when everything is read again', async () => {
    const { layers, files } = await enabled();
    await layers.build(PROJECT);
    const before = new Map(files);
    assert.equal((await layers.build(PROJECT)).unchanged, 1);
    assert.deepEqual(files, before);
    await layers.build(PROJECT, { full: true });
    assert.deepEqual(JSON.parse(files.get(FACTS_FILE) ?? ''), JSON.parse(before.get(FACTS_FILE) ?? ''));
    assert.deepEqual(files, before);
  });

  it('comes to the same in pieces as in one go', async () => {
    const pieces = await enabled(new TranscriptBuilder('s1').human('Fix the REST button logic'));
    const texts = [
      rest(),
      rest().human('Now the parser').assistant('The parser reads it.'),
      rest().human('Now the parser').assistant('The parser reads it.').human('Always use tabs.').assistant('Yes.'),
    ];
    await pieces.layers.build(PROJECT);
    for (const [index, text] of texts.entries()) {
      pieces.memory.claude.write(`${PROJECT}/s1.jsonl`, text, `2026-01-16T12:0${index}:00Z`);
      await pieces.layers.build(PROJECT);
    }
    const whole = await enabled(texts[2]);
    await whole.layers.build(PROJECT);
    for (const name of ['sessions/2026-01-15_1000.l1.jsonl', 'sessions/2026-01-15_1000.l2.json']) {
      assert.equal(pieces.files.get(name), whole.files.get(name));
    }
    assert.deepEqual(
      (await pieces.layers.facts(PROJECT)).map(({ content }) => content),
      (await whole.layers.facts(PROJECT)).map(({ content }) => content),
    );
  });

  it('reads a transcript anew that was rewritten', async () => {
    const stage = await enabled();
    await stage.layers.build(PROJECT);
    const other = new TranscriptBuilder('other')
      .human('Something else')
      .assistant('Done')
      .human('More')
      .assistant('More done');
    stage.memory.claude.write(`${PROJECT}/s1.jsonl`, other, '2026-01-17T12:00:00Z');
    await stage.layers.build(PROJECT);
    assert.deepEqual(
      (await exchangesOf(stage)).map(({ summary }) => summary),
      ['Something else → Done', 'More → More done'],
    );
  });

  it('takes emphasis out of a summary, and nothing out of a name', async () => {
    const said = new TranscriptBuilder('s1')
      .human('Why does `orders_db` in __init__.py give **SQLITE_BUSY** for *.ts and #12?')
      .assistant('_Fixed_: `busy_timeout` is 5 * 1000 now, see src/**/*.test.ts.');
    const stage = await enabled(said);
    await stage.layers.build(PROJECT);
    assert.deepEqual(
      (await exchangesOf(stage)).map(({ summary }) => summary),
      [
        'Why does orders_db in __init__.py give SQLITE_BUSY for *.ts and #12? → Fixed: busy_timeout is 5 * 1000 now, see src/**/*.test.ts',
      ],
    );
  });

  it('sets a damaged facts.json aside, keeps what is valid in it, and finds the rest again', async () => {
    const { layers, files, memory } = await enabled();
    await layers.build(PROJECT);
    await layers.changeFact(PROJECT, 'r001', { to: 'edited', content: 'No axios' });
    // A list that holds no solution, as a hand may have left it.
    files.set(FACTS_FILE, (files.get(FACTS_FILE) ?? '').replace('"solutions": []', '"solutions": [{ "id": 7 }]'));
    await layers.build(PROJECT);
    assert.deepEqual(
      (await layers.facts(PROJECT)).map(({ content }) => content),
      ['No axios'],
    );
    assert.ok(files.has(`${FACTS_FILE}.corrupt`));
    assert.equal(memory.log.lines.filter((line) => line.startsWith('warn')).length, 1);
  });

  it('refuses a facts.json of a newer build', async () => {
    const { layers, files } = await enabled();
    files.set(FACTS_FILE, JSON.stringify({ version: '9.0.0' }));
    await assert.rejects(layers.build(PROJECT), { code: 'layers-newer' });
    assert.equal(files.get(FACTS_FILE), JSON.stringify({ version: '9.0.0' }));
  });

  it("reads seed 003's facts.json, which says less", async () => {
    const { layers, files } = await enabled();
    const rule = { id: 'r001', content: 'ESLint warnings can be ignored', source: 'user', confidence: 1 };
    const permanent = {
      rules: [rule],
      solutions: [],
      core_logic: [{ id: 'cl001', feature: 'AP', description: 'No maximum' }],
    };
    files.set(FACTS_FILE, JSON.stringify({ keywords: { AP: ['c001'] }, permanent, stats: { total_exchanges: 3 } }));
    await layers.build(PROJECT);
    assert.deepEqual(
      (await layers.facts(PROJECT, { kind: 'rules' })).map(({ id }) => id),
      ['r002', 'r001'],
    );
  });

  it('does not count twice what a resumed session has copied', async () => {
    const { layers, memory } = await enabled();
    const copied = rest().toString() + new TranscriptBuilder('s2').human('Go on').assistant('Gone on').toString();
    memory.claude.write(`${PROJECT}/s2.jsonl`, copied, '2026-01-18T12:00:00Z');
    const result = await layers.build(PROJECT);
    assert.deepEqual([result.exchanges, result.facts.rules], [3, 1]);
  });

  it('does not count twice what a fork has copied under its own name, also when it grows', async () => {
    const { layers, memory } = await enabled();
    const once = await layers.build(PROJECT);
    const copied = rest().toString().replaceAll('"sessionId":"s1"', '"sessionId":"s2"');
    const own = new TranscriptBuilder('s2');
    const grow = () =>
      memory.claude.write(`${PROJECT}/s2.jsonl`, copied + own.toString(), memory.clock.now().toISOString());
    memory.clock.set('2026-01-18T12:00:00Z');
    grow();
    assert.deepEqual([(await layers.build(PROJECT)).exchanges, once.exchanges], [once.exchanges, once.exchanges]);
    own.human('Go on').assistant('Gone on');
    memory.clock.set('2026-01-18T12:01:00Z');
    grow();
    assert.equal((await layers.build(PROJECT)).exchanges, once.exchanges + 1);
    assert.equal((await layers.build(PROJECT, { full: true })).exchanges, once.exchanges + 1);
  });

  it('moves old sessions into the archive, where they are still shown and still grow', async () => {
    const { layers, files, memory } = await enabled();
    await layers.build(PROJECT);
    memory.clock.set('2026-06-01T00:00:00Z');
    assert.equal((await layers.archive(PROJECT, 30)).length, 2);
    assert.ok(files.has('sessions/archive/2026-01-15_1000.l1.jsonl'));
    assert.equal((await layers.build(PROJECT)).unchanged, 1);
    const content = await layers.layer(PROJECT, 'l1', 's1');
    assert.equal(content.layer === 'l1' && content.sessions[0]?.entries.length, 4);
  });

  it('moves L1 files away that another one holds in whole, but none that a session owns', async () => {
    const { layers, files } = await enabled();
    await layers.build(PROJECT);
    const own = files.get('sessions/2026-01-15_1000.l1.jsonl') ?? '';
    files.set('sessions/2026-01-15_0900.l1.jsonl', `${own.split('\n')[0] ?? ''}\n`);
    files.set('sessions/2026-01-14_0900.l1.jsonl', '{"ts":"x","role":"user","text":"of its own"}\n');
    assert.deepEqual(
      (await layers.dedupe(PROJECT)).map(({ from }) => from),
      ['sessions/2026-01-15_0900.l1.jsonl'],
    );
  });

  it('tells in one look what there is, and takes back what was changed about a fact', async () => {
    const { memory, layers } = await enabled();
    await layers.build(PROJECT);
    const before = await layers.overview(PROJECT);
    assert.deepEqual([before.facts.length, before.concepts.length > 0, before.sessions.length], [1, true, 1]);
    const id = before.facts[0]?.id ?? '';
    const { fact, undo } = await layers.changeFact(PROJECT, id, { to: 'forgotten' });
    assert.equal(fact.words, 'Never use axios for that.');
    assert.deepEqual((await layers.overview(PROJECT)).facts, []);
    await layers.undoFact(PROJECT, undo);
    assert.deepEqual(await layers.overview(PROJECT), before);
    memory.claude.write('-home-ada-src-other/s9.jsonl', rest());
    const other = await layers.overview('-home-ada-src-other');
    assert.deepEqual([other.status.isEnabled, other.facts, other.sessions], [false, [], []]);
  });
});
