import assert from 'node:assert/strict';
import { mayDelete } from '../../../src/cli/command';
import { FakeMemory } from '../support/fakeMemory';

describe('mayDelete', () => {
  const { service: memory } = new FakeMemory();
  const asked: string[] = [];

  function ask({ answer, isSure = false }: { answer?: boolean; isSure?: boolean }): Promise<boolean> {
    asked.length = 0;
    const confirm = async (question: string): Promise<boolean> => {
      asked.push(question);
      return answer === true;
    };
    return mayDelete(
      () => 'Sure?',
      { has: () => isSure },
      { memory, confirm: answer === undefined ? undefined : confirm },
    );
  }

  it('asks on a terminal, and nowhere else, and not who has said yes', async () => {
    assert.deepEqual([await ask({ answer: false }), asked], [false, ['Sure?']]);
    assert.deepEqual([await ask({ answer: true }), asked], [true, ['Sure?']]);
    assert.deepEqual([await ask({}), asked], [true, []]);
    assert.deepEqual([await ask({ answer: false, isSure: true }), asked], [true, []]);
  });

  it('does not ask where the configuration says that it need not', async () => {
    await memory.config.set('ui.confirmDestructiveActions', 'false');
    assert.deepEqual([await ask({ answer: false }), asked], [true, []]);
  });
});
