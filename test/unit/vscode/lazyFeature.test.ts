import assert from 'node:assert/strict';
import { LazyFeature } from '../../../src/vscode/lazyFeature';

class Room {
  ends = 0;

  dispose(): void {
    this.ends += 1;
  }
}

describe('LazyFeature', () => {
  it('is made once, for everybody who asks', async () => {
    let made = 0;
    const lazy = new LazyFeature(() => Promise.resolve({ number: (made += 1), dispose: () => undefined }));
    assert.equal(made, 0);
    const [one, other] = await Promise.all([lazy.open(), lazy.open()]);
    assert.equal(one, other);
    assert.equal(await lazy.open(), one);
    assert.equal(made, 1);
  });

  it('is made again for whoever asks after a failure', async () => {
    const answers = [() => Promise.reject(new Error('not read')), () => Promise.resolve(new Room())];
    const lazy = new LazyFeature(() => answers.shift()?.() ?? assert.fail('made too often'));
    await assert.rejects(lazy.open(), /not read/);
    assert.ok((await lazy.open()) instanceof Room);
  });

  it('ends with its owner, once, whether it is there by then or comes later', async () => {
    const there = new Room();
    const early = new LazyFeature(() => Promise.resolve(there));
    await early.open();
    early.dispose();
    assert.equal(there.ends, 1);

    const late = new Room();
    const slow = new LazyFeature(() => Promise.resolve(late));
    const whenMade = slow.open();
    slow.dispose();
    await whenMade;
    assert.equal(late.ends, 1);
  });

  it('is not made only to be ended', () => {
    const lazy = new LazyFeature(() => assert.fail('was made'));
    lazy.dispose();
  });
});
