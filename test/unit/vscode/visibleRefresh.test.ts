import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { VisibleRefresh } from '../../../src/vscode/visibleRefresh';

/** Longer than it takes to settle. */
const LONGER_MS = 20;

/** Looks that end when they are told to. */
class Looks {
  readonly ends: (() => void)[] = [];
  readonly shown: number[] = [];
  readonly whenVisible = new VisibleRefresh(async (isSuperseded) => {
    const number = this.ends.length + 1;
    await new Promise<void>((resolve) => this.ends.push(resolve));
    if (!isSuperseded()) this.shown.push(number);
  }, 1);
}

class Follower {
  static readonly open = new Set<string>();

  constructor(private readonly name: string) {
    Follower.open.add(name);
  }

  dispose(): void {
    Follower.open.delete(this.name);
  }
}

describe('VisibleRefresh', () => {
  let looks: Looks;

  beforeEach(() => {
    looks = new Looks();
    Follower.open.clear();
  });

  afterEach(() => looks.whenVisible.dispose());

  it('looks once for many changes, and not while nobody wants to see it', async () => {
    const { whenVisible, ends } = looks;
    whenVisible.lookSoon();
    await sleep(LONGER_MS);
    assert.equal(ends.length, 0);
    whenVisible.setVisible(true);
    whenVisible.lookSoon();
    whenVisible.lookSoon();
    await sleep(LONGER_MS);
    assert.equal(ends.length, 1);
    whenVisible.lookSoon();
    whenVisible.setVisible(false);
    await sleep(LONGER_MS);
    assert.equal(ends.length, 1);
  });

  it('shows what the newest look found, in whatever order they end', async () => {
    const { whenVisible, ends, shown } = looks;
    const both = [whenVisible.lookNow(), whenVisible.lookNow()];
    for (const end of [...ends].reverse()) end();
    await Promise.all(both);
    assert.deepEqual(shown, [2]);
  });

  it('shows nothing that was found when nobody wanted to see it any more', async () => {
    const { whenVisible, ends, shown } = looks;
    whenVisible.setVisible(true);
    const looking = whenVisible.lookNow();
    whenVisible.setVisible(false);
    ends[0]?.();
    await looking;
    assert.deepEqual(shown, []);
  });

  it('follows one thing at a time, once, until nobody wants to see it', () => {
    const { whenVisible } = looks;
    const begin = (name: string) => () => [new Follower(name)];
    whenVisible.follow('unseen', begin('unseen'));
    assert.deepEqual([...Follower.open], []);
    whenVisible.setVisible(true);
    whenVisible.follow('a', begin('a'));
    whenVisible.follow('a', () => assert.fail('is followed already'));
    whenVisible.follow('b', begin('b'));
    assert.deepEqual([...Follower.open], ['b']);
    whenVisible.setVisible(false);
    assert.deepEqual([...Follower.open], []);
  });

  it('looks again when one of the files that it follows has changed', async () => {
    const { whenVisible, ends } = looks;
    const listeners = new Map<string, () => void>();
    const follow = (file: string, onChanged: () => void): Follower => {
      listeners.set(file, onChanged);
      return new Follower(file);
    };
    whenVisible.setVisible(true);
    await sleep(LONGER_MS);
    whenVisible.followFiles(['manifest.json', 'armed.json'], { follow });
    assert.deepEqual([...Follower.open], ['manifest.json', 'armed.json']);
    listeners.get('armed.json')?.();
    await sleep(LONGER_MS);
    assert.equal(ends.length, 2);
  });
});
