import assert from 'node:assert/strict';
import fc from 'fast-check';
import { placeKey } from '../../../../../src/core/model/keepit';
import { collectKeepits, textPlaces } from '../../../../../src/core/keepits/collectKeepits';
import {
  findKeepits,
  effectiveKeepits,
  withAddition,
  type Overlay,
} from '../../../../../src/core/keepits/effectiveKeepits';
import { Formats } from '../../../../../src/core/text/formats';
import {
  MarkIndex,
  transcriptMarks,
  type KeepitMark,
  textMarks,
} from '../../../../../src/core/sessions/view/keepitMarks';
import { renderTranscript } from '../../../../../src/core/sessions/document/renderTranscript';
import type { TranscriptDocument } from '../../../../../src/core/sessions/document/transcriptDocument';
import type { KeepitListing } from '../../../../../src/core/sessions/results';
import type { Conversation } from '../../../../../src/core/transcript/types';
import { conversation, FakeTranscriptFile, message, textBlock } from '../../../support/conversations';
import { mixedText } from '../../../support/mixedText';

const ref = { projectId: '-p', sessionId: 's' };

function render(said: Conversation): Promise<TranscriptDocument> {
  const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });
  const options = { title: 'T', sessionId: 's', projectName: 'p', formats, details: undefined };
  return renderTranscript(said, options, new FakeTranscriptFile());
}

function listingOf(said: Conversation, overlay?: Overlay): KeepitListing {
  const all = effectiveKeepits(ref, findKeepits(said), overlay);
  const { diagnostics } = collectKeepits(said.messages, said.copiedMarkers);
  return {
    keepits: all.filter(({ state }) => state === 'live'),
    inactive: all.filter(({ state }) => state !== 'live'),
    diagnostics: diagnostics.map((one) => ({ ...one, ...ref })),
    failed: [],
  };
}

function textIn(text: string, { start, end }: KeepitMark['range']): string {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column);
  lines[0] = lines[0]!.slice(start.column);
  return lines.join('\n');
}

describe('keepits in a readable transcript', () => {
  it('reach over the lines of what they mark, and not over the marker’s end', async () => {
    const said = conversation([
      message({ role: 'user', blocks: [textBlock('Hi.\n##keepit0.75## One\n\ntwo.\n ##keepit:end## Bye.')] }),
    ]);
    const document = await render(said);
    const { marks } = transcriptMarks(document, listingOf(said));
    assert.equal(marks.length, 1);
    assert.equal(textIn(document.text, marks[0]!.range), '##keepit0.75## One\n\n  two.');
    assert.deepEqual(
      marks[0]!.chips.map((chip) => textIn(document.text, chip)),
      ['##keepit0.75##', '##keepit:end##'],
    );
    assert.deepEqual([marks[0]!.band, marks[0]!.preview], ['important', 'One two.']);
  });

  it('are inactive on a branch that was left, and nowhere when their words are gone', async () => {
    const left = message({ role: 'user', blocks: [textBlock('##keepit0.90## Use MySQL.')] });
    const said = conversation([message({ blocks: [textBlock('Hello.')] })], { abandoned: [{ messages: [left] }] });
    const listing = listingOf(said);
    const orphan = { ...listing.inactive[0]!, markerId: 'gone', state: 'orphaned' as const };
    const { marks } = transcriptMarks(await render(said), { ...listing, inactive: [...listing.inactive, orphan] });
    assert.deepEqual(
      marks.map(({ band, state }) => [band, state]),
      [['inactive', 'abandoned']],
    );
  });

  it('come with what is wrong with others, and with the words that those were meant to mark', async () => {
    const text = 'A ##keepit0.8## one ##keepit0.50## two ##keepit9## ';
    const said = conversation([message({ role: 'user', blocks: [textBlock(text)] })]);
    const { problems } = transcriptMarks(await render(said), listingOf(said));
    assert.deepEqual(
      problems.map(({ suggestion, fix }) => [suggestion, fix && text.slice(fix.start, fix.end), fix?.weight]),
      [
        ['##keepit0.80##', ' one ', 0.8],
        ['##keepit1.00##', undefined, undefined],
      ],
    );
  });

  it('come with the markers that were copied, and with the words that can be marked in their place', async () => {
    const text = 'It says: ##keepit1.00## theirs. ##keepit:end## Right?';
    const block = textBlock(text);
    const copiedMarkers = new Map([[placeKey({ messageUuid: block.uuid }), [9]]]);
    const said = conversation([message({ role: 'assistant', blocks: [block] })], { copiedMarkers });
    const { marks, problems } = transcriptMarks(await render(said), listingOf(said));
    assert.deepEqual(marks, []);
    assert.deepEqual(
      problems.map(({ suggestion, fix }) => [suggestion, fix && text.slice(fix.start, fix.end), fix?.weight]),
      [['', ' theirs. ', 1]],
    );
  });

  it('come without what was wrong with a marker, once its words were marked beside the transcript', async () => {
    const said = conversation([
      message({ role: 'user', blocks: [textBlock('A ##keepit0.8## one ##keepit0.9## two')] }),
    ]);
    const document = await render(said);
    const { fix } = transcriptMarks(document, listingOf(said)).problems[0]!;
    const [place] = [...textPlaces(said.messages)];
    const asked = { weight: fix!.weight, all: listingOf(said).keepits, nowIso: '2026-01-20T10:00:00.000Z' };
    const { overlay } = withAddition([], { place: place!, start: fix!.start, end: fix!.end }, asked);
    const { marks, problems } = transcriptMarks(document, listingOf(said, overlay));
    assert.deepEqual(
      marks.map(({ preview, weight }) => [preview, weight]),
      [['one', 0.8]],
    );
    assert.deepEqual(
      problems.map(({ suggestion }) => suggestion),
      ['##keepit0.90##'],
    );
  });
});

