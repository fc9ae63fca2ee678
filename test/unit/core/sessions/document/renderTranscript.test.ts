import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Formats } from '../../../../../src/core/text/formats';
import { renderTranscript, type TranscriptOptions } from '../../../../../src/core/sessions/document/renderTranscript';
import { limitsFor } from '../../../../../src/core/material/toolDetails';
import {
  anchorAt,
  lineOfRecord,
  linePrefix,
  messageTextAt,
  type OutlineEntry,
  type TranscriptDocument,
} from '../../../../../src/core/sessions/document/transcriptDocument';
import type { Conversation } from '../../../../../src/core/transcript/types';
import { conversation, event, FakeTranscriptFile, message, textBlock, toolStep } from '../../../support/conversations';
import { mixedText } from '../../../support/mixedText';

const options: TranscriptOptions = {
  title: 'Fix the login loop',
  sessionId: 'abc123',
  projectName: 'my-app',
  formats: new Formats({ locale: 'en-GB', timeZone: 'UTC' }),
  details: { lines: 5, bytes: 4096 },
};

function render(
  conversation: Conversation,
  file = new FakeTranscriptFile(),
  changes: Partial<TranscriptOptions> = {},
): Promise<TranscriptDocument> {
  return renderTranscript(conversation, { ...options, ...changes }, file);
}

function linesOf(document: TranscriptDocument): string[] {
  return document.text.split('\n');
}

