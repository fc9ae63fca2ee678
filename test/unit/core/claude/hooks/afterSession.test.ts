import assert from 'node:assert/strict';
import { readActivity } from '../../../../../src/core/model/hookActivity';
import type { FakeMemory } from '../../../support/fakeMemory';
import { answer, PROJECT, readingStage, SESSION } from '../../../support/readingStage';

const rule = {
  kind: 'rule',
  message: 0,
  by: 'user',
  quote: 'For money use Decimal, floats are forbidden.',
  alone: true,
};

async function end(memory: FakeMemory): Promise<void> {
  memory.hookStore.asked.push({ sessionId: SESSION, reason: 'end', at: memory.clock.now().toISOString(), mark: '1' });
  await memory.service.hooks.work(PROJECT);
}

function told(memory: FakeMemory) {
  return readActivity(memory.hookStore.texts.get(`${PROJECT}/${SESSION}`) ?? '').filter(
    ({ event }) => event === 'Reading',
  );
}

describe('after a session has ended', () => {
  it('asks no model before the user has agreed, nor after they took it back', async () => {
    const memory = await readingStage();
    await end(memory);
    await memory.service.reading.agree(true);
    await memory.service.reading.agree(false);
    await end(memory);
    assert.equal(memory.model.calls.length, 0);
  });

  it('has it read once, tells so, and gives its title to the next session', async () => {
    const memory = await readingStage();
    await memory.service.reading.agree(true);
    await memory.service.config.set('reading.since', '2026-01-01T00:00:00.000Z');
    memory.model.replies.push(answer([rule]));
    await end(memory);
    await end(memory);
    assert.equal(memory.model.calls.length, 1);
    assert.match(told(memory)[0]?.note ?? '', /^read by a model: 1 notes, \$/);
    assert.match((await memory.service.hooks.brief(PROJECT)).text, /“Retries in the importer”/);
  });

  it('leaves sessions of before alone, and gives up on one that fails twice', async () => {
    const memory = await readingStage();
    await memory.service.reading.agree(true);
    await end(memory);
    assert.equal(memory.model.calls.length, 0);
    await memory.service.config.set('reading.since', '2026-01-01T00:00:00.000Z');
    memory.model.otherwise = () => 'no';
    for (let time = 0; time < 4; time++) await end(memory);
    assert.equal(memory.model.calls.length, 4); // twice, and each time once more
    assert.match(told(memory)[0]?.problem ?? '', /./);
  });

  it('puts the memory of the project together after so many sessions', async () => {
    const memory = await readingStage();
    await end(memory);
    assert.equal((await memory.service.notebook.list(PROJECT)).length, 0);
    await memory.service.config.set('reading.synthesizeAfter', '1');
    await end(memory);
    assert.match((await memory.service.notebook.recall(PROJECT)).text, /replica/);
  });
});
