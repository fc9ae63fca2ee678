import assert from 'node:assert/strict';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { measureFidelity, referenceOf } from '../../../../../src/core/versions/fidelity';
import { LocalSummarizer } from '../../../../../src/core/versions/local/localSummarizer';
import { type Segment, type Summary, joinBlocks } from '../../../../../src/core/versions/types';
import type { SourceMessage } from '../../../../../src/core/material/types';
import { ExactTokenCounter } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const options = { model: '' };

describe('LocalSummarizer', () => {
  let counter: ExactTokenCounter;

  before(() => {
    counter = new ExactTokenCounter(encodeRanks());
  });

  function segmentOf(messages: readonly SourceMessage[], targetTokens: number, ratio = 10): Segment {
    const to = messages.length - 1;
    return { from: 0, to, ratio, aggressiveness: 'moderate', inputTokens: targetTokens * ratio, targetTokens };
  }

  async function summarize(messages: readonly SourceMessage[], ...segments: Segment[]): Promise<Summary> {
    return new LocalSummarizer().summarize({ sessionId: 's', title: '', segments, messages, counter }, options);
  }

  async function textOf(messages: readonly SourceMessage[], targetTokens: number, ratio = 10): Promise<string> {
    return joinBlocks((await summarize(messages, segmentOf(messages, targetTokens, ratio))).blocks);
  }

  const work = sourceMessages(
    ['human', 'Fix the login redirect in src/auth/login.ts. Always keep the old URL working.'],
    [
      'claude',
      "I'll look at the login code first.",
      {
        tools: [
          sourceTool('Read', {
            target: '/home/ada/app/src/auth/login.ts',
            input: { file_path: '/home/ada/app/src/auth/login.ts' },
            result: '     1→export function login() {}',
          }),
          sourceTool('Bash', {
            input: { command: 'npm test' },
            isError: true,
            result: 'running\nTypeError: expected 302, got 404\n',
          }),
          sourceTool('Edit', {
            input: {
              file_path: '/home/ada/app/src/auth/login.ts',
              old_string: 'return 404;',
              new_string: 'return redirect(target, 302);',
            },
          }),
          sourceTool('Bash', { input: { command: 'npm test' }, result: '12 passed in 0.5s' }),
        ],
      },
    ],
    [
      'claude',
      'The root cause was that `login` returned 404 because the target was empty. The redirect works now, all tests pass.',
    ],
    ['human', 'Thanks!'],
  );

  it('tells what was asked, what failed and what fixed it', async () => {
    const text = await textOf(work, 200);
    for (const part of [
      'Fix the login redirect',
      'keep the old URL working',
      'TypeError: expected 302',
      '12 passed',
      'root cause',
    ]) {
      assert.ok(text.includes(part), `${part} is missing in:\n${text}`);
    }
  });

  it('names a file by its path in the project, once in a row of edits', async () => {
    const text = await textOf(work, 200);
    assert.ok(text.includes('- Edited src/auth/login.ts'), text);
    assert.ok(!text.includes('/home/ada'), text);
  });

  it('leaves courtesies and announcements out when there is little room', async () => {
    const text = await textOf(work, 60);
    assert.ok(!/Thanks|look at the login code/.test(text), text);
  });

  it('keeps the words of the human before those of the assistant', async () => {
    const text = await textOf(work, 22);
    assert.match(text, /keep the old URL working|Fix the login redirect/);
  });

  it('gives every block messages of its own segment, in the order of the session', async () => {
    const first = { ...segmentOf(work, 40), to: 1 };
    const second = { ...segmentOf(work, 40), from: 2 };
    const { blocks } = await summarize(work, first, second);
    const starts = blocks.map(({ messages }) => messages[0] ?? -1);
    assert.deepEqual(
      starts,
      starts.toSorted((a, b) => a - b),
    );
    for (const { messages } of blocks) {
      assert.ok(messages.length > 0);
      assert.ok(messages.every((index) => index <= 1) || messages.every((index) => index >= 2), String(messages));
    }
  });

  it('says what was said twice only once', async () => {
    const messages = sourceMessages(
      ['human', 'Use pnpm for all packages, please.'],
      ['claude', 'The lockfile is updated.\n\nThe lockfile is updated.'],
      ['human', 'Use pnpm for all packages, please.'],
    );
    const text = await textOf(messages, 300, 2);
    assert.equal(text.split('Use pnpm').length, 2, text);
    assert.equal(text.split('lockfile').length, 2, text);
  });

  it('drops a rule that the human has replaced', async () => {
    const messages = sourceMessages(
      ['human', "Always end function names with '_d'."],
      ['claude', "Understood, function names end with '_d'."],
      ['human', "From now on, end all function names with '_a'."],
      ['claude', "I'll end function names with '_a'."],
    );
    const text = await textOf(messages, 300, 2);
    assert.ok(text.includes("'_a'"), text);
    assert.ok(!text.includes("'_d'"), text);
  });

  it('keeps what is specific of a dialogue without code, whoever said it', async () => {
    const messages = sourceMessages(
      ['human', 'Hey, how have you been? It is so good to hear from you!'],
      ['claude', 'Really good, thanks for asking! I started a pottery class at the Riverside studio three weeks ago.'],
      ['human', 'Wow, that sounds amazing! I am so happy for you.'],
      ['claude', 'Thank you! How about you, is there anything new?'],
      ['human', 'We signed the lease for the bakery on Mill Street in Leeds yesterday.'],
      ['claude', 'Awesome! You must be so excited. You deserve it!'],
      ['human', 'I am, believe me! It is a dream that comes true.'],
      ['claude', 'My neighbour Gustavo drove me to the hospital on the 3rd of June, I broke my wrist.'],
      ['human', 'Oh no! What a nice neighbour. I hope that you are better now!'],
      ['claude', 'Much better! It is so kind of you to ask.'],
    );
    const text = await textOf(messages, 75, 3);
    for (const part of ['Riverside studio', 'Mill Street', 'Gustavo']) assert.ok(text.includes(part), text);
    assert.ok(!/amazing|Awesome|Thank you/.test(text), text);
  });

  it('tells facts of a chat before vague words, whichever speaker they are of', async () => {
    const facts = [
      'I ran my first half marathon in Leeds, in 2:04.',
      "I'm flying to Lisbon in July to see my sister.",
      'I turned down the job in Frankfurt.',
      'My old turtle Darwin turned 19 this year.',
      'We adopted a greyhound called Biscuit.',
      'I quit smoking, and take a pottery class on Tuesdays.',
      'The gallery shows six of my paintings from October 12.',
      'Our band is called The Paper Lanterns now.',
    ];
    const vague = ["That's such wonderful news.", "It wasn't easy.", 'You always had such talent.', "I can't wait!"];
    const said = facts.map((fact, at) => `${vague[at % vague.length] ?? ''} ${fact} It's so good to hear from you.`);
    const chat = sourceMessages(...said.map((text, at) => [at % 2 === 0 ? 'human' : 'claude', text] as const));
    const text = await textOf(chat, 112, 2.5);
    const held = facts.filter((fact) => text.includes(fact));
    assert.ok(held.length >= 7, text);
    assert.ok(vague.filter((one) => text.includes(one)).length <= 1, text);
  });

  it('does not take words for the point because the answer to them is long', async () => {
    const towns = ['Lisbon', 'Oslo', 'Quito', 'Hanoi', 'Tunis', 'Bergen', 'Malmo', 'Turin'];
    const messages = sourceMessages(
      ...towns.flatMap((town, at) => {
        const next = towns[(at + 1) % towns.length] ?? '';
        return [
          [
            'human',
            `My cousin in ${town} has a boat of ${at + 12} metres. She sails it every summer with ${next} friends.`,
          ],
          [
            'claude',
            `A cousin with a boat in ${town}, ${at + 12} metres, sailed every summer with friends from ${next}. ` +
              `The harbour of ${town} has ${at + 31} berths. Its lighthouse was built in ${1850 + at}.`,
          ],
        ] as const;
      }),
    );
    const text = await textOf(messages, 110, 8);
    const ofHuman = text.split('\n\n').filter((line) => line.startsWith('User: ')).length;
    assert.ok(ofHuman >= 2, text);
    assert.ok(text.split('\n\n').length - ofHuman >= 2, text);
  });

  it('does not take small talk for rules, nor what stands between two apostrophes for a value', async () => {
    const messages = sourceMessages(
      ['human', "Sharing isn't always easy, but I feel it's important to be there for each other. How are you?"],
      ['claude', 'Fine, thanks! We moved from Sweden to Leeds four years ago, and I still miss the lakes.'],
      ['human', "You should always take time for yourself, and make sure that you don't forget who's with you."],
      ['claude', 'True. The doctor told me to cut down on coffee after the operation in March.'],
      ['human', "We must never give up, and we've got to keep on believing in what we're doing."],
      ['claude', 'My daughter plays the violin in the youth orchestra since she turned nine.'],
    );
    const text = await textOf(messages, 70, 2.6);
    for (const part of ['Sweden', 'coffee', 'violin']) assert.ok(text.includes(part), text);
  });

  it('never holds more at a higher ratio', async () => {
    const messages = sourceMessages(
      ...Array.from(
        { length: 12 },
        (_, at) =>
          [
            [
              'human',
              `The gauge of harbour ${at} answers on port ${8400 + at}: never cache its readings for more than ${at + 2} minutes.`,
            ],
            [
              'claude',
              `I moved \`gauge${at}.ts\` to a pool of ${at + 3} connections. The cause was the timeout of ${at * 7} seconds.\n\n- Readings go into \`tide_${at}\`.\n- The retry waits ${at + 30} seconds.`,
            ],
          ] as const,
      ).flat(),
    );
    const all = messages.reduce((sum, { texts }) => sum + counter.count(texts.map(({ text }) => text).join('')), 0);
    const reference = referenceOf(messages, []);
    const scores: number[] = [];
    for (const ratio of [2, 4, 8, 16, 32]) {
      scores.push(measureFidelity(reference, await textOf(messages, Math.round(all / ratio), ratio)).score);
    }
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.ok((scores[0] ?? 0) > 0.5 && (scores.at(-1) ?? 1) < 0.35, scores.join(' '));
  });

  it('tells a short answer with its question', async () => {
    const messages = sourceMessages(
      ['human', 'Add a health check to the server, please.'],
      ['claude', 'I can do that. Should the endpoint listen on port 8080, or on 9000?'],
      ['human', '9000'],
      ['claude', 'Done.'],
    );
    const { blocks } = await summarize(messages, segmentOf(messages, 45));
    const answer = blocks.find(({ text }) => text.includes('9000 (asked: Should the endpoint listen on port 8080'));
    assert.deepEqual([answer?.role, answer?.messages], ['user', [1, 2]], joinBlocks(blocks));
  });

  it('ends with what a list of tasks leaves open', async () => {
    const todos = [
      { content: 'Write the parser', status: 'completed' },
      { content: 'Document the flags', status: 'pending' },
    ];
    const messages = sourceMessages(
      ['human', 'Build the command line, please.'],
      ['claude', 'Started.', { tools: [sourceTool('TodoWrite', { input: { todos } })] }],
    );
    const text = await textOf(messages, 100);
    assert.ok(text.includes('Open: Document the flags'), text);
    assert.ok(!text.includes('Write the parser'), text);
  });

  it('hits targets in languages without spaces, too', async () => {
    const messages = sourceMessages(
      ['human', '検索結果の並び順がおかしいので直してください。今後は any 型を使わないでください。'],
      ['claude', 'スコアの比較が文字列比較になっていました。Number() に変換して修正し、テストを追加しました。'],
    );
    for (const target of [12, 25, 40]) {
      const tokens = counter.count(`${await textOf(messages, target, 3)}\n`);
      assert.ok(tokens <= target && tokens >= target * 0.6, `${tokens} of ${target}`);
    }
  });

  it('has nothing to say about nothing', async () => {
    assert.deepEqual((await summarize([], segmentOf([], 100))).blocks, []);
    const mute = sourceMessages(['human', ''], ['claude', '   \n']);
    assert.deepEqual((await summarize(mute, segmentOf(mute, 100))).blocks, []);
  });

  it('costs nothing', async () => {
    const request = { sessionId: 's', title: '', segments: [segmentOf(work, 50)], messages: work, counter };
    const nothing = { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
    assert.deepEqual(await new LocalSummarizer().estimate(request, options), nothing);
    assert.deepEqual((await summarize(work, segmentOf(work, 50))).cost, nothing);
  });

  it('reports how far it is, and stops when it is asked to', async () => {
    const stopped = AbortSignal.abort(new Error('enough'));
    const request = { sessionId: 's', title: '', segments: [segmentOf(work, 50)], messages: work, counter };
    await assert.rejects(new LocalSummarizer().summarize(request, options, undefined, stopped), /enough/);
    const seen: number[] = [];
    await new LocalSummarizer().summarize(request, options, ({ done, total }) => seen.push(done / total));
    assert.equal(seen.at(-1), 1);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
  });
});