describe('keepits in a document of one’s own', () => {
  it('are found at their lines and columns, also with Windows line ends', () => {
    const text = '# Rules\r\n\r\n- ##keepit1.00## UTC only ##keepit:end## or not\r\n- ##keepit2## x';
    const { marks, problems } = textMarks(text);
    assert.deepEqual(marks[0]?.range, { start: { line: 2, column: 2 }, end: { line: 2, column: 25 } });
    assert.deepEqual([marks[0].origin, marks[0].ref], ['text', undefined]);
    assert.deepEqual(problems[0]?.range, { start: { line: 3, column: 2 }, end: { line: 3, column: 13 } });
  });

  it('stand where the text has them, whatever else there is', () => {
    fc.assert(
      fc.property(mixedText, mixedText, (before, after) => {
        const text = `${before}\n\n##keepit0.50## kept ##keepit:end##${after}`;
        for (const { range, chips } of textMarks(text).marks) {
          assert.match(textIn(text, range), /^##keepit\d\.\d\d##/i);
          assert.match(textIn(text, chips[0]!), /^##keepit\d\.\d\d##$/i);
        }
      }),
    );
  });
});

describe('an index of marks', () => {
  const markAt = (start: number, length: number): KeepitMark => ({
    range: { start: { line: start, column: 0 }, end: { line: start + length, column: 5 } },
    chips: [],
    band: 'hint',
    weight: 0.1,
    ownWeight: 0.1,
    state: 'live',
    origin: 'text',
    preview: '',
  });

  it('finds exactly the marks that touch some lines', () => {
    const spans = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 20 })), { maxLength: 30 });
    fc.assert(
      fc.property(spans, fc.nat({ max: 70 }), fc.nat({ max: 10 }), (raw, first, height) => {
        const marks = raw.sort((a, b) => a[0] - b[0]).map(([start, length]) => markAt(start, length));
        const last = first + height;
        const expected = marks.filter(({ range }) => range.start.line <= last && range.end.line >= first);
        assert.deepEqual(new MarkIndex(marks).within(first, last), expected);
      }),
    );
  });

  it('finds the mark around a place, and none beside it', () => {
    const index = new MarkIndex([markAt(2, 1), markAt(9, 0)]);
    assert.equal(index.at({ line: 3, column: 2 })?.range.start.line, 2);
    assert.equal(index.at({ line: 3, column: 6 }), undefined);
    assert.equal(index.at({ line: 5, column: 0 }), undefined);
  });
});
