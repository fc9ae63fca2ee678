import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lookout } from '../../../src/vscode/lookout';

/** Longer than it takes to settle. */
const LONGER_MS = 20;

/** Looks that end when they are told to. */
class Looks {
  readonly ends: (() => void)[] = [];
  readonly shown: number[] = [];
  readonly lookout = new Lookout(async (isSuperseded) => {
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

describe('Lookout', () => {
  let looks: Looks;

  beforeEach(() => {
    looks = new Looks();
    Follower.open.clear();
  });

  afterEach(() => looks.lookout.dispose());

  it('looks once for many changes, and not while nobody wants to see it', async () => {
    const { lookout, ends } = looks;
    lookout.lookSoon();
    await sleep(LONGER_MS);
    assert.equal(ends.length, 0);
    lookout.want(true);
    lookout.lookSoon();
    lookout.lookSoon();
    await sleep(LONGER_MS);
    assert.equal(ends.length, 1);
    lookout.lookSoon();
    lookout.want(false);
    await sleep(LONGER_MS);
    assert.equal(ends.length, 1);
  });

  it('shows what the newest look found, in whatever order they end', async () => {
    const { lookout, ends, shown } = looks;
    const both = [lookout.lookNow(), lookout.lookNow()];
    for (const end of [...ends].reverse()) end();
    await Promise.all(both);
    assert.deepEqual(shown, [2]);
  });

  it('shows nothing that was found when nobody wanted to see it any more', async () => {
    const { lookout, ends, shown } = looks;
    lookout.want(true);
    const looking = lookout.lookNow();
    lookout.want(false);
    ends[0]?.();
    await looking;
    assert.deepEqual(shown, []);
  });

  it('follows one thing at a time, once, until nobody wants to see it', () => {
    const { lookout } = looks;
    const begin = (name: string) => () => [new Follower(name)];
    lookout.follow('unseen', begin('unseen'));
    assert.deepEqual([...Follower.open], []);
    lookout.want(true);
    lookout.follow('a', begin('a'));
    lookout.follow('a', () => assert.fail('is followed already'));
    lookout.follow('b', begin('b'));
    assert.deepEqual([...Follower.open], ['b']);
    lookout.want(false);
    assert.deepEqual([...Follower.open], []);
  });

  it('looks again when one of the files that it follows has changed', async () => {
    const { lookout, ends } = looks;
    const listeners = new Map<string, () => void>();
    const follow = (file: string, onChanged: () => void): Follower => {
      listeners.set(file, onChanged);
      return new Follower(file);
    };
    lookout.want(true);
    await sleep(LONGER_MS);
    lookout.followFiles(['manifest.json', 'armed.json'], { follow });
    assert.deepEqual([...Follower.open], ['manifest.json', 'armed.json']);
    listeners.get('armed.json')?.();
    await sleep(LONGER_MS);
    assert.equal(ends.length, 2);
  });
});
