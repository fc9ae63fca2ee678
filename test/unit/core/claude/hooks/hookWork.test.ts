import assert from 'node:assert/strict';
import { answerMark } from '../../../../../src/core/claude/hooks/hookAnswer';
import { type RequestReason } from '../../../../../src/core/model/hookInput';
import { readActivity } from '../../../../../src/core/model/hookActivity';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const projectId = '-home-ada-src-app';
const sessionId = '11111111-aaaa';
const ref = { projectId, sessionId };
const ANSWER = 'It reads the last line now.';

const begun = (): TranscriptBuilder =>
  new TranscriptBuilder(sessionId)
    .human('Always write tests for the parser module. ##keepit1.00##Never drop the last line.##keepit:end##')
    .assistant('We decided to use a state machine because it is simple.', { stop_reason: 'end_turn' })
    .human('Which encoding do we expect?');
const answered = (): TranscriptBuilder => begun().assistant(ANSWER, { stop_reason: 'end_turn' });

class Stage {
  readonly fake = new FakeMemory();
  private marks = 0;

  constructor(transcript: TranscriptBuilder = answered()) {
    this.fake.claude.write(`${projectId}/${sessionId}.jsonl`, transcript);
  }

  ask(reason: RequestReason, fields: { sessionId?: string; lastAnswer?: string } = {}): void {
    const at = this.fake.clock.now().toISOString();
    this.fake.hookStore.asked.push({ sessionId, reason, at, mark: String(++this.marks), ...fields });
  }

  async work(): Promise<number> {
    return this.fake.service.hooks.work(projectId);
  }

  captures(id = sessionId) {
    return readActivity(this.fake.hookStore.texts.get(`${projectId}/${id}`) ?? '');
  }
}

