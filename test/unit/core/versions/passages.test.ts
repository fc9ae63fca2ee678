import assert from 'node:assert/strict';
import type { SourceMessage, SourceTool } from '../../../../src/core/material/types';
import { fill, grantText, tokensOf } from '../../../../src/core/versions/digest';
import { passagesOf } from '../../../../src/core/versions/passages';
import { weighed } from '../../../../src/core/versions/passageWeights';

const counter = { id: 'estimate' as const, count: (text: string) => Math.ceil(text.length / 4) };

function conversation(...turns: readonly (readonly [asked: string, ...answers: string[]])[]): SourceMessage[] {
  const said = turns.flatMap(([asked, ...answers]) => [
    { role: 'user' as const, texts: [asked] },
    { role: 'assistant' as const, texts: answers },
  ]);
  return said.map(({ role, texts }, index) => ({
    index,
    uuid: `m${index}`,
    role,
    origin: role === 'user' ? 'prompt' : 'assistant',
    texts: texts.map((text, blockIndex) => ({ recordUuid: `r${index}-${blockIndex}`, blockIndex, text })),
    tools: [],
    tokens: 100,
  }));
}

/** What is told of a conversation in a share of its own room. */
function told(messages: readonly SourceMessage[], share: number): string {
  const [passages = []] = weighed([passagesOf(messages, counter)]);
  const all = passages.flatMap(({ pieces }) => pieces).reduce((sum, { tokens }) => sum + tokens + 4, 0);
  return fill(passages, all * share)
    .map(grantText)
    .join('\n');
}

