import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Formats } from '../../../../../src/core/text/formats';
import { renderTranscript } from '../../../../../src/core/sessions/document/renderTranscript';
import {
  offsetInBlock,
  positionInBlock,
  saidBlockAt,
  selectionIn,
  type LinePosition,
} from '../../../../../src/core/sessions/document/saidBlocks';
import type { TranscriptDocument } from '../../../../../src/core/sessions/document/transcriptDocument';
import type { Message } from '../../../../../src/core/transcript/types';
import { conversation, FakeTranscriptFile, message, textBlock, toolStep } from '../../../support/conversations';
import { mixedText } from '../../../support/mixedText';

function render(messages: readonly Message[], abandoned: readonly Message[] = []): Promise<TranscriptDocument> {
  const options = {
    title: 'T',
    sessionId: 's',
    projectName: 'p',
    formats: new Formats({ locale: 'en-GB', timeZone: 'UTC' }),
    details: undefined,
  };
  const branches = abandoned.length === 0 ? [] : [{ messages: abandoned }];
  return renderTranscript(conversation(messages, { abandoned: branches }), options, new FakeTranscriptFile());
}

/** Also with colours of a terminal, which are not shown. */
const colouredText = fc
  .array(fc.oneof(mixedText, fc.constantFrom('\u001b[1;31m', '\u001b[0m', '\u001b')), { maxLength: 12 })
  .map((parts) => parts.join(''));

/** The line that starts with these words, as they stand after the indentation. */
function placeOf(document: TranscriptDocument, words: string, column = 0): LinePosition {
  const line = document.text.split('\n').findIndex((text) => text.includes(words));
  assert.ok(line >= 0, words);
  return { line, column: document.text.split('\n')[line]!.indexOf(words) + column };
}

describe('what was said, in a document', () => {
  it('is found from the line that shows it, and no other line', async () => {
    const file = new FakeTranscriptFile();
    const first = textBlock('\n\nOne\n\nthree');
    const second = textBlock('After the tool.');
    const document = await render([
      message({ blocks: [first, second], tools: [{ ...toolStep(file, { name: 'Read' }), afterBlock: 1 }] }),
    ]);
    assert.equal(saidBlockAt(document, placeOf(document, 'One').line)?.uuid, first.uuid);
    assert.equal(saidBlockAt(document, placeOf(document, 'One').line + 1)?.uuid, first.uuid);
    assert.equal(saidBlockAt(document, placeOf(document, 'three').line)?.uuid, first.uuid);
    assert.equal(saidBlockAt(document, placeOf(document, 'After').line)?.uuid, second.uuid);
    assert.equal(saidBlockAt(document, placeOf(document, '◌ Read').line), undefined);
    assert.equal(saidBlockAt(document, placeOf(document, '## 1').line), undefined);
    assert.equal(saidBlockAt(document, 10_000), undefined);
  });

  it('has each character where the document shows it, whatever the text is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(colouredText, { minLength: 1, maxLength: 4 }), async (texts) => {
        const document = await render([message({ blocks: texts.map(textBlock) })]);
        const lines = document.text.split('\n');
        for (const block of document.said) {
          for (let offset = 0; offset < block.text.length; offset += 1) {
            const { line, column } = positionInBlock(block, offset);
            const shown = lines[line]?.charAt(column) ?? '';
            const said = block.text.charAt(offset);
            if (/[\p{Cc}\s]/u.test(said)) continue;
            const found = offsetInBlock(block, { line, column });
            if (shown === said) assert.deepEqual(positionInBlock(block, found), { line, column });
            if (block.text.includes('\u001b')) continue; // before or behind what is hidden: both are the same place
            assert.equal(shown, said);
            assert.equal(found, offset);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('finds plain words again behind blank lines, CRLF, emoji and colours of a terminal', async () => {
    const text = '\r\n  \r\nA 😀 b\r\n\u001b[31mred\u001b[0m word\r\nשלום עולם e\u0301nd';
    const document = await render([message({ blocks: [textBlock(text)] })]);
    const [block] = document.said;
    const lines = document.text.split('\n');
    for (const word of ['😀', 'b', 'red', 'word', 'עולם', 'nd']) {
      const { line, column } = positionInBlock(block!, text.indexOf(word));
      assert.equal(lines[line]!.slice(column, column + word.length), word);
      assert.equal(offsetInBlock(block!, { line, column: column + word.length }), text.indexOf(word) + word.length);
    }
  });

  it('finds words in lines that were broken because they are very long', async () => {
    const text = `${'word '.repeat(5000)}needle ${'word '.repeat(100)}`;
    const document = await render([message({ blocks: [textBlock(text)] })]);
    const { line, column } = positionInBlock(document.said[0]!, text.indexOf('needle'));
    assert.equal(document.text.split('\n')[line]!.slice(column, column + 6), 'needle');
    assert.equal(offsetInBlock(document.said[0]!, { line, column }), text.indexOf('needle'));
  });
});

describe('a selection in a document', () => {
  const human = textBlock('Use PostgreSQL for the main database.\nIt has JSONB.');
  const answer = textBlock('Agreed: PostgreSQL it is.');
  const left = textBlock('Use MySQL.');
  let document: TranscriptDocument;

  before(async () => {
    const messages = [message({ role: 'user', blocks: [human] }), message({ blocks: [answer] })];
    document = await render(messages, [message({ role: 'user', blocks: [left] })]);
  });

  const select = (from: LinePosition, to: LinePosition): unknown => {
    const selection = selectionIn(document, from, to);
    return 'problem' in selection ? selection.problem : selection.block.text.slice(selection.start, selection.end);
  };

  it('means the words in it, without the white space at its ends', () => {
    assert.equal(select(placeOf(document, 'PostgreSQL for'), placeOf(document, ' for the')), 'PostgreSQL');
    assert.equal(
      select(placeOf(document, ' PostgreSQL for'), placeOf(document, 'It has', 6)),
      'PostgreSQL for the main database.\nIt has',
    );
  });

  it('means the whole block when it is empty, at the words or at their heading', () => {
    const inside = placeOf(document, 'JSONB');
    assert.equal(select(inside, inside), human.text);
    const heading = placeOf(document, '### Claude');
    assert.equal(select(heading, heading), answer.text);
  });

  it('may begin at the heading and end in the gap below', () => {
    const gap = placeOf(document, '### Claude');
    assert.equal(select(placeOf(document, '## 1'), { line: gap.line, column: 3 }), human.text);
    assert.equal(select(placeOf(document, 'It has JSONB.', 13), placeOf(document, 'Agreed', 6)), 'Agreed');
  });

  it('is refused over two messages, where nothing was said, and on a branch that was left', () => {
    assert.match(String(select(placeOf(document, 'JSONB'), placeOf(document, 'Agreed', 3))), /several messages/);
    const title = placeOf(document, '# T');
    assert.match(String(select(title, title)), /Nothing was said/);
    assert.match(String(select(placeOf(document, 'Use MySQL'), placeOf(document, 'MySQL.', 5))), /rewind/);
  });

  it('never cuts a character in two', async () => {
    const emoji = await render([message({ blocks: [textBlock('a😀b')] })]);
    const at = placeOf(emoji, 'a😀b');
    const selection = selectionIn(emoji, { ...at, column: at.column + 2 }, { ...at, column: at.column + 3 });
    assert.ok(!('problem' in selection));
    assert.equal('a😀b'.slice(selection.start, selection.end), '😀');
  });
});
