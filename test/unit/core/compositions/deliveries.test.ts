import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { CompositionWorld, PROJECT, words } from './compositionWorld';

const lineSchema = z.looseObject({
  uuid: z.string(),
  parentUuid: z.nullable(z.string()),
  sessionId: z.string(),
  timestamp: z.string(),
  type: z.enum(['user', 'assistant']),
  message: z.looseObject({ id: z.optional(z.string()), model: z.optional(z.string()), content: z.unknown() }),
});

async function composed(size = 50): Promise<CompositionWorld> {
  const world = new CompositionWorld().add({
    id: 'aaaa',
    day: 15,
    keepits: [{ weight: 1, content: 'Never forget this' }],
    versions: [{ id: 'v001', blocks: Array.from({ length: 20 }, (_, at) => ({ text: words(`block${at}`, size) })) }],
  });
  await world.services.saved.compose(PROJECT, world.request({ totalTokenBudget: 100_000 }));
  return world;
}

function recordOf(world: CompositionWorld) {
  const record = world.store.manifests.get(PROJECT)?.compositions['feature-x'];
  assert.ok(record);
  return record;
}

describe('Deliveries', () => {
  it('writes a transcript that can be resumed, under an id of its own each time', async () => {
    const world = await composed();
    const { deliveries } = world.services;
    const first = await deliveries.deliver(PROJECT, 'feature-x', 'resume');
    const second = await deliveries.deliver(PROJECT, 'feature-x', 'resume');
    assert.notEqual(first.sessionId, second.sessionId);
    assert.equal(first.command, `claude --resume '${first.file ?? ''}' --fork-session`);
    const text =
      world.store.compositions.folders.get(`${PROJECT}/feature-x`)?.get(`${first.sessionId ?? ''}.jsonl`) ?? '';
    const lines = text
      .trim()
      .split('\n')
      .map((line) => lineSchema.parse(JSON.parse(line)));
    assert.deepEqual(
      lines.map(({ parentUuid }) => parentUuid),
      [null, ...lines.slice(0, -1).map(({ uuid }) => uuid)],
    );
    assert.ok(
      lines.every(({ sessionId, timestamp }) => sessionId === first.sessionId && !Number.isNaN(Date.parse(timestamp))),
    );
    const answers = lines.filter(({ type }) => type === 'assistant');
    assert.equal(lines.at(-1), answers.at(-1));
    assert.equal(new Set(answers.map(({ message }) => message.id)).size, answers.length);
    assert.ok(answers.every(({ message }) => message.model === 'keepit' && Array.isArray(message.content)));
    assert.deepEqual(
      recordOf(world).deliveries?.map(({ to }) => to),
      ['resume', 'resume'],
    );
  });

  it('arms the next session once, and hands it to that session only', async () => {
    const world = await composed();
    const { deliveries } = world.services;
    const { armed } = await deliveries.deliver(PROJECT, 'feature-x', 'next-session');
    assert.ok(armed !== undefined && armed.rest === undefined);
    assert.equal((await deliveries.armed(PROJECT))?.name, 'feature-x');
    assert.deepEqual(await deliveries.takeArmed(PROJECT, 'new-session'), armed);
    assert.deepEqual(await deliveries.takeArmed(PROJECT, 'new-session'), armed);
    assert.equal(await deliveries.takeArmed(PROJECT, 'other-session'), undefined);
    assert.equal(await deliveries.disarm(PROJECT), false);
  });

  it('arms of what is too long for a hook what matters most, and names the file of the whole', async () => {
    const world = await composed(2000);
    const { armed } = await world.services.deliveries.deliver(PROJECT, 'feature-x', 'next-session');
    const file = `/store/${PROJECT}/composed/feature-x/composed.md`;
    assert.equal(armed?.rest?.file, file);
    assert.ok(armed.text.length <= 10_000);
    assert.ok(armed.text.startsWith(`Keepit composition ${recordOf(world).compositionId}: feature-x\n`));
    assert.ok(armed.text.includes('##keepit1.00## Never forget this\n##keepit:end##'));
    assert.ok(armed.text.includes(`read this file, which has all of it: ${file}\n`));
  });

  it('gives the text to hosts that put it somewhere themselves', async () => {
    const world = await composed();
    const { deliveries, saved } = world.services;
    const { text } = await deliveries.deliver(PROJECT, 'feature-x', 'clipboard');
    assert.equal(text, await saved.text(PROJECT, 'feature-x', 'markdown'));
    const { file } = await deliveries.deliver(PROJECT, 'feature-x', 'file', { file: '/tmp/context.md' });
    assert.equal(file, '/tmp/context.md');
  });

  it('says so when a composition was not made in the format that is needed', async () => {
    const world = await composed();
    await world.services.saved.rebuild(PROJECT, 'feature-x', { outputFormat: 'markdown' });
    await assert.rejects(world.services.deliveries.deliver(PROJECT, 'feature-x', 'resume'), {
      code: 'composition-not-made',
    });
  });
});

