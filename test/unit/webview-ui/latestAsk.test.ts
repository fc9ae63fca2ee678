import assert from 'node:assert/strict';
import { LatestAsk } from '../../../webview-ui/lib/latestAsk';

describe('LatestAsk', () => {
  it('asks one question at a time, and of those that came meanwhile only the last', async () => {
    const asked: number[] = [];
    let answer: () => void = () => undefined;
    const ask = new LatestAsk<number>(async (value) => {
      asked.push(value);
      await new Promise<void>((resolve) => (answer = resolve));
    });
    ask.ask(1);
    ask.ask(2);
    ask.ask(3);
    assert.deepEqual(asked, [1]);
    answer();
    await new Promise(setImmediate);
    assert.deepEqual(asked, [1, 3]);
    answer();
    await new Promise(setImmediate);
    ask.ask(4);
    assert.deepEqual(asked, [1, 3, 4]);
  });

  it('does not ask what was dropped', async () => {
    const asked: number[] = [];
    const ask = new LatestAsk<number>(async (value) => void asked.push(value), 1);
    ask.ask(1);
    ask.drop();
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(asked, []);
  });
});
