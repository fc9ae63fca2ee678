import assert from 'node:assert/strict';
import fc from 'fast-check';
import { placeKey } from '../../../../../src/core/model/keepit';
import { findKeepits, effectiveKeepits } from '../../../../../src/core/keepits/effectiveKeepits';
import { recordBlocks, RecordMarks } from '../../../../../src/core/sessions/view/recordMarks';
import type { KeepitMark } from '../../../../../src/core/sessions/view/keepitMarks';
import type { KeepitListing } from '../../../../../src/core/sessions/results';
import { TranscriptReader } from '../../../../../src/core/transcript/transcriptReader';
import { mixedText } from '../../../support/mixedText';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const ref = { projectId: '-p', sessionId: 's' };

function linesOf(builder: TranscriptBuilder): string[] {
  return builder.toString().trimEnd().split('\n');
}

function listingOf(text: string): KeepitListing {
  const reader = new TranscriptReader({ estimator: { estimate: () => 0, sample: () => 0 } });
  reader.feed(new TextEncoder().encode(text));
  const found = findKeepits(reader.conversation());
  const all = effectiveKeepits(ref, found);
  return {
    keepits: all.filter(({ state }) => state === 'live'),
    inactive: all.filter(({ state }) => state !== 'live'),
    diagnostics: [],
    failed: [],
  };
}

function cut(line: string, { range }: Pick<KeepitMark, 'range'>): string {
  return line.slice(range.start.column, range.end.column);
}

describe('the blocks of a record', () => {
  it('have each character at its column, whatever was said', () => {
    fc.assert(
      fc.property(mixedText, mixedText, (first, second) => {
        const content = [
          { type: 'text', text: first },
          { type: 'text', text: second },
        ];
        const builder = new TranscriptBuilder('s').assistant('', { message: { role: 'assistant', id: 'm', content } });
        const [line = ''] = linesOf(builder);
        for (const block of recordBlocks(line)) {
          const all = line.slice(block.columnOf(0), block.columnOf(block.text.length));
          assert.equal(JSON.parse(`"${all}"`), block.text);
        }
      }),
    );
  });

  it('are found beside thinking that leaked into the same text', () => {
    const text = '<thinking>Hm, "so".</thinking>\n\n##keepit0.75## Ship "it".';
    const [line = ''] = linesOf(new TranscriptBuilder('s').assistant(text));
    const [block] = recordBlocks(line);
    assert.equal(block?.text, '##keepit0.75## Ship "it".');
    const from = block.columnOf(block.text.indexOf('Ship'));
    assert.equal(line.slice(from, from + 12), 'Ship \\"it\\".');
  });

  it('are found beside what the harness wrote into the same text', () => {
    const text = '<system-reminder>\nBe "careful".\n</system-reminder>\n##keepit0.75## Ship "it" – 😀 now.';
    const [line = ''] = linesOf(new TranscriptBuilder('s').human(text));
    const [block] = recordBlocks(line);
    assert.equal(block?.text, '##keepit0.75## Ship "it" – 😀 now.');
    const from = block.columnOf(block.text.indexOf('Ship'));
    assert.equal(line.slice(from, from + 13), 'Ship \\"it\\" –');
  });

  it('are none for what nobody said, and for what is no record', () => {
    const tool = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '##keepit0.75## x' }] };
    for (const line of [
      '',
      'garbage ##keepit0.75##',
      '{"type":"user","message":{"content":"torn ##keepit0.75## ',
      ...linesOf(new TranscriptBuilder('s').human('', { message: tool }).human('##keepit0.75## x', { isMeta: true })),
    ]) {
      assert.deepEqual(recordBlocks(line), []);
    }
  });
});

describe('keepits in a raw transcript', () => {
  const builder = new TranscriptBuilder('s')
    .human('First. ##keepit1.00## Cents are "integers".\nAlways. ##keepit:end## Thanks.')
    .assistant('##keepit0.50## Half to even.\n\n##keepit0.8## no')
    .human('```\n##keepit0.90## code\n```');
  const lines = linesOf(builder);

  it('stand at their columns, with marker and end as chips', () => {
    const { marks } = new RecordMarks(listingOf(builder.toString())).ofLine(lines[0]!, 7);
    assert.equal(marks.length, 1);
    assert.equal(cut(lines[0]!, marks[0]!), '##keepit1.00## Cents are \\"integers\\".\\nAlways.');
    assert.deepEqual(
      marks[0]!.chips.map((range) => cut(lines[0]!, { range })),
      ['##keepit1.00##', '##keepit:end##'],
    );
    assert.deepEqual([marks[0]!.range.start.line, marks[0]!.band, marks[0]!.ref?.sessionId], [7, 'pinned', 's']);
  });

  it('come with the markers that do not count', () => {
    const { marks, problems } = new RecordMarks(undefined).ofLine(lines[1]!, 1);
    assert.deepEqual([marks.length, problems.map(({ suggestion }) => suggestion)], [1, ['##keepit0.80##']]);
    assert.equal(cut(lines[1]!, problems[0]!), '##keepit0.8##');
  });

  it('are none where the assistant had copied the marker, which is told', () => {
    const reader = new TranscriptReader({ estimator: { estimate: () => 0, sample: () => 0 } });
    reader.feed(new TextEncoder().encode(builder.toString()));
    const read = reader.conversation();
    const [block] = read.messages[1]!.blocks;
    const copied = new Map([[placeKey({ messageUuid: block!.uuid }), [0]]]);
    const { diagnostics, markers } = findKeepits({ ...read, copiedMarkers: copied });
    assert.deepEqual(
      markers.map(({ weight }) => weight),
      [1],
    );
    const listing = {
      keepits: [],
      inactive: [],
      failed: [],
      diagnostics: diagnostics.map((one) => ({ ...one, ...ref })),
    };
    const { marks, problems } = new RecordMarks(listing).ofLine(lines[1]!, 1);
    assert.deepEqual(
      [marks, problems.map((problem) => cut(lines[1]!, problem))],
      [[], ['##keepit0.8##', '##keepit0.50##']],
    );
  });

  it('are none inside code', () => {
    assert.deepEqual(new RecordMarks(undefined).ofLine(lines[2]!, 2).marks, []);
  });

  it('weigh what counts, and include those that were added beside the transcript', () => {
    const listing = listingOf(builder.toString());
    const [pinned] = listing.keepits;
    const added = {
      ...pinned!,
      markerId: 'added',
      origin: 'overlay' as const,
      weight: 0.25,
      effectiveWeight: 0.25,
      content: 'Thanks.',
      position: { start: 63, end: 70 },
    };
    const changed = { ...listing, keepits: [{ ...pinned!, effectiveWeight: 0.9, overridden: true }, added] };
    const { marks } = new RecordMarks(changed).ofLine(lines[0]!, 0);
    assert.deepEqual(
      marks.map(({ weight, ownWeight, chips }) => [weight, ownWeight, chips.length]),
      [
        [0.9, 1, 2],
        [0.25, 0.25, 0],
      ],
    );
    assert.deepEqual(new RecordMarks({ ...listing, keepits: [] }).ofLine(lines[0]!, 0).marks, []);
  });
});
