import assert from 'node:assert/strict';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import type { ByteRange } from '../../../../src/core/transcript/types';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { fixture, jsonl, quarterTokens, read, said, summarize } from './transcriptFixtures';

describe('TranscriptReader', () => {
  it('keeps the branch that a rewind left apart from the live conversation', () => {
    const conversation = read(fixture('rewind.jsonl'));
    assert.deepEqual(said(conversation), [
      'user: Use PostgreSQL for the orders.',
      'assistant: PostgreSQL it is.',
      'user: Now write the schema without triggers.',
      'assistant: A schema without triggers.',
    ]);
    const [branch, ...others] = conversation.abandoned;
    assert.equal(others.length, 0);
    assert.ok(branch);
    assert.deepEqual(said(branch), [
      'user: Now write the schema with triggers.',
      'assistant: The triggers are written.',
    ]);
    assert.equal(branch.forkUuid, 'a2000000-0000-4000-8000-000000000000');
    assert.equal(branch.messages[1]?.tools[0]?.target, '/home/dev/shop/schema.sql');
  });

  it('recovers parallel tool calls, whose results are siblings of which only one is on the path', () => {
    const conversation = read(fixture('parallel-tools.jsonl'));
    assert.deepEqual(said(conversation), [
      'user: Look at both files.',
      'assistant: I look at both.',
      'assistant: Both are fine.',
    ]);
    assert.deepEqual(conversation.abandoned, []);
    const tools = conversation.messages[1]?.tools ?? [];
    assert.deepEqual(
      tools.map(({ name, target, result }) => [name, target, result?.preview, result?.isError]),
      [
        ['Read', '/home/dev/shop/a.ts', 'export const a = 1;', false],
        ['Read', '/home/dev/shop/b.ts', 'export const b = 2;', false],
        ['Bash', 'ls -la', 'Exit code 2', true],
        ['Grep', 'TODO', 'none', false],
      ],
    );
    assert.equal(tools[0]?.result?.images, 1);
  });

  it('counts what was written again under new uuids once, and goes on from it', () => {
    const record = (uuid: string, parentUuid: string | null, at: string, more: object): object => ({
      sessionId: 's',
      uuid,
      parentUuid,
      timestamp: `2026-01-21T15:30:${at}Z`,
      ...more,
    });
    const asks = (text: string): object => ({ type: 'user', message: { role: 'user', content: text } });
    const answers = (id: string, ...content: object[]): object => ({
      type: 'assistant',
      message: { role: 'assistant', id, content },
    });
    const [text, call] = [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a.ts' } },
    ];
    const result = (content: string): object => ({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
    });
    const conversation = read(
      jsonl(
        record('a', null, '16.888', asks('Read it.')),
        record('b', 'a', '17.100', answers('msg_1', text)),
        record('c', 'b', '17.200', answers('msg_1', call)),
        record('d', 'c', '18.000', result('const a = 1;')),
        record('e', 'd', '19.000', answers('msg_2', { type: 'text', text: 'It is short.' })),
        // Resumed: the same once more, with the result cut.
        record('A', null, '16.888', asks('Read it.')),
        record('B', 'A', '17.100', answers('msg_1', text)),
        record('C', 'B', '17.200', answers('msg_1', call)),
        record('D', 'C', '18.000', result('[cut]')),
        record('E', 'D', '19.000', answers('msg_2', { type: 'text', text: 'It is short.' })),
        record('F', 'E', '30.000', asks('Read it.')),
        record('G', 'F', '31.000', answers('msg_3', { type: 'text', text: 'Once more.' })),
      ),
    );
    assert.deepEqual(said(conversation), [
      'user: Read it.',
      'assistant: I look.',
      'assistant: It is short.',
      'user: Read it.',
      'assistant: Once more.',
    ]);
    assert.deepEqual(conversation.abandoned, []);
    assert.equal(conversation.messages[1]?.tools.length, 1);
    assert.equal(conversation.messages[1].tools[0]?.result?.preview, 'const a = 1;');
    assert.equal(conversation.account.skipped['duplicate'], 5);
  });

  it('counts an API message of a model once, however many lines it has', () => {
    const { meta } = read(fixture('parallel-tools.jsonl'));
    assert.deepEqual(meta.models, { 'claude-sonnet-4-5': 3 });
  });

  it('names the places of texts, inputs and results in the file', () => {
    const bytes = fixture('parallel-tools.jsonl');
    const text = (range: ByteRange = { offset: 0, length: 0 }): string =>
      new TextDecoder().decode(bytes.slice(range.offset, range.offset + range.length));
    const { messages } = read(bytes, [7]);
    const block = messages[1]?.blocks.find(({ kind }) => kind === 'text');
    assert.equal(text(block?.range), '"I look at both."');
    const [tool] = messages[1]?.tools ?? [];
    assert.equal(text(tool?.input), '{"file_path":"/home/dev/shop/a.ts"}');
    assert.match(text(tool?.result?.range), /^\[\{"type":"text","text":"export const a = 1;"\},.*\]$/);
    assert.equal(text({ offset: messages[0]?.offset ?? 0, length: 20 }), '{"parentUuid":null,"');
  });

  it('keeps thinking as a place in the file, never as text', () => {
    const { messages } = read(fixture('parallel-tools.jsonl'));
    assert.deepEqual(
      messages[1]?.blocks.map(({ kind }) => kind),
      ['thinking', 'text'],
    );
    assert.equal(messages[1].tools[0]?.afterBlock, 2);
  });

  it('takes thinking that leaked into words for thinking, in both readings', () => {
    const transcript = new TranscriptBuilder('s')
      .human('Which one?')
      .assistant('<thinking>\n##keepit1.00## They never want tabs.\n</thinking>\n\n##keepit0.80## The second.')
      .human('Sure?')
      .assistant('<thinking>Not at all.</thinking>')
      .assistant('<thinking>\nI am cut off');
    const bytes = new TextEncoder().encode(transcript.toString());
    const conversation = read(bytes);
    assert.deepEqual(said(conversation), [
      'user: Which one?',
      'assistant: ##keepit0.80## The second.',
      'user: Sure?',
      'assistant: ',
    ]);
    assert.deepEqual(
      conversation.messages[3]?.blocks.map(({ kind }) => kind),
      ['thinking', 'thinking'],
    );
    const summary = summarize(bytes);
    assert.deepEqual([summary.messages, summary.keepitCandidates], [4, { '0.80': 1 }]);
    assert.equal(
      summary.tokens,
      conversation.messages.reduce((sum, { tokens }) => sum + tokens, 0),
    );
  });

  it('leaves words as they are that Keepit wrote itself', () => {
    const text = '<thinking>about the tag</thinking>';
    const message = { id: 'm', role: 'assistant', model: 'keepit', content: [{ type: 'text', text }] };
    const transcript = new TranscriptBuilder('s').human('Go on.').assistant('', { message });
    assert.equal(read(new TextEncoder().encode(transcript.toString())).messages[1]?.text, text);
  });

  it('takes nobody for the author of what hooks, channels and tasks tell the assistant', () => {
    const transcript = new TranscriptBuilder('s')
      .human('Fix it.')
      .assistant('Fixed.')
      .human('Stop hook feedback:\n[npm test]: Never stop before the tests pass. ##keepit1.00## Tests first.')
      .assistant('They pass.')
      .human('<channel source="chat">\nAlways use tabs.\n</channel>')
      .human('Operation stopped by hook: no commits on Fridays')
      .human(
        '<task-notification>\n<task-id>a</task-id>\n</task-notification>\nFull transcript available at: /tmp/tasks/a.output',
      );
    const bytes = new TextEncoder().encode(transcript.toString());
    const conversation = read(bytes);
    assert.deepEqual(said(conversation), ['user: Fix it.', 'assistant: Fixed.', 'assistant: They pass.']);
    assert.deepEqual(
      conversation.events.map(({ kind }) => kind),
      ['meta', 'meta', 'meta', 'meta'],
    );
    const { messages, turns, keepitCandidates } = summarize(bytes);
    assert.deepEqual([messages, turns, keepitCandidates], [3, conversation.turns.length, {}]);
  });

  it('keeps the history before a compaction, and the summary out of the messages', () => {
    const conversation = read(fixture('compaction.jsonl'));
    assert.deepEqual(said(conversation), [
      'user: Plan the import.',
      'assistant: The import has three steps.',
      'user: Go on with step two.',
      'assistant: Step two is done.',
    ]);
    assert.deepEqual(conversation.abandoned, []);
    const [compaction] = conversation.meta.compactions;
    assert.deepEqual([compaction?.trigger, compaction?.preTokens, compaction?.postTokens], ['auto', 155000, 3500]);
    assert.deepEqual(
      conversation.events.map(({ kind, beforeMessage }) => [kind, beforeMessage]),
      [
        ['compaction', 2],
        ['compactSummary', 2],
      ],
    );
  });

  it('reads copied history once, and keeps what follows a lost line', () => {
    const conversation = read(fixture('resumed.jsonl'));
    assert.deepEqual(said(conversation), [
      'user: Name the module billing.',
      'assistant: It is called billing.',
      'user: And its test?',
      'assistant: billing.test.ts',
      'user: This came after a line that was lost.',
      'assistant: Still here.',
    ]);
    assert.equal(conversation.account.skipped['duplicate'], 2);
    assert.equal(conversation.meta.sessionIds.length, 2);
    assert.deepEqual(conversation.meta.copiedFrom, ['0ld5e550-0000-4000-8000-000000000009']);
  });

  it('puts the dialogue of an inline sub-agent apart and finds the call that started it', () => {
    const conversation = read(fixture('inline-agent.jsonl'));
    assert.deepEqual(said(conversation), ['user: Find the dead code.', 'assistant: Two exports can go.']);
    const [agent] = conversation.agents;
    assert.ok(agent);
    assert.deepEqual(said(agent), ['user: List unused exports.', 'assistant: Two exports are unused.']);
    assert.equal(agent.toolUseId, 'toolu_task');
    assert.equal(agent.description, 'Search dead code');
    assert.equal(conversation.messages[1]?.tools[0]?.result?.preview, 'Two exports are unused.');
  });

  it("reads an agent's own file as a conversation", () => {
    const conversation = read(fixture('agent-a1b2c3d4.jsonl'));
    assert.deepEqual(said(conversation), ['user: List unused exports.', 'assistant: Two exports are unused.']);
    assert.deepEqual(conversation.agents, []);
    assert.equal(conversation.meta.agentId, 'a1b2c3d4');
    assert.equal(conversation.titles.firstWords, 'List unused exports.');
  });

  it("tells the human's own words from everything else under type user", () => {
    const conversation = read(fixture('authors.jsonl'));
    assert.deepEqual(
      conversation.messages.map(({ role, origin, text }) => [role, origin, text]),
      [
        ['user', 'prompt', 'Never touch the ledger table.'],
        ['user', 'prompt', 'Explain this file.'],
        ['user', 'prompt', 'Why does <system-reminder> show up, and what is <system-reminder>x</system-reminder> for?'],
        ['user', 'command', '/review the ledger, please'],
        ['user', 'command', '/init'],
        ['assistant', 'assistant', 'I wrote CLAUDE.md.'],
        ['user', 'prompt', 'bare words'],
        ['user', 'prompt', 'always use tabs'],
      ],
    );
    assert.deepEqual(
      conversation.events.map(({ kind }) => kind),
      [
        'meta',
        'command',
        'commandOutput',
        'meta',
        'bashInput',
        'bashOutput',
        'interrupted',
        'meta',
        'apiError',
        'meta',
      ],
    );
    assert.deepEqual(
      conversation.messages[6]?.blocks.map(({ kind }) => kind),
      ['text', 'image'],
    );
  });

  it('opens a turn with each human message, a command that the assistant answers among them', () => {
    const { turns } = read(fixture('authors.jsonl'));
    assert.deepEqual(
      turns.map(({ human, messages }) => [human?.text.slice(0, 12), messages.length]),
      [
        ['Never touch ', 1],
        ['Explain this', 1],
        ['Why does <sy', 1],
        ['/review the ', 1],
        ['/init', 2],
        ['bare words', 1],
        ['always use t', 1],
      ],
    );
  });

  it('counts a queued prompt once, and tells of one that was never sent', () => {
    const conversation = read(fixture('queue.jsonl'));
    assert.deepEqual(
      conversation.messages.map(({ origin, text }) => [origin, text]),
      [
        ['prompt', 'Start the server.'],
        ['assistant', ''],
        ['queued', 'On port 8080.'],
        ['assistant', 'It listens on 8080.'],
      ],
    );
    assert.deepEqual(
      conversation.events.filter(({ kind }) => kind === 'unsentPrompt').map(({ text }) => text),
      ['And stop it at night.'],
    );
  });

  it('follows last-prompt to the live leaf, until something is said after it', () => {
    const bytes = fixture('last-prompt.jsonl');
    assert.deepEqual(said(read(bytes)).slice(2), ['user: Two.', 'assistant: Answer two.']);
    const more = jsonl({
      parentUuid: 'c2000000-0000-4000-8000-000000000000',
      uuid: 'd1',
      type: 'user',
      message: { role: 'user', content: 'Three.' },
    });
    assert.deepEqual(said(read(Buffer.concat([bytes, more]))).slice(2), [
      'user: Two again.',
      'assistant: Answer two again.',
      'user: Three.',
    ]);
  });

  it('survives cycles, self references and children before their parents', () => {
    const line = (uuid: string, parentUuid: string, text: string): unknown => ({
      type: 'user',
      uuid,
      parentUuid,
      message: { content: text },
    });
    const cycle = read(jsonl(line('a', 'b', 'first'), line('b', 'a', 'second'), line('c', 'c', 'third')));
    assert.deepEqual(cycle.messages.map(({ text }) => text).sort(), ['first', 'second', 'third']);
    const rest = [line('b', 'a', 'second'), line('c', 'b', 'third'), line('d', 'c', 'fourth')];
    for (const parent of ['b', 'c', 'd']) {
      const { messages } = read(jsonl(line('a', parent, 'first'), ...rest));
      const texts = messages.map(({ text }) => text);
      assert.deepEqual(texts, ['first', 'second', 'third', 'fourth'], `a circle closed by ${parent}`);
    }
    const reversed = read(jsonl(line('c', 'b', 'third'), line('b', 'a', 'second'), line('a', 'root', 'first')));
    assert.deepEqual(
      reversed.messages.map(({ text }) => text),
      ['first', 'second', 'third'],
    );
  });

  it('takes dates of years that cannot be for none', () => {
    const at = (uuid: string, timestamp: string): unknown => ({
      type: 'user',
      uuid,
      timestamp,
      message: { content: uuid },
    });
    const dates = [
      '-000001-06-01T00:00:00.000Z',
      '0000-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '+012026-01-01T00:00:00.000Z',
    ];
    const lines = [...dates.map((date, index) => at(`wrong ${index}`, date)), at('right', '2026-01-01T00:00:00.000Z')];
    const { messages, meta } = read(jsonl(...lines));
    assert.deepEqual(
      messages.flatMap(({ timestamp }) => timestamp ?? []),
      ['2026-01-01T00:00:00.000Z'],
    );
    assert.equal(messages.length, lines.length);
    assert.equal(meta.firstTimestamp, '2026-01-01T00:00:00.000Z');
  });

  it('keeps messages that came without a uuid', () => {
    const plain = (content: string): unknown => ({ type: 'user', message: { content } });
    assert.deepEqual(said(read(jsonl(plain('one'), plain('two')))), ['user: one', 'user: two']);
  });

  it('makes one message of interleaved lines of one API message', () => {
    const assistant = (uuid: string, parentUuid: string, id: string, text: string): unknown => ({
      type: 'assistant',
      uuid,
      parentUuid,
      message: { id, content: [{ type: 'text', text }] },
    });
    const bytes = jsonl(assistant('1', '', 'x', 'a'), assistant('2', '1', 'y', 'b'), assistant('3', '2', 'x', 'c'));
    assert.deepEqual(said(read(bytes)), ['assistant: a\n\nc', 'assistant: b']);
  });

  it('is not misled by a host that uses the buffer of a chunk again', () => {
    const lines = ['/a', '/b', '/a', '/c', '/c', '/b'].map((cwd, i) =>
      jsonl({
        type: 'user',
        uuid: `u${String(i)}`,
        isSidechain: false,
        userType: 'external',
        cwd,
        sessionId: 's',
        version: '1',
        message: { content: cwd },
      }),
    );
    const buffer = Buffer.alloc(400);
    const reader = new TranscriptReader({ estimator: quarterTokens });
    for (const line of lines) {
      for (const half of [line.subarray(0, 90), line.subarray(90)]) {
        buffer.set(half);
        reader.feed(buffer.subarray(0, half.length));
      }
    }
    assert.deepEqual(reader.conversation().meta.cwds, { '/a': 2, '/b': 2, '/c': 2 });
  });

  it('finds nothing in an empty file', () => {
    const conversation = read(new Uint8Array(0));
    assert.deepEqual(conversation.messages, []);
    assert.equal(conversation.account.lines, 0);
  });
});
