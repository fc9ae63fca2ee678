import assert from 'node:assert/strict';
import { agreeToDelete } from '../../../src/cli/command';
import { FakeMemory } from '../support/fakeMemory';

describe('agreeToDelete', () => {
  const { service: memory } = new FakeMemory();
  const asked: string[] = [];

  async function ask(answer?: boolean): Promise<boolean> {
    asked.length = 0;
    const confirm = async (question: string): Promise<boolean> => {
      asked.push(question);
      return answer === true;
    };
    try {
      await agreeToDelete('Sure?', 'it', { memory, confirm: answer === undefined ? undefined : confirm });
      return true;
    } catch {
      return false;
    }
  }

  it('asks on a terminal, and nowhere else', async () => {
    assert.deepEqual([await ask(false), asked], [false, ['Sure?']]);
    assert.deepEqual([await ask(true), asked], [true, ['Sure?']]);
    assert.deepEqual([await ask(), asked], [true, []]);
  });

  it('does not ask where the configuration says that it need not', async () => {
    await memory.config.set('ui.confirmDestructiveActions', 'false');
    assert.deepEqual([await ask(false), asked], [true, []]);
  });
});
