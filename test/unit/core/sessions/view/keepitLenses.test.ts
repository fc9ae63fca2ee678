import assert from 'node:assert/strict';
import { defaultConfig } from '../../../../../src/core/model/config';
import { Formats } from '../../../../../src/core/text/formats';
import {
  hoverOf,
  lensesOf,
  markableHeadings,
  problemLens,
  type MarkFate,
} from '../../../../../src/core/sessions/view/keepitEditor';
import { type KeepitMark, textMarks } from '../../../../../src/core/sessions/view/keepitMarks';
import { renderTranscript } from '../../../../../src/core/sessions/document/renderTranscript';
import { conversation, FakeTranscriptFile, message, textBlock } from '../../../support/conversations';

const fate: MarkFate = {
  distance: 2,
  context: {
    config: defaultConfig('').keepitDecay,
    usual: { ratio: 30, level: 'aggressive' },
    isDecayOn: true,
    inMemory: [],
  },
};

function mark(text: string, changes: Partial<KeepitMark> = {}): KeepitMark {
  return { ...textMarks(text).marks[0]!, ...changes };
}

describe('the small print above a keepit', () => {
  const titles = (one: KeepitMark): string[] => lensesOf(one, fate).map(({ title }) => title.replace('\u00a0', ' '));

  it('says weight, preset and how far it reaches, and offers what can be done', () => {
    assert.deepEqual(titles(mark('##keepit0.71## Use PostgreSQL')), [
      '$(pass) 0.71 notable · survives to distance 7 at 30:1',
      'Change weight',
      'Pin',
      'Remove',
    ]);
  });

  it('offers to unpin what is pinned, and to restore what was removed', () => {
    assert.deepEqual(titles(mark('##keepit1.00## x')), [
      '$(pass) 1.00 pinned · never fades',
      'Change weight',
      'Unpin',
      'Remove',
    ]);
    assert.deepEqual(titles(mark('##keepit0.50## x', { state: 'removed' })), [
      '$(trash) 0.50 notable · removed',
      'Restore',
    ]);
  });

  it('says what the marker itself says when another weight counts', () => {
    assert.match(titles(mark('##keepit0.50## x', { weight: 0.9 }))[0] ?? '', /0\.90 critical \(was 0\.50\)/);
  });

  it('says of a keepit that a rewind left behind that it was', () => {
    assert.match(titles(mark('##keepit0.50## x', { state: 'abandoned' }))[0] ?? '', /left behind/);
  });
});

describe('the small print above a marker that does not count', () => {
  const range = { start: { line: 0, column: 0 }, end: { line: 0, column: 13 } };

  it('offers to keep the words behind it, where there are some', () => {
    const problem = { range, problem: 'It has one decimal.', suggestion: '##keepit0.80##' };
    const fix = { messageUuid: 'm', blockIndex: 0, start: 13, end: 20, weight: 0.8 };
    assert.match(problemLens({ ...problem, fix })?.title ?? '', /Does not count · Keep as 0\.80 important$/);
    assert.equal(problemLens(problem), undefined);
  });
});

describe('a hover over a keepit', () => {
  it('shows the decay preview at four settings', () => {
    const text = hoverOf(mark('##keepit0.80## x'), fate);
    assert.match(text, /\*\*Keepit 0\.80 important\*\*/);
    assert.match(text, /\| distance 10 at 30:1 \| \$\(warning\) barely survives \|/);
    assert.match(text, /\| distance 10 at 50:1 \| \$\(circle-slash\) fades \|/);
  });

  it('shows no preview where decay is off: nothing fades there', () => {
    const off = { ...fate, context: { ...fate.context, isDecayOn: false } };
    assert.equal(hoverOf(mark('##keepit0.10## x'), off), '**Keepit 0.10 hint**\n\nnever fades: decay is off');
  });

  it('says why it does not count', () => {
    assert.match(hoverOf(mark('##keepit0.80## x', { state: 'abandoned' }), fate), /rewind/);
  });
});

describe('messages that can be marked as a whole', () => {
  it('are the live ones in which nothing is marked', async () => {
    const left = message({ blocks: [textBlock('left')] });
    const said = conversation(
      [
        message({ role: 'user', blocks: [textBlock('one'), textBlock('more')] }),
        message({ blocks: [textBlock('two')] }),
      ],
      { abandoned: [{ messages: [left] }] },
    );
    const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });
    const options = { title: 'T', sessionId: 's', projectName: 'p', formats, details: undefined };
    const document = await renderTranscript(said, options, new FakeTranscriptFile());
    const headings = markableHeadings(document, []).map((line) => document.text.split('\n')[line]);
    assert.deepEqual(headings, ['## 1 · You · 15 Jan 2026, 10:00', '### Claude · 10:00']);
    const [first] = document.said;
    const place = { line: first!.line, column: 2 };
    const marked = mark('##keepit0.80## x', { range: { start: place, end: place } });
    assert.equal(markableHeadings(document, [marked]).length, 1);
    assert.equal(markableHeadings(document, [{ ...marked, state: 'removed' }]).length, 2);
  });
});