describe('arrival', () => {
  const LATER = '2026-02-01T13:00:00Z';

  it('is not known while no session was written to', async () => {
    const world = await composed();
    await world.services.deliveries.deliver(PROJECT, 'feature-x', 'resume');
    assert.equal((await world.services.deliveries.arrived(PROJECT, 'feature-x')).arrived, 'unknown');
  });

  it('is seen by the records that a session goes on from, in whatever project', async () => {
    const world = await composed();
    const { sessionId } = await world.services.deliveries.deliver(PROJECT, 'feature-x', 'resume');
    const delivered =
      world.store.compositions.folders.get(`${PROJECT}/feature-x`)?.get(`${sessionId ?? ''}.jsonl`) ?? '';
    const forked = delivered.replaceAll(sessionId ?? '', 'forked');
    world.claude.write('-elsewhere/forked.jsonl', forked, LATER);
    const arrival = await world.services.deliveries.arrived(PROJECT, 'feature-x');
    assert.deepEqual([arrival.arrived, arrival.sessionId], [true, 'forked']);
    assert.deepEqual(recordOf(world).usedInSessions, ['forked']);
  });

  it('is seen in what a hook has put in, and in what a person has sent', async () => {
    const world = await composed();
    const id = recordOf(world).compositionId;
    const pasted = new TranscriptBuilder('pasted').human(`Keepit composition ${id}: feature-x\n\nGo on.`);
    world.claude.write(`${PROJECT}/pasted.jsonl`, pasted, LATER);
    assert.equal(
      (await world.services.deliveries.arrived(PROJECT, 'feature-x')).evidence,
      'it stands in what the user sent',
    );
    const hooked = new TranscriptBuilder('hooked').raw(hookOutput(`composition ${id}`)).human('Hello');
    world.claude.write(`${PROJECT}/hooked.jsonl`, hooked, '2026-02-01T14:00:00Z');
    const arrival = await world.services.deliveries.arrived(PROJECT, 'feature-x');
    assert.deepEqual([arrival.arrived, arrival.sessionId], [true, 'hooked']);
  });

  it('is seen in the part that a hook has put in, with whether the session went on to read the whole', async () => {
    const world = await composed(2000);
    const { deliveries } = world.services;
    const { armed } = await deliveries.deliver(PROJECT, 'feature-x', 'next-session');
    assert.ok(armed?.rest);
    const { file } = armed.rest;
    const session = (): TranscriptBuilder =>
      new TranscriptBuilder('hooked').raw(hookOutput(armed.text)).human('Go on.').assistant('I go on.');
    const by = '(SessionStart SessionStart:startup)';
    const part = `a hook handed over what matters most of it ${by}, and the session has`;
    world.claude.write(`${PROJECT}/hooked.jsonl`, session(), LATER);
    const before = await deliveries.arrived(PROJECT, 'feature-x');
    assert.deepEqual([before.arrived, before.evidence], [true, `${part} not read the whole in ${file}`]);
    const read = session().result('all of it', { name: 'Read', input: { file_path: file } });
    world.claude.write(`${PROJECT}/hooked.jsonl`, read, '2026-02-01T15:00:00Z');
    assert.equal((await deliveries.arrived(PROJECT, 'feature-x')).evidence, `${part} read the whole in ${file}`);
  });

  it('is not seen where somebody only looked at the composition', async () => {
    const world = await composed();
    const id = recordOf(world).compositionId;
    world.claude.write(
      `${PROJECT}/looked.jsonl`,
      new TranscriptBuilder('looked').human('Show it').assistant(`It is ${id}.`),
      LATER,
    );
    assert.deepEqual(await world.services.deliveries.arrived(PROJECT, 'feature-x'), {
      arrived: false,
      evidence: 'it is in none of the one session of the project written to since',
    });
  });
});

function hookOutput(content: string): string {
  const attachment = { type: 'hook_success', hookEvent: 'SessionStart', hookName: 'SessionStart:startup', content };
  const line = { type: 'attachment', uuid: `h ${content}`, parentUuid: null, timestamp: '2026-02-01T12:30:00Z' };
  return JSON.stringify({ ...line, attachment });
}