describe('what is told of a session in little room', () => {
  it('tells what a person could choose from, with what they chose', () => {
    const options = [
      { label: 'Marker line', description: 'A line of its own below the entry' },
      { label: 'Fourth field', description: 'A word behind the checksum' },
    ];
    const asking = { questions: [{ question: 'How is it marked?', header: 'Mark', options }] };
    const ask = { name: 'AskUserQuestion', target: '', input: asking, result: '', isError: false, afterText: 1 };
    const [request, answer] = conversation(['Broken archives should be told.', 'I see two ways.']);
    assert.ok(request && answer);
    const messages = [
      request,
      { ...answer, tools: [ask] },
      ...conversation(['> How is it marked?\nFourth field', 'Done.']),
    ];
    assert.match(
      told(messages, 0.9),
      /Options Mark:\n- Marker line: A line of its own below the entry\n- Fourth field: A word behind the checksum\n/,
    );
  });

  it('leaves out what leads on to a tool, and questions that were over', () => {
    const text = told(
      conversation([
        'Why does the poller fail on port 8443?',
        'The poller opens a second connection while the first one waits for the gauge.\n\n**Step 2: Update the pool**',
        'The pool was too small: `maxConnections` is 12 now. Should I also look at the charts?',
      ]),
      0.75,
    );
    assert.ok(text.includes('maxConnections'), text);
    assert.ok(!text.includes('Step 2') && !text.includes('the charts?'), text);
  });

  it('keeps the question that a short answer answers', () => {
    const messages = conversation(
      ['Plan the storage of the readings.', 'Both work. Should the readings go into SQLite or into PostgreSQL 16?'],
      ['SQLite.', 'Done.'],
    );
    assert.ok(told(messages, 0.8).includes('PostgreSQL 16?'));
  });

  it('keeps a few lines of code that are the answer', () => {
    const messages = conversation([
      'How do I run it?',
      'Like this:\n\n```\nuv run tidewatch --port 8443\n```\n\nThat is all that there is to say about it, really.',
    ]);
    assert.ok(told(messages, 0.7).includes('--port 8443'));
  });

  it('says once what is said twice, and spends nothing on courtesies', () => {
    const plan = 'The poller reads 14 gauges over one pool of 12 connections, and retries after 30 seconds.';
    const text = told(
      conversation(
        ['Plan the poller for the harbour gauges.', `You're absolutely right!\n\n${plan}`],
        ['Plan the poller for the harbour gauges.', `Perfect!\n\n${plan}\n\nThe charts are drawn with D3 now.`],
      ),
      0.5,
    );
    assert.equal(text.split(plan).length, 2, text);
    assert.equal(text.split('Plan the poller').length, 2, text);
    assert.ok(text.includes('D3'), text);
    assert.ok(!/Perfect|right!/.test(text), text);
  });

  it('tells what a person typed before most of what was said to it', () => {
    const asked = 'Please keep going on your own. I do not want to be asked before each small thing.';
    const reports = ['WAL mode', 'PostgreSQL 16', 'port 8443', 'the D3 charts', 'the `gauge.ts` reader'].map(
      (what) => `Moved ${what} into \`src/${what.length}.ts\` with 14 lines changed.`,
    );
    const text = told(conversation([asked, reports.join('\n')]), 0.5);
    assert.ok(text.includes(asked), text);
  });

  it('leaves out what was said on the way and names nothing', () => {
    const text = told(
      conversation([
        'Why does the poller fail?',
        'The tests pass now.',
        'The cause was the timeout: it is counted twice.',
        '`gauge.ts` waits for 30 seconds.',
        'It waits 30 seconds now, once.',
      ]),
      0.85,
    );
    assert.ok(!text.includes('tests pass'), text);
    assert.ok(text.includes('The cause was') && text.includes('gauge.ts'), text);
  });

  it('leaves out a plan that was refused', () => {
    const [first, ...rest] = conversation(
      ['Plan the poller.', 'Here is a plan.'],
      ['Use SQLite instead.', 'Here is the next one.'],
    );
    assert.ok(first);
    const withPlans = rest.map((message, at) => {
      if (message.role === 'user') return message;
      const plan = at === 0 ? 'Store the readings in PostgreSQL 16.' : 'Store the readings in SQLite.';
      const result = at === 0 ? "The user doesn't want to proceed with this tool use." : 'Approved.';
      const tool = { name: 'ExitPlanMode', target: '', input: { plan }, result, isError: at === 0, afterText: 1 };
      return { ...message, tools: [tool] };
    });
    const text = told([first, ...withPlans], 1);
    assert.ok(text.includes('Plan: Store the readings in SQLite.') && !text.includes('PostgreSQL'), text);
  });

  it('cuts what a tool answered at the ends of its lines, so that the room is filled', () => {
    const [message] = conversation(['Count the gauges.']);
    assert.ok(message);
    const result = Array.from({ length: 200 }, (_, at) => `gauge ${at}: ${at * 7} mm`).join('\n');
    const tool = {
      name: 'Bash',
      target: 'cat gauges.txt',
      input: { command: 'cat gauges.txt' },
      result,
      isError: false,
      afterText: 0,
    };
    const messages: SourceMessage[] = [message, { ...message, index: 1, role: 'assistant', texts: [], tools: [tool] }];
    const [passages = []] = weighed([passagesOf(messages, counter, { hasSteps: true })]);
    for (const room of [200, 600, 900]) {
      const grants = fill(passages, room);
      const tokens = tokensOf(grants);
      assert.ok(tokens <= room && tokens > room - 120, `${tokens} of ${room}`);
      const text = grants.map(grantText).join('\n');
      assert.ok(
        text
          .split('\n')
          .every((line) => !line.includes('gauge') || /^(?:… )? *(?:gauge \d+: \d+ mm|Bash: .*|Count.*)$/.test(line)),
        text,
      );
    }
  });

  it('tells a plan that was put again once, as it was put last', () => {
    const plan = (storage: string): string =>
      `# Poller\n\nIt reads 14 gauges.\nIt retries after 30 seconds.\nIt draws charts with D3.\nIt stores readings in ${storage}.`;
    const messages = conversation(['Plan it.', 'A plan.'], ['Without a server, please.', 'Another one.']).map(
      (message, at): SourceMessage => {
        const input = { plan: plan(at === 1 ? 'PostgreSQL' : 'SQLite') };
        const tool = { name: 'ExitPlanMode', target: '', input, result: 'Approved.', isError: false, afterText: 1 };
        return message.role === 'user' ? message : { ...message, tools: [tool] };
      },
    );
    const text = told(messages, 1);
    assert.ok(text.includes('in SQLite') && !text.includes('PostgreSQL'), text);
    assert.equal(text.split('14 gauges').length, 2, text);
  });

  it('cuts lists that are counted from the end', () => {
    const points = [
      'Look at it.',
      'Raise `maxConnections` in `gauge.ts` to 12.',
      'Move port 8443 behind the proxy `caddy`.',
    ];
    const list = points.map((point, at) => `${at + 1}. ${point}`).join('\n');
    for (const share of [0.5, 0.6, 0.7, 0.8]) {
      const text = told(conversation(['What now?', list]), share);
      assert.ok(!text.includes('2. ') || text.includes('1. '), text);
      assert.ok(!text.includes('3. ') || text.includes('2. '), text);
    }
  });

  it('spends little on what Claude has reported before in other words', () => {
    const report = (more: string): string => `The Prisma client is regenerated by biome in \`schema.ts\`. ${more}`;
    const text = told(
      conversation(
        ['Why is the tree dirty?', report('The formatter rewrites it.')],
        [
          'And now?',
          'In `schema.ts` biome regenerated the Prisma client. Port 8443 is blocked by the proxy of the lab.',
        ],
      ),
      0.6,
    );
    assert.ok(text.includes('8443'), text);
  });
});

