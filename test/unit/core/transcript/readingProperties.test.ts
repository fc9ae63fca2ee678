import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decoded, encoded } from '../../../../src/core/text/byteText';
import { LineScanner } from '../../../../src/core/transcript/lineScanner';
import { readRecords } from '../../../../src/core/transcript/recordReader';
import type { ReadingAccount } from '../../../../src/core/transcript/sessionStats';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import { chunkSizes, cleanTranscript, damagedTranscript, recordText } from './randomTranscript';
import { chunks, quarterTokens, read, summarize } from './transcriptFixtures';

function linesOf(bytes: Uint8Array): number {
  const newlines = bytes.filter((byte) => byte === 0x0a).length;
  return bytes.length === 0 || bytes[bytes.length - 1] === 0x0a ? newlines : newlines + 1;
}

function sumOf(account: ReadingAccount): number {
  return account.used + account.brokenCount + Object.values(account.skipped).reduce((sum, count) => sum + count, 0);
}

describe('reading any transcript', () => {
  it('accounts for every line exactly once, whatever is in it', () => {
    fc.assert(
      fc.property(damagedTranscript, chunkSizes, (bytes, sizes) => {
        const { account } = read(bytes, sizes);
        assert.equal(account.lines, linesOf(bytes));
        assert.equal(sumOf(account), account.lines);
        assert.equal(account.broken.length, account.brokenCount);
      }),
    );
  });

  it('gives the same conversation however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(damagedTranscript, chunkSizes, (bytes, sizes) => {
        assert.deepEqual(read(bytes, sizes), read(bytes));
      }),
    );
  });

  it('loses no message: every human record is live, abandoned, in a sub-agent, or a duplicate', () => {
    fc.assert(
      fc.property(cleanTranscript, (bytes) => {
        const conversation = read(bytes);
        const threads = [conversation, ...conversation.agents].flatMap((thread) => [thread, ...thread.abandoned]);
        const messages = threads.flatMap((thread) => thread.messages);
        const uuids = messages.flatMap(({ lineUuids }) => lineUuids);
        assert.equal(new Set(uuids).size, uuids.length);
        const said = new Set(uuids);
        const seen = new Set<string>();
        for (const line of new TextDecoder().decode(bytes).split('\n')) {
          const uuid =
            /"type":"assistant"/.test(line) && !/<synthetic>/.test(line)
              ? /"uuid":"(uuid-\d+)"/.exec(line)?.[1]
              : undefined;
          const any = /"uuid":"(uuid-\d+)"/.exec(line)?.[1];
          // What was written again under another uuid has the same time and the same API message.
          const content = [/"timestamp":"[^"]*"/, /"id":"msg[^"]*"/].map((part) => part.exec(line)?.[0]).join();
          if (uuid !== undefined && !seen.has(uuid) && !seen.has(content)) assert.ok(said.has(uuid), uuid);
          if (any !== undefined) seen.add(any).add(content);
        }
      }),
    );
  });

  it('counts in a summary what is in the conversation', () => {
    fc.assert(
      fc.property(damagedTranscript, chunkSizes, (bytes, sizes) => {
        const conversation = read(bytes);
        const summary = summarize(bytes, sizes);
        const { messages, turns, agents, titles, meta, account, end } = conversation;
        assert.equal(summary.messages, messages.length);
        assert.equal(summary.turns, turns.length);
        assert.equal(
          summary.toolSteps,
          messages.reduce((sum, { tools }) => sum + tools.length, 0),
        );
        assert.equal(
          summary.tokens - summary.resultTokens,
          messages.reduce((sum, { tokens }) => sum + tokens, 0),
        );
        assert.equal(summary.inlineAgents, agents.length);
        assert.deepEqual(
          { titles: summary.titles, meta: summary.meta, account: summary.account, end: summary.end },
          { titles, meta, account, end },
        );
      }),
    );
  });

  it('takes every line for a whole record that JSON.parse takes for an object', () => {
    const mutation = fc.constantFrom('', '"', '}', ']', ',', ':', '\\', 'x', '{', '1', ' ');
    fc.assert(
      fc.property(recordText, fc.nat(600), mutation, (json, at, inserted) => {
        const line = `${json.slice(0, at)}${inserted}${json.slice(at + 1)}`;
        if (isObject(line)) assert.ok(isWhole(line), line);
      }),
      { numRuns: 500 },
    );
  });

  it('never takes a torn record for a whole one', () => {
    fc.assert(
      fc.property(recordText, fc.nat(), (json, cut) => {
        assert.equal(isWhole(json.slice(0, cut % json.length)), false);
      }),
    );
  });

  it('never holds a line above the bound, and tells of it', () => {
    const long = `{"type":"user","uuid":"big","message":{"content":"${'x'.repeat(5000)}"}}`;
    const bytes = new TextEncoder().encode(`${long}\n{"type":"user","uuid":"a","message":{"content":"kept"}}\n${long}`);
    const reader = new TranscriptReader({ estimator: quarterTokens, maxLineBytes: 1000 });
    for (const chunk of chunks(bytes, [256])) reader.feed(chunk);
    const { messages, account } = reader.conversation('read');
    assert.deepEqual(
      messages.map(({ text }) => text),
      ['kept'],
    );
    assert.deepEqual(
      account.broken.map(({ line, error }) => [line, error]),
      [
        [1, `oversized: ${String(long.length)} bytes`],
        [3, `oversized: ${String(long.length)} bytes`],
      ],
    );
  });
});

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // Not JSON is the answer here.
    return false;
  }
}

function isWhole(line: string): boolean {
  const content = readRecords(encoded(line));
  return content.kind === 'records' && content.damage === undefined && content.records.length === 1;
}

describe('LineScanner', () => {
  it('numbers lines from 1 and knows their offsets, wherever chunks end', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ maxLength: 20 }).map((s) => s.replaceAll('\n', '')),
          { maxLength: 12 },
        ),
        chunkSizes,
        (lines, sizes) => {
          const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
          const found: [number, number, string][] = [];
          const scanner = new LineScanner({
            onLine: ({ text, line, offset }) => found.push([line, offset, decoded(text)]),
            onOversized: () => assert.fail('no line is that long'),
          });
          for (const chunk of chunks(bytes, sizes)) scanner.feed(chunk);
          let offset = 0;
          const expected = lines.map((line, i) => {
            const at = offset;
            offset += new TextEncoder().encode(line).length + 1;
            return [i + 1, at, line];
          });
          assert.deepEqual(found, expected);
          assert.equal(scanner.end.offset, offset);
        },
      ),
    );
  });
});
