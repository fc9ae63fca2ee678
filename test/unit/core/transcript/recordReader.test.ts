import assert from 'node:assert/strict';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import { chunks, fixture, jsonl, quarterTokens, read, said } from './transcriptFixtures';

const encoder = new TextEncoder();

function problemsOf(text: string): string[] {
  return read(encoder.encode(text)).account.broken.map(({ error }) => error);
}

describe('reading damaged transcripts', () => {
  it('reads what is whole, and names every line that is not', () => {
    const { account, ...conversation } = read(fixture('damaged.jsonl'));
    assert.deepEqual(said(conversation), [
      'user: First.',
      'assistant: Second.',
      'user: Third \ud83d lone.',
      'assistant: Glued.',
      'user: After the crash.',
      'assistant: Caf\ufffd',
    ]);
    assert.deepEqual(
      account.broken.map(({ line }) => line),
      [4, 6, 7, 14, 15],
    );
    assert.deepEqual(account.skipped, {
      blank: 1,
      comment: 1,
      duplicate: 1,
      'unknown type brand-new-thing': 1,
      'no type': 1,
    });
    assert.deepEqual(
      account.salvaged.map(({ line }) => line),
      [9],
    );
    assert.equal(account.lines, 15);
    assert.equal(account.used, 5);
  });

  it('leaves a torn last line alone while the session is being written', () => {
    const bytes = fixture('damaged.jsonl');
    const reader = new TranscriptReader({ estimator: quarterTokens });
    reader.feed(bytes);
    const { account, end } = reader.conversation('ifWhole');
    assert.equal(account.lines, 14);
    assert.equal(end.line, 14);
    assert.equal(bytes[end.offset - 1], 0x0a);
  });

  it('reads a whole last line that only lacks its newline', () => {
    const bytes = fixture('titles.jsonl');
    const { account } = read(bytes.slice(0, -1), undefined, 'ifWhole');
    assert.equal(account.lines, 6);
  });

  it('says what is wrong with a line', () => {
    assert.deepEqual(problemsOf('{"type":"user","message":{"content":"torn'), [
      'torn: unexpected end of string at byte 36',
    ]);
    assert.deepEqual(problemsOf('{"type":"user",}'), ['property name expected at byte 15']);
    assert.deepEqual(problemsOf('{"type":"user" "uuid":"a"}'), ['comma expected at byte 15']);
    assert.deepEqual(problemsOf('{"type":"progress","data":[1,2}}'), ['comma expected at byte 30']);
    assert.deepEqual(problemsOf('{"type":"progress","data":tru}'), ['invalid symbol at byte 26']);
    assert.deepEqual(problemsOf('\x01\n\x0b{}\x0b'), ['not a JSON object', 'not a JSON object']);
    assert.deepEqual(problemsOf('[1]\n"a"\nnull'), ['not a JSON object', 'not a JSON object', 'not a JSON object']);
    assert.deepEqual(problemsOf('{"type":"progress","data":"a\0b"}'), ['NUL bytes inside a record']);
    assert.deepEqual(problemsOf('{"type":"user","uuid":"bad \\x escape"}'), ['invalid escape character at byte 22']);
    assert.deepEqual(problemsOf(`{"type":"progress","data":${'['.repeat(100_000)}`), ['nested too deeply']);
  });

  it('reads a record although the copy of its tool result is damaged', () => {
    const line =
      '{"type":"user","uuid":"a","message":{"content":"kept"},"toolUseResult":{"stdout":"bad \\x \x01"},"cwd":"/a"}';
    const { account, messages } = read(encoder.encode(line));
    assert.deepEqual([account.used, messages.map(({ text }) => text)], [1, ['kept']]);
  });

  it('does not take a nested object of a torn line for a record', () => {
    const nested =
      '{"type":"progress","uuid":"p","sessionId":"s","data":{"message":{"type":"user","message":{"content":"nested"}}';
    const { account, messages } = read(encoder.encode(nested));
    assert.equal(account.brokenCount, 1);
    assert.deepEqual(messages, []);
  });

  it('reads lines of 10 MB that arrive in small chunks, and keeps only a line of them', () => {
    const output = `${'long "quoted" output\\n'.repeat(200_000)}${'x'.repeat(6_000_000)}`;
    const bytes = jsonl(
      {
        type: 'assistant',
        uuid: 'a',
        message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'cat' } }] },
      },
      {
        type: 'user',
        uuid: 'b',
        parentUuid: 'a',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content: output }] },
        toolUseResult: { stdout: output },
      },
      { type: 'user', uuid: 'c', parentUuid: 'b', message: { content: 'And now?' } },
    );
    const reader = new TranscriptReader({ estimator: quarterTokens });
    for (const chunk of chunks(bytes, [65_536])) reader.feed(chunk);
    const { messages, account } = reader.conversation();
    assert.equal(account.used, 3);
    const result = messages[0]?.tools[0]?.result;
    assert.ok(result);
    assert.ok(result.bytes > output.length);
    assert.ok(result.preview.length <= 200);
    assert.equal(messages[1]?.text, 'And now?');
  });

  it('cuts previews between characters', () => {
    const emoji = '😀'.repeat(500);
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: emoji } };
    const { messages } = read(jsonl({ type: 'assistant', uuid: 'a', message: { id: 'm', content: [call] } }));
    assert.match(messages[0]?.tools[0]?.target ?? '', /^(?:😀){90,100}$/u);
  });

  it('takes what newer versions of Claude Code keep for themselves for what it is: nothing is said twice', () => {
    const words = { role: 'user', content: 'Keep ##keepit1.00## this ##keepit:end##.' };
    const { messages, account } = read(
      jsonl(
        { type: 'user', uuid: 'a', message: words },
        { type: 'api-request-shape', shapeHash: '1', shape: { system: [{ type: 'text', text: 'You are.' }] } },
        { type: 'api-request-blob', hash: '2', message: words },
        { type: 'api-request', id: '3', tail: ['2'] },
        { type: 'atis-latch', atis: '' },
        {
          type: 'assistant',
          uuid: 'b',
          parentUuid: 'a',
          message: { id: 'm', content: [{ type: 'text', text: 'Kept.' }] },
        },
        { type: 'tools-used', tools: ['Bash'] },
        { type: 'cost-state', totalCostUSD: 0 },
      ),
    );
    assert.deepEqual(
      messages.map(({ text }) => text),
      [words.content, 'Kept.'],
    );
    assert.deepEqual(Object.keys(account.skipped).sort(), [
      'api-request',
      'api-request-blob',
      'api-request-shape',
      'atis-latch',
      'cost-state',
      'tools-used',
    ]);
  });
});
