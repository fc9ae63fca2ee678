import { strict as assert } from 'node:assert';
import { toolStepTokens, UsagePairCollector, type UsageEntry } from '../../../../../src/core/text/tokens/calibration';

type Base = UsageEntry['base'];
type Changes = Partial<UsageEntry> & { at?: Partial<Base> };

/** A session in the making: every entry hangs on the one before, unless it says otherwise. */
class Session {
  readonly entries: UsageEntry[] = [];

  add(kind: string, { at, ...more }: Changes = {}): this {
    const uuid = `line-${this.entries.length + 1}`;
    const parent = this.entries.at(-1)?.base.uuid;
    this.entries.push({ kind, base: { uuid, parent, isSidechain: false, ...at }, ...more });
    return this;
  }

  human(tokens: number, more: Changes = {}): this {
    return this.add('human', { tokens, blocks: [{ kind: 'text' }], ...more });
  }

  answer(messageId: string, context: number, tokens: number, more: Changes = {}): this {
    const blocks = [{ kind: 'text' }];
    return this.add('assistant', { messageId, model: 'claude-a', contextTokens: context, tokens, blocks, ...more });
  }

  result(tokens: number, images = 0): this {
    return this.add('toolResult', { results: [{ tokens, images }] });
  }

  pairs(isSidechain = false) {
    const collector = new UsagePairCollector(isSidechain);
    for (const entry of this.entries) collector.add(entry);
    return collector.pairs.map(({ claudeTokens, counted }) => [claudeTokens, counted]);
  }
}

const toolCall = { tools: [{}], blocks: [] };
const thinking = { blocks: [{ kind: 'thinking' }], tokens: 0 };

describe('UsagePairCollector', () => {
  it('sets the growth of the context against what was counted between two requests', () => {
    const session = new Session().human(50).answer('m1', 20_000, 30).human(40).answer('m2', 20_090, 10);
    assert.deepEqual(session.pairs(), [[90, 70]]);
  });

  it('counts a request once whose usage stands on several lines, with all its tool calls and results', () => {
    const session = new Session()
      .human(50)
      .answer('m1', 20_000, 30)
      .answer('m1', 20_000, 20, toolCall)
      .answer('m1', 20_000, 25, toolCall)
      .result(300)
      .result(200)
      .answer('m2', 21_000, 10);
    assert.deepEqual(session.pairs(), [[1000, 30 + 20 + 25 + 300 + 200 + 2 * toolStepTokens]]);
  });

  it('knows the model of each pair, and makes none of two requests to different models', () => {
    const session = new Session()
      .answer('m1', 20_000, 30)
      .human(10)
      .answer('m2', 20_050, 30, { model: 'claude-b' })
      .human(10)
      .answer('m3', 20_100, 30, { model: 'claude-b' });
    const collector = new UsagePairCollector();
    session.entries.forEach((entry) => collector.add(entry));
    assert.deepEqual(collector.pairs, [{ model: 'claude-b', claudeTokens: 50, counted: 40 }]);
  });

  it('leaves out a request that thought, and the next human turn, when the thinking goes', () => {
    const session = new Session()
      .answer('m1', 20_000, 0, thinking)
      .answer('m1', 20_000, 30, toolCall)
      .result(100)
      .answer('m2', 20_500, 30, toolCall)
      .result(100)
      .answer('m3', 20_700, 30)
      .human(10)
      .answer('m4', 20_600, 30)
      .human(10)
      .answer('m5', 20_650, 30);
    assert.deepEqual(session.pairs(), [
      [200, 130 + toolStepTokens],
      [50, 40],
    ]);
  });

  it('leaves out what holds images, documents or notes that were sent in unknown length', () => {
    const start = () => new Session().answer('m1', 20_000, 30, toolCall);
    const end = (session: Session) => session.answer('m2', 22_000, 5).pairs();
    assert.deepEqual(end(start().result(10, 1)), []);
    assert.deepEqual(end(start().human(10, { blocks: [{ kind: 'text' }, { kind: 'image' }] })), []);
    assert.deepEqual(end(start().add('note', { note: { kind: 'hookContext' } })), []);
    assert.equal(end(start().add('note', { note: { kind: 'system' } })).length, 1);
    assert.equal(end(start().add('skipped')).length, 1);
  });

  it('starts anew after a compaction, and where the context shrank', () => {
    const session = new Session()
      .answer('m1', 150_000, 30)
      .add('boundary')
      .human(10)
      .answer('m2', 24_000, 30)
      .human(10)
      .answer('m3', 24_050, 30)
      .human(10)
      .answer('m4', 9_000, 30)
      .human(10)
      .answer('m5', 9_044, 30);
    assert.deepEqual(session.pairs(), [
      [50, 40],
      [44, 40],
    ]);
  });

  it('makes no pair over a rewind, where the history goes on from an earlier line', () => {
    const session = new Session().human(5).answer('m1', 20_000, 30).human(10).answer('m2', 20_050, 30);
    session.human(400, { at: { parent: 'line-1' } }).answer('m3', 20_500, 30);
    assert.deepEqual(session.pairs(), [[50, 40]]);
  });

  it('does not mistake lines of interleaved requests for each other', () => {
    const session = new Session()
      .answer('m1', 20_000, 30)
      .answer('m2', 20_100, 30)
      .answer('m1', 20_000, 30)
      .human(10)
      .answer('m3', 20_300, 30);
    assert.deepEqual(session.pairs(), [[100, 30]]);
  });

  it('looks at one thread at a time', () => {
    const session = new Session().answer('m1', 20_000, 30, { at: { uuid: 'main' } });
    session
      .add('human', { tokens: 9, at: { isSidechain: true, parent: undefined, uuid: 'side' } })
      .answer('s1', 3_000, 20, { at: { isSidechain: true } })
      .human(10, { at: { isSidechain: true } })
      .answer('s2', 3_033, 20, { at: { isSidechain: true } });
    session.human(10, { at: { parent: 'main' } }).answer('m2', 20_060, 30);
    assert.deepEqual(session.pairs(), [[60, 40]]);
    assert.deepEqual(session.pairs(true), [[33, 30]]);
  });

  it('makes no pair of lines without usage, id or place in the history', () => {
    const session = new Session()
      .answer('m1', 20_000, 30)
      .human(10)
      .answer('m2', 20_050, 30, { contextTokens: undefined })
      .human(10)
      .answer('m3', 20_100, 30, { at: { parent: undefined } })
      .human(10)
      .answer('m4', 20_150, 30, { at: { uuid: undefined } });
    assert.deepEqual(session.pairs(), []);
  });
});