describe('what is told of tools, step by step', () => {
  type Call = Pick<SourceTool, 'name' | 'input' | 'result'> & { readonly isError?: boolean };

  function steps(calls: readonly Call[], reply = 'Thank you for that.'): string {
    const messages = conversation(['Repair the poller.', 'Done.'], [reply, 'Gladly.']);
    const tools = calls.map((call) => ({ target: '', isError: false, afterText: 0, ...call }));
    const all = messages.map((message, at) => (at === 1 ? { ...message, tools } : message));
    const [passages = []] = weighed([passagesOf(all, counter, { hasSteps: true })]);
    return fill(passages, 100_000).map(grantText).join('\n');
  }

  it('shows what an edit changed, and not the answer that it was made', () => {
    const input = { file_path: '/src/gauge.ts', old_string: 'wait(30);\nread();', new_string: 'wait(12);\nread();' };
    const text = steps([{ name: 'Edit', input, result: 'The file /src/gauge.ts has been updated.' }]);
    assert.ok(text.includes('- wait(30);') && text.includes('+ wait(12);'), text);
    assert.ok(!text.includes('has been updated') && !text.includes('read();'), text);
  });

  it('leaves out steps with nothing behind them', () => {
    const text = steps([
      { name: 'TodoWrite', input: { todos: [] }, result: 'Todos have been modified successfully.' },
      { name: 'ExitPlanMode', input: {}, result: 'Approved.' },
      { name: 'Bash', input: { command: 'git status' }, result: '' },
      { name: 'Edit', input: { file_path: '/a.ts' }, result: 'File has not been read yet.', isError: true },
    ]);
    assert.ok(!/TodoWrite|ExitPlanMode|Bash|Edit/.test(text), text);
  });

  it('says what a command came to in its line, once', () => {
    const text = steps([{ name: 'Bash', input: { command: 'npm test' }, result: '80 passed in 2.91s' }]);
    assert.equal(text.split('npm test').length, 2, text);
    assert.equal(text.split('80 passed').length, 2, text);
  });

  it('leaves the lines of a report whole, and cuts those of other answers', () => {
    const report = `${'The poller reads the gauges over one pool. '.repeat(8)}It never closes it.`;
    const call = { input: { description: 'Look' }, result: `Done.\n${report}` };
    assert.ok(steps([{ name: 'Task', ...call }]).includes('never closes'));
    assert.ok(!steps([{ name: 'SendMessage', ...call }]).includes('never closes'));
  });

  it('does not take what a person said to a call for its error', () => {
    const reply = 'Please add the gauge file too first.';
    const calls = [{ name: 'Bash', input: { command: 'git commit -m poller' }, result: reply, isError: true }];
    const text = steps(calls, reply);
    assert.equal(text.split(reply).length, 2, text);
    assert.ok(!text.includes('failed'), text);
  });

  it('names the call above an answer of which the call was told before', () => {
    const input = { command: 'cat /var/lib/tidewatch/gauges/readings.txt' };
    const calls = ['gauge 4 reads 12 mm', 'gauge 9 reads 14 mm'].map((result) => ({ name: 'Bash', input, result }));
    const lines = steps(calls).split('\n');
    assert.ok(lines[lines.findIndex((line) => line.includes('gauge 9')) - 1]?.startsWith('Bash: '), lines.join('\n'));
  });
});