describe('renderTranscript', () => {
  it('shows the head, turns, what was said and tool steps, in this order', async () => {
    const file = new FakeTranscriptFile();
    const read = toolStep(file, {
      name: 'Read',
      target: 'src/login.ts',
      input: { file_path: 'src/login.ts' },
      result: { content: 'line 1\nline 2' },
    });
    const document = await render(
      conversation([
        message({ role: 'user', blocks: [textBlock('Please fix the loop.')] }),
        message({
          blocks: [textBlock('I look at the login.')],
          tools: [{ ...read, afterBlock: 1 }],
          resultTokens: 990,
        }),
      ]),
      file,
    );
    assert.deepEqual(linesOf(document), [
      '# Fix the login loop',
      '  my-app · 15 Jan 2026, 10:00',
      '  Session abc123',
      '',
      '## 1 · You · 15 Jan 2026, 10:00',
      '  Please fix the loop.',
      '',
      '### Claude · 10:00',
      '  I look at the login.',
      '',
      '• Read  src/login.ts · 16 B · 5 s',
      '│ file_path: src/login.ts',
      '│ ── result ──',
      '│ line 1',
      '│ line 2',
      '',
      '◦ Turn 1 · 1k tokens · 2 min',
      '',
      '# Figures',
      '  2 messages in 1 turn · about 1k tokens · 15 Jan 2026, 10:00 – 18:30 (8 h 30 min)',
      '  claude-test',
      '◦ 10 lines = 8 used + 2 skipped + 0 broken',
      '│ skipped 2: progress',
      '',
    ]);
  });

  it('changes nothing above what a live session has added', async () => {
    const opening = message({ role: 'user', blocks: [textBlock('Please fix the loop.')] });
    const answer = message({ blocks: [textBlock('I look.')] });
    const before = linesOf(await render(conversation([opening, answer])));
    const grown = conversation([opening, { ...answer, tokens: 900 }, message({ blocks: [textBlock('Found it.')] })]);
    const after = linesOf(await render({ ...grown, meta: { ...grown.meta, lastTimestamp: '2026-01-16T09:00:00Z' } }));
    const same = before.findIndex((line, index) => line !== after[index]);
    assert.equal(before[same], '◦ Turn 1 · 20 tokens · 2 min');
  });

  it('puts tool steps where they happened between the words of a message', async () => {
    const file = new FakeTranscriptFile();
    const blocks = [textBlock('First.'), textBlock('Then.')];
    const tools = [toolStep(file, { name: 'Late', afterBlock: 2 }), toolStep(file, { name: 'Between', afterBlock: 1 })];
    const document = await render(conversation([message({ blocks, tools })]), file);
    const order = linesOf(document).filter((line) => /First|Then|Late|Between/.test(line));
    assert.deepEqual(order, ['  First.', '◌ Between · no result yet', '  Then.', '◌ Late · no result yet']);
  });

  it('says in words and by a mark of its own that a tool failed', async () => {
    const file = new FakeTranscriptFile();
    const tools = [toolStep(file, { target: 'npm test', result: { isError: true, content: 'boom' } })];
    const lines = linesOf(await render(conversation([message({ tools })]), file));
    assert.ok(lines.includes('✗ Bash  npm test · failed · 6 B · 5 s'));
    assert.ok(lines.includes('│ ── error ──'));
  });

  it('shows values that are no texts in one line each', async () => {
    const file = new FakeTranscriptFile();
    const tools = [toolStep(file, { input: { edits: [1, 'x', null, true, { a: {} }], all: false } })];
    const lines = linesOf(await render(conversation([message({ tools })]), file));
    assert.ok(lines.includes('│ edits: [1, "x", null, true, { a: {  } }]'));
    assert.ok(lines.includes('│ all: false'));
  });

  it('shows the beginning of long inputs and results, and says how much there is', async () => {
    const file = new FakeTranscriptFile();
    const content = Array.from({ length: 5000 }, (_, index) => `row ${index}`).join('\n');
    const tools = [toolStep(file, { input: { content }, result: { content: [{ type: 'text', text: content }] } })];
    const lines = linesOf(await render(conversation([message({ tools })]), file));
    assert.equal(lines.filter((line) => line.startsWith('│ row')).length, 5);
    assert.equal(lines.filter((line) => /^│ … \d\d KB in all/.test(line)).length, 2);
    assert.ok(file.reads.every(({ maxBytes }) => maxBytes === 4096));
  });

  it('shows less of each step in a session of very many, so that editors still fold it', () => {
    const wanted = { lines: 24, bytes: 8192 };
    assert.deepEqual(limitsFor(100, wanted), wanted);
    assert.deepEqual(limitsFor(5000, wanted), { lines: 10, bytes: 629 });
    assert.deepEqual(limitsFor(1_000_000, wanted), { lines: 3, bytes: 300 });
  });

  it('reads nothing of the file when details are not wanted', async () => {
    const file = new FakeTranscriptFile();
    const tools = [toolStep(file, { result: { content: 'x' } })];
    const document = await render(conversation([message({ tools })]), file, { details: undefined });
    assert.deepEqual(file.reads, []);
    assert.deepEqual(
      document.folds.filter(({ kind }) => kind === 'details'),
      [{ start: document.lineCount - 2, end: document.lineCount - 1, kind: 'details' }],
    );
  });

  it('lets no word of a transcript imitate its structure', async () => {
    const hostile = fc.array(
      fc.oneof(
        mixedText,
        fc.constantFrom('# Title', '## 9 · You', '• Bash  rm · 1 B', '│ x', '═══ Compacted ═══', '◦ n'),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (texts) => {
        const file = new FakeTranscriptFile();
        const said = texts.join('\n');
        const step = toolStep(file, { name: said, target: said, input: { [said]: said }, result: { content: said } });
        const messages = [
          message({ role: 'user', blocks: [textBlock(said)] }),
          message({ blocks: [textBlock(said)], tools: [step] }),
        ];
        const document = await render(conversation(messages, { events: [event({ text: said })] }), file, {
          title: said,
        });
        const lines = linesOf(document);
        const counted = (prefix: string): number => lines.filter((line) => line.startsWith(prefix)).length;
        assert.equal(counted(linePrefix.title), 2);
        assert.equal(counted(linePrefix.turn), 1);
        assert.equal(counted(linePrefix.message), 1);
        assert.equal(counted(linePrefix.toolDone), 1);
        assert.equal(counted(linePrefix.boundary), 0);
        assert.equal(counted(linePrefix.note), 3);
        assert.equal(lines.length, document.lineCount + 1);
      }),
    );
  });

  it('says what was said again, word by word, for the message that a line belongs to', async () => {
    const file = new FakeTranscriptFile();
    const tools = [toolStep(file, { afterBlock: 1, result: { content: 'output' } })];
    const blocks = [textBlock('One\n\n    indented code'), textBlock('- two')];
    const document = await render(
      conversation([message({ role: 'user', blocks: [textBlock('Ask')] }), message({ blocks, tools })]),
      file,
    );
    const lines = linesOf(document);
    const at = lines.findIndex((line) => line.startsWith('│ ── result'));
    assert.equal(messageTextAt(lines, at), 'One\n\n    indented code\n\n- two');
    assert.equal(messageTextAt(lines, 5), 'Ask');
  });

  it('leads from every line of a message back to its record, and from a record to its line', async () => {
    const file = new FakeTranscriptFile();
    const said = textBlock('Words');
    const step = toolStep(file, { afterBlock: 1, result: { content: 'x' } });
    const document = await render(conversation([message({ blocks: [said], tools: [step] })]), file);
    const lines = linesOf(document);
    const lineOf = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    assert.equal(anchorAt(document, lineOf('  Words'))?.recordLine, said.line);
    assert.equal(anchorAt(document, lineOf('• Bash'))?.recordLine, step.line);
    assert.equal(anchorAt(document, lineOf('│ x'))?.recordLine, step.line);
    assert.equal(anchorAt(document, 0), undefined);
    assert.equal(lineOfRecord(document, step.line), lineOf('• Bash'));
    assert.equal(lineOfRecord(document, step.line + 1), lineOf('• Bash'));
  });

  it('nests the outline by turns and messages, with the first words as names', async () => {
    const document = await render(
      conversation([
        message({ role: 'user', blocks: [textBlock('Please fix\nthe loop')] }),
        message({ blocks: [textBlock('Done.')] }),
      ]),
    );
    const names = (entries: readonly OutlineEntry[]): unknown =>
      entries.map(({ name, children }) => (children.length === 0 ? name : [name, names(children)]));
    assert.deepEqual(names(document.outline), [['1 · Please fix the loop', ['Done.']], 'Figures']);
  });

  it('keeps every entry of the outline and every fold inside its parent and the document', async () => {
    const shape = fc.array(fc.constantFrom('user', 'assistant', 'tool'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(shape, async (kinds) => {
        const file = new FakeTranscriptFile();
        const messages = kinds.map((kind) =>
          kind === 'tool'
            ? message({ tools: [toolStep(file, { result: { content: 'r' } })] })
            : message({ role: kind === 'user' ? 'user' : 'assistant', blocks: [textBlock(kind)] }),
        );
        const document = await render(conversation(messages), file);
        const check = (entries: readonly OutlineEntry[], from: number, to: number): void => {
          for (const { start, end, children } of entries) {
            assert.ok(from <= start && start <= end && end <= to, `${from} ${start} ${end} ${to}`);
            check(children, start, end);
          }
        };
        check(document.outline, 0, document.lineCount - 1);
        for (const { start, end } of document.folds) assert.ok(start < end && end < document.lineCount);
        const anchored = document.anchors.map(({ line }) => line);
        assert.deepEqual(
          [...new Set(anchored)].sort((a, b) => a - b),
          anchored,
        );
      }),
    );
  });

  it('draws a line where Claude Code compacted, with its figures and the folded summary', async () => {
    const boundary = event({ kind: 'compaction', beforeMessage: 1 });
    const summary = event({ kind: 'compactSummary', beforeMessage: 1, text: 'This session\nis continued' });
    const base = conversation([
      message({ role: 'user', blocks: [textBlock('Before')] }),
      message({ role: 'user', blocks: [textBlock('After')] }),
    ]);
    const compaction = {
      uuid: boundary.uuid,
      line: boundary.line,
      trigger: 'auto',
      preTokens: 142_000,
      postTokens: 3800,
    };
    const document = await render({
      ...base,
      events: [boundary, summary],
      meta: { ...base.meta, compactions: [compaction] },
    });
    const lines = linesOf(document);
    const at = lines.indexOf('═══ Compacted automatically · 142k → 3.8k tokens · 10:00 ═══');
    assert.ok(at > lines.indexOf('  Before') && at < lines.indexOf('  After'));
    assert.match(lines[at + 1] ?? '', /^◦ Summary that Claude Code put in place/);
    assert.ok(document.folds.some(({ start, kind }) => start === at + 1 && kind === 'details'));
  });

  it('names a turn that an answer opens after the answer, and shows the question that it quotes', async () => {
    const text = '> Which one?\n> Of the two.\nThe first';
    const answer = message({ role: 'user', origin: 'answer', blocks: [textBlock(text)] });
    const document = await render(conversation([answer]));
    assert.deepEqual(
      document.outline.slice(0, 1).map(({ name }) => name),
      ['1 · The first'],
    );
    assert.ok(linesOf(document).includes('  > Which one?'));
  });

  it('shows what rewinds left behind, sub-agents, and lines that could not be read', async () => {
    const base = conversation([message({ role: 'user', blocks: [textBlock('Now')] })]);
    const left = message({ role: 'user', blocks: [textBlock('Another way')] });
    const agent = message({ role: 'user', blocks: [textBlock('Looking around')] });
    const broken = [{ line: 7, error: 'torn' }];
    const document = await render({
      ...base,
      abandoned: [{ messages: [left] }],
      agents: [{ id: 'a1', description: 'Explore', messages: [agent], turns: [], abandoned: [] }],
      account: { ...base.account, brokenCount: 1, broken },
    });
    const lines = linesOf(document);
    assert.ok(lines.includes('⚠ 1 line of the transcript could not be read: 7'));
    assert.ok(lines.indexOf('# Left behind by rewinds') < lines.indexOf('  Another way'));
    assert.ok(lines.indexOf('## Sub-agent Explore · 1 message') < lines.indexOf('  Looking around'));
    assert.ok(lines.includes('### Task · 10:00'), 'a sub-agent is asked by no person');
    assert.ok(lines.includes('│ line 7 is broken: torn'));
  });

  it('links a tool step to the transcript of the sub-agent that did it', async () => {
    const file = new FakeTranscriptFile();
    const tools = [toolStep(file, { name: 'Task', result: { content: 'ok', agentId: 'a7f' } })];
    const document = await render(conversation([message({ tools })]), file);
    const [link] = document.agentLinks;
    assert.equal(link?.agentId, 'a7f');
    assert.equal(linesOf(document)[link.line]?.slice(link.start, link.end), ' → sub-agent a7f');
  });

  it('shows thoughts where their words are there, and nothing where only a signature is left', async () => {
    const file = new FakeTranscriptFile();
    const thought = (
      thinking: string,
    ): { kind: 'thinking'; uuid: string; line: number; range: ReturnType<typeof file.write> } => ({
      kind: 'thinking',
      uuid: 'u',
      line: 1,
      range: file.write({ type: 'thinking', thinking, signature: 'abc' }),
    });
    const lines = linesOf(await render(conversation([message({ blocks: [thought('Hmm.'), thought('')] })]), file));
    assert.equal(lines.filter((line) => line.startsWith('◦ Thinking')).length, 1);
    assert.ok(lines.includes('│ Hmm.'));
  });

  it('stops when it is cancelled', async () => {
    const messages = Array.from({ length: 3000 }, () => message({ role: 'user', blocks: [textBlock('word')] }));
    const controller = new AbortController();
    const work = renderTranscript(conversation(messages), options, new FakeTranscriptFile(), controller.signal);
    controller.abort();
    await assert.rejects(work, { name: 'AbortError' });
  });
});
