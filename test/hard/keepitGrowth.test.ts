import assert from 'node:assert/strict';
import { defaultConfig } from '../../src/core/model/config';
import { decayView } from '../../src/core/sessions/view/decayPanel';
import { decorationsIn, rulerMarks } from '../../src/core/sessions/view/keepitEditor';
import { MarkIndex, textMarks, transcriptMarks } from '../../src/core/sessions/view/keepitMarks';
import { RecordMarks } from '../../src/core/sessions/view/recordMarks';
import { listingOf, manyKeepits, shown } from '../unit/support/manyKeepits';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';
import { excessOf } from './support/growth';

/** How many keepits; with all of the largest, a step that looks at all of them for each of them takes minutes. */
const SIZES = [400, 1600, 6400, 25_600];

/** What is done with so many, apart from making them. */
const WORKS: Record<string, (count: number) => () => unknown> = {
  'placed in a readable transcript, and decorated where they are in sight': (count) => {
    const { said, document } = shown(manyKeepits(count));
    return () => {
      const { marks } = transcriptMarks(document, listingOf(said));
      return [decorationsIn(new MarkIndex(marks), [{ first: 200, last: 280 }]), rulerMarks(marks)];
    };
  },
  'placed in one raw record': (count) => {
    const [line = ''] = new TranscriptBuilder('s').human(manyKeepits(count)).toString().split('\n');
    return () => new RecordMarks(undefined).ofLine(line, 0);
  },
  'placed in Markdown': (count) => {
    const text = manyKeepits(count);
    return () => textMarks(text);
  },
  'judged at a movement of a slider': (count) => {
    const { keepitDecay: config } = defaultConfig('');
    const place = { preview: 'x', session: 's' };
    const markers = Array.from({ length: count }, (_, at) => {
      return { ...place, key: String(at), weight: (at % 101) / 100, distance: 1 + (at % 10) };
    });
    const of = { scope: { projectId: '-p' }, title: 't', project: 'p', isDecayOn: true, config, markers } as const;
    return () => decayView({ ...of, usual: { ratio: 30, level: 'aggressive' } }, { ratio: 30 });
  },
};

describe('as many keepits as there may be', () => {
  for (const [name, work] of Object.entries(WORKS)) {
    it(`are ${name} in a time that grows with them, and not faster`, () => {
      assert.equal(excessOf(work, SIZES), undefined);
    });
  }
});
