import assert from 'node:assert/strict';
import { AnthropicKey } from '../../../../src/vscode/models/anthropicKey';

class FakeSecrets {
  readonly kept = new Map<string, string>();
  readonly get = async (key: string) => this.kept.get(key);
  readonly store = async (key: string, value: string) => void this.kept.set(key, value);
  readonly delete = async (key: string) => void this.kept.delete(key);
}

describe("the key for Anthropic's API", () => {
  it('is the stored one, else that of the environment', async () => {
    const key = new AnthropicKey(new FakeSecrets(), { ANTHROPIC_API_KEY: 'from outside' });
    assert.equal(await key.get(), 'from outside');
    await key.store(' mine \n');
    assert.equal(await key.get(), 'mine');
    await key.forget();
    assert.equal(await key.get(), 'from outside');
    assert.deepEqual([await key.isStored(), key.isInEnvironment()], [false, true]);
  });

  it('is none when there is neither', async () => {
    const key = new AnthropicKey(new FakeSecrets(), {});
    assert.deepEqual([await key.get(), key.isInEnvironment()], [undefined, false]);
  });
});