describe('hooks: what is done in the background', () => {
  it('tells first of the earlier sessions that the last one leads to, however old they are', async () => {
    const { fake } = new Stage();
    const edits = ['parser', 'mail', 'theme', 'login', 'build', 'queue', 'cache', 'pages', 'parser'];
    for (const [at, name] of edits.entries()) {
      const id = `${at}1111111-aaaa`;
      const timestamp = `2026-01-${16 + at}T12:00:00Z`;
      const edit = { type: 'tool_use', id, name: 'Edit', input: { file_path: `/home/ada/src/app/src/${name}.ts` } };
      const content = [edit, { type: 'text', text: `The ${name} is mended.` }];
      const transcript = new TranscriptBuilder(id)
        .human(`Mend ${name}.`, { timestamp })
        .assistant('', { timestamp, message: { id, role: 'assistant', model: 'claude-opus-4-8', content } });
      fake.claude.write(`${projectId}/${id}.jsonl`, transcript);
      await fake.service.sessions.register([{ projectId, sessionId: id }]);
    }
    const { items } = await fake.service.hooks.brief(projectId);
    const told = items.filter(({ kind }) => kind === 'index').map(({ text }) => /“Mend (\w+)/.exec(text)?.[1]);
    assert.deepEqual(told, ['parser', 'pages', 'cache', 'queue', 'build']);
  });

  it('leaves a session alone that nobody took into memory, and says so', async () => {
    const stage = new Stage();
    stage.ask('stop');
    assert.equal(await stage.work(), 1);
    assert.deepEqual(await stage.fake.service.sessions.list(), []);
    assert.match(stage.captures()[0]?.note ?? '', /not in memory/);
    assert.equal(stage.fake.hookStore.asked.length, 0);
  });

  it('takes a new session in where that is wanted, and later only what is new', async () => {
    const stage = new Stage(begun());
    await stage.fake.service.config.set('defaults.autoRegisterSessions', 'true');
    stage.ask('stop');
    await stage.work();
    stage.fake.claude.write(`${projectId}/${sessionId}.jsonl`, answered(), '2026-01-16T12:00:00Z');
    stage.ask('stop');
    await stage.work();
    assert.deepEqual(
      stage.captures().map(({ event, source, captured }) => [event, source, captured?.messages]),
      [
        ['Capture', 'stop', 3],
        ['Capture', 'stop', 1],
      ],
    );
  });

  it('answers many requests of a session once, by the most important of them', async () => {
    const stage = new Stage();
    await stage.fake.service.sessions.register([ref]);
    for (const reason of ['stop', 'interval', 'end', 'stop'] as const) stage.ask(reason);
    assert.equal(await stage.work(), 1);
    assert.deepEqual(
      stage.captures().map(({ source }) => source),
      ['end'],
    );
    assert.deepEqual(stage.fake.hookStore.ended, [sessionId]);
  });

  it('brings layers and rolling memory up to date only where the project has enabled them', async () => {
    const stage = new Stage();
    await stage.fake.service.sessions.register([ref]);
    stage.ask('end');
    await stage.work();
    assert.equal(stage.fake.layerStore.places.size, 0);
    await stage.fake.service.layers.enable(projectId, {});
    stage.ask('end');
    await stage.work();
    const texts = stage.fake.layerStore.texts({ projectId });
    assert.ok(texts.has('memory.md') && texts.has('facts.json'));
    const brief = stage.fake.hookStore.briefs.get(projectId);
    assert.match(brief?.inForce.map(({ text }) => text).join() ?? '', /Always write tests for the parser module/);
  });

  it('waits for the last answer, which the transcript has a moment later, but not for ever', async () => {
    const stage = new Stage(begun());
    await stage.fake.service.sessions.register([ref]);
    stage.ask('stop', { lastAnswer: answerMark(ANSWER) });
    await stage.work();
    assert.match(stage.captures()[0]?.note ?? '', /not in the transcript yet/);
    assert.ok(stage.fake.hookStore.slept > 0);
    stage.fake.claude.write(`${projectId}/${sessionId}.jsonl`, answered(), '2026-01-16T12:00:00Z');
    stage.fake.hookStore.slept = 0;
    stage.ask('stop', { lastAnswer: answerMark(`${ANSWER}\n`) });
    await stage.work();
    assert.equal(stage.captures()[1]?.note, undefined);
    assert.equal(stage.fake.hookStore.slept, 0);
  });

  it('finds where a session stands: what was marked, asked and answered', async () => {
    const stage = new Stage();
    await stage.fake.service.hooks.keep(ref);
    const state = stage.fake.hookStore.states.get(sessionId);
    assert.deepEqual(state?.keepits, [{ weight: 1, text: 'Never drop the last line.' }]);
    assert.equal(state.request?.text, 'Which encoding do we expect?');
    assert.equal(state.outcome?.text, ANSWER);
  });

  it('does nothing while another process is at it', async () => {
    const stage = new Stage();
    stage.ask('stop');
    stage.fake.hookStore.isLocked = true;
    assert.equal(await stage.work(), 0);
    assert.equal(stage.fake.hookStore.asked.length, 1);
  });

  it('goes on with the others when one session fails, and tells of it', async () => {
    const stage = new Stage();
    await stage.fake.service.config.set('defaults.autoRegisterSessions', 'true');
    const other = '22222222-bbbb';
    stage.fake.claude.write(`${projectId}/${other}.jsonl`, new TranscriptBuilder(other).human('Hello there.'));
    stage.fake.claude.unreadable.add(`/claude/projects/${projectId}/${sessionId}.jsonl`);
    stage.ask('end');
    stage.ask('end', { sessionId: other });
    stage.ask('end', { sessionId: '33333333-cccc' });
    assert.equal(await stage.work(), 3);
    assert.ok(stage.captures()[0]?.problem);
    assert.equal(stage.captures(other)[0]?.captured?.messages, 1);
    assert.match(stage.captures('33333333-cccc')[0]?.note ?? '', /not there/);
    assert.equal(stage.fake.hookStore.log.length, 1);
    assert.deepEqual(
      stage.fake.hookStore.asked.map((request) => request.sessionId),
      [sessionId],
    );
  });

  it('tries a session again that failed, in the next process, and gives up after three', async () => {
    const stage = new Stage();
    await stage.fake.service.config.set('defaults.autoRegisterSessions', 'true');
    const file = `/claude/projects/${projectId}/${sessionId}.jsonl`;
    stage.fake.claude.unreadable.add(file);
    stage.ask('stop');
    await stage.work();
    stage.fake.claude.unreadable.delete(file);
    await stage.work();
    assert.equal(stage.captures().at(-1)?.captured?.messages, 4);
    assert.equal(stage.fake.hookStore.asked.length, 0);

    stage.fake.claude.unreadable.add(file);
    stage.ask('stop');
    const problems = (): number => stage.captures().filter(({ problem }) => problem !== undefined).length;
    const before = problems();
    for (let tries = 0; tries < 5; tries++) await stage.work();
    assert.equal(problems() - before, 3);
    assert.equal(stage.fake.hookStore.asked.length, 0);
  });

  it('takes in at the next start what a killed session left behind', async () => {
    const stage = new Stage(begun());
    await stage.fake.service.sessions.register([ref]);
    stage.fake.claude.write(`${projectId}/${sessionId}.jsonl`, answered(), '2026-01-16T12:00:00Z');
    stage.ask('start', { sessionId: '44444444-dddd' });
    await stage.work();
    assert.equal(stage.captures('44444444-dddd')[0]?.captured?.messages, 1);
  });

  it('takes in at the next start a session that was killed before anything of it was in memory', async () => {
    const stage = new Stage(begun());
    await stage.fake.service.config.set('defaults.autoRegisterSessions', 'true');
    stage.ask('start', { sessionId: '33333333-cccc' }); // it never comes to be written
    stage.ask('start');
    await stage.work();
    assert.deepEqual(stage.captures(), [], 'it still runs');
    stage.ask('start', { sessionId: '44444444-dddd' });
    await stage.work();
    const [capture] = stage.captures();
    assert.match(capture?.note ?? '', /did not tell of its end/);
    assert.ok((capture?.captured?.messages ?? 0) > 0);
    await stage.fake.service.sessions.unregister(ref);
    stage.ask('start', { sessionId: '55555555-eeee' });
    await stage.work();
    assert.equal(stage.captures().length, 1, 'what somebody took out of memory stays out');
    assert.deepEqual([...stage.fake.hookStore.awaited], ['33333333-cccc', '44444444-dddd', '55555555-eeee']);
  });

  it('leaves alone a killed session that began when no new ones were wanted in memory', async () => {
    const stage = new Stage(begun());
    stage.ask('start');
    await stage.work();
    await stage.fake.service.config.set('defaults.autoRegisterSessions', 'true');
    stage.ask('start', { sessionId: '44444444-dddd' });
    await stage.work();
    assert.deepEqual(stage.captures(), []);
  });

  it('looks when a session starts whether what rules name is still there, also where nothing was said since', async () => {
    const rule = 'Always keep the parser of this project in lib/parser.ts.';
    const stage = new Stage(new TranscriptBuilder(sessionId).human(rule).assistant('Yes.'));
    const { service } = stage.fake;
    await service.sessions.register([ref]);
    await service.layers.enable(projectId, {});
    stage.fake.find = (names) => new Map(names.map((name) => [name, '']));
    await service.layers.build(projectId);
    stage.fake.find = () => new Map();
    stage.ask('start', { sessionId: '44444444-dddd' });
    await stage.work();
    const [fact] = await service.layers.facts(projectId);
    assert.match(fact?.outdated ?? '', /lib\/parser\.ts is gone/);
    assert.deepEqual(
      (await service.hooks.brief(projectId)).items.filter(({ kind }) => kind === 'rule'),
      [],
    );
  });

  it('keeps the rules in CLAUDE.md for those who asked for that, and takes them out again', async () => {
    const stage = new Stage();
    const { service, hookStore } = stage.fake;
    await service.sessions.register([ref]);
    await service.layers.enable(projectId, {});
    await service.layers.build(projectId);
    const { originalPath } = await stage.fake.project(projectId);
    hookStore.instructions.set(originalPath, '# App\r\n');
    await service.hooks.refresh(projectId);
    assert.equal(hookStore.instructions.get(originalPath), '# App\r\n');
    await service.config.set('hooks.syncRulesToClaudeMd', 'true');
    await service.hooks.refresh(projectId);
    assert.match(hookStore.instructions.get(originalPath) ?? '', /^# App\r\n\r\n<!-- keepit[^]*parser module/);
    await service.config.set('hooks.syncRulesToClaudeMd', 'false');
    await service.hooks.refresh(projectId);
    assert.equal(hookStore.instructions.get(originalPath), '# App\r\n');
  });
});
