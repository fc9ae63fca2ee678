import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { LocalSummarizer } from '../../../../../src/core/versions/local/localSummarizer';
import { type Segment, type SummaryBlock, joinBlocks } from '../../../../../src/core/versions/types';
import type { SourceMessage, SourceTool } from '../../../../../src/core/material/types';
import { parseKeepits } from '../../../../../src/core/keepits/markerParser';
import { ExactTokenCounter } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { mixedText } from '../../../support/mixedText';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const prose = fc
  .array(
    fc.constantFrom(
      'Always run the tests before a commit.',
      'The cache is in src/cache/store.ts, because the old one was slow.',
      '# A heading\n',
      '- an item about `parseLine`\n  - one within it\n',
      '1. first\n2. second\n',
      '```ts\nconst a = 1;\nconst b = 2;\n```\n',
      '```\nnever closed\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      'Не используй axios, только fetch.',
      '今後は any 型を使わないでください。',
      'Why does it fail?',
      'Thanks!',
      ' ',
      '\n\n',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(' '));
const text = fc.oneof({ weight: 3, arbitrary: prose }, { weight: 2, arbitrary: mixedText });

const tool: fc.Arbitrary<SourceTool> = fc
  .record({
    name: fc.constantFrom(
      'Bash',
      'Read',
      'Edit',
      'MultiEdit',
      'Write',
      'Grep',
      'Task',
      'TodoWrite',
      'ExitPlanMode',
      'mcp__x__y',
      '',
    ),
    target: fc.constantFrom('', '/home/ada/app/src/a.ts', 'npm test'),
    result: text,
    isError: fc.boolean(),
    afterText: fc.nat(2),
    words: text,
  })
  .map(({ name, words, ...fields }) =>
    sourceTool(name, {
      ...fields,
      input: {
        command: words,
        file_path: fields.target,
        old_string: words,
        new_string: fields.result,
        content: words,
        plan: words,
        todos: [words, { content: words, status: 'pending' }],
        edits: [null, { old_string: 1 }],
      },
    }),
  );

const session: fc.Arbitrary<SourceMessage[]> = fc
  .array(fc.record({ isHuman: fc.boolean(), text, tools: fc.array(tool, { maxLength: 3 }) }), { maxLength: 12 })
  .map((messages) =>
    sourceMessages(
      ...messages.map(
        ({ isHuman, text: said, tools }) =>
          [isHuman ? ('human' as const) : ('claude' as const), said, isHuman ? {} : { tools }] as const,
      ),
    ),
  );

/** Cuts a session in segments at a place, each with a target of its own. */
function segmentsOf(messages: readonly SourceMessage[], cut: number, targets: readonly number[]): Segment[] {
  const middle = Math.min(cut, messages.length);
  return [
    { from: 0, to: middle - 1, targetTokens: targets[0] ?? 1 },
    { from: middle, to: messages.length - 1, targetTokens: targets[1] ?? 1 },
  ]
    .filter(({ from, to }) => to >= from)
    .map((range) => ({ ...range, ratio: 4, aggressiveness: 'moderate', inputTokens: range.targetTokens * 4 }));
}

describe('LocalSummarizer, whatever the session', () => {
  let counter: ExactTokenCounter;

  before(() => {
    counter = new ExactTokenCounter(encodeRanks());
  });

  async function blocksOf(
    messages: readonly SourceMessage[],
    segments: readonly Segment[],
  ): Promise<readonly SummaryBlock[]> {
    const request = { sessionId: 's', title: '', segments, messages, counter };
    return (await new LocalSummarizer().summarize(request, { model: '' })).blocks;
  }

  const target = fc.integer({ min: 1, max: 400 });

  it('never takes more than its target where a token reaches from block to block', async () => {
    const names = ['cache', 'queue', 'mailer', 'parser', 'router'];
    const said = names.flatMap((name) => [`The ${name} has to be tested before every commit!`, `/* ${name} of old */`]);
    const messages = sourceMessages(...said.map((words) => ['claude' as const, words] as const));
    for (let tokens = 1; tokens <= 160; tokens += 1) {
      const written = joinBlocks(await blocksOf(messages, segmentsOf(messages, 0, [1, tokens])));
      assert.ok(written === '' || counter.count(`${written}\n`) <= tokens, `${tokens}: ${written}`);
    }
  });

  it('never takes more than its target where a sentence in part is all that fits', async () => {
    const messages = sourceMessages(['claude', '\ud6c0'], ['claude', '"key": \u0660\u27c0']);
    for (let tokens = 1; tokens <= 16; tokens += 1) {
      const written = joinBlocks(await blocksOf(messages, segmentsOf(messages, 0, [1, tokens])));
      assert.ok(written === '' || counter.count(`${written}\n`) <= tokens, `${tokens}: ${written}`);
    }
  });

  it('never takes more than its target, and says the same every time', async () => {
    await fc.assert(
      fc.asyncProperty(session, target, async (messages, tokens) => {
        const segments = segmentsOf(messages, 0, [1, tokens]);
        const blocks = await blocksOf(messages, segments);
        const written = joinBlocks(blocks);
        assert.ok(blocks.length === 0 || counter.count(`${written}\n`) <= tokens, written);
        assert.deepEqual(await blocksOf(messages, segments), blocks);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps each block to messages of one segment, in order, and never empty', async () => {
    await fc.assert(
      fc.asyncProperty(session, fc.nat(12), target, target, async (messages, cut, one, other) => {
        const segments = segmentsOf(messages, cut, [one, other]);
        let last = 0;
        for (const block of await blocksOf(messages, segments)) {
          const [first = -1] = block.messages;
          const own = segments.find(({ from, to }) => first >= from && first <= to);
          assert.ok(own !== undefined && block.messages.every((index) => index >= own.from && index <= own.to));
          assert.ok(first >= last && block.text.trim() !== '');
          last = first;
        }
      }),
      { numRuns: 150 },
    );
  });

  it('invents no markers', async () => {
    await fc.assert(
      fc.asyncProperty(session, target, async (messages, tokens) => {
        const written = joinBlocks(await blocksOf(messages, segmentsOf(messages, 0, [1, tokens])));
        const { spans, diagnostics } = parseKeepits(written);
        assert.equal(spans.length + diagnostics.length, 0);
      }),
      { numRuns: 100 },
    );
  });

  it('comes close to its target where there is enough to say', async () => {
    const sentences = Array.from(
      { length: 60 },
      (_, index) =>
        `Module number ${index} reads the file part${index}.ts and keeps its ${index % 7} values in a table.`,
    );
    const messages = sourceMessages(
      ...sentences.map(
        (sentence, index) => [index % 2 === 0 ? ('human' as const) : ('claude' as const), sentence] as const,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 100, max: 900 }), async (tokens) => {
        const written = joinBlocks(await blocksOf(messages, segmentsOf(messages, 0, [1, tokens])));
        const count = counter.count(written);
        assert.ok(count >= tokens * 0.95, `${count} of ${tokens}`);
      }),
      { numRuns: 60 },
    );
  });

  it('survives a giant line, a giant message, and a session of nothing but tool output', async () => {
    const giants = [
      'x'.repeat(2_000_000),
      '語'.repeat(300_000),
      'word '.repeat(400_000),
      '`'.repeat(100_000),
      '- '.repeat(100_000),
      '\ud800'.repeat(10_000),
      'a\n'.repeat(200_000),
    ];
    for (const giant of giants) {
      const said = sourceMessages(['human', giant], ['claude', 'Yes.']);
      const printed = sourceMessages([
        'claude',
        '',
        { tools: [sourceTool('Bash', { input: { command: giant.slice(0, 5000) }, result: giant, afterText: 0 })] },
      ]);
      for (const messages of [said, printed]) {
        const written = joinBlocks(await blocksOf(messages, segmentsOf(messages, 0, [1, 100])));
        assert.ok(counter.count(`${written}\n`) <= 100);
      }
    }
  });
});
