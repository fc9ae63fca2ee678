import assert from 'node:assert/strict';
import { defaultConfig } from '../../../../../src/core/model/config';
import { decayView } from '../../../../../src/core/sessions/view/decayPanel';
import { decorationsIn, rulerMarks } from '../../../../../src/core/sessions/view/keepitEditor';
import { MarkIndex, transcriptMarks, textMarks } from '../../../../../src/core/sessions/view/keepitMarks';
import { RecordMarks } from '../../../../../src/core/sessions/view/recordMarks';
import { listingOf, manyKeepits, shown } from '../../../support/manyKeepits';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

/** `test/hard/keepitGrowth.test.ts` looks at the time that they take. */
const MANY = 10_000;
describe('thousands of keepits', () => {
  const text = manyKeepits(MANY);

  it('are placed in a readable transcript, with what is wrong with as many others', () => {
    const { said, document } = shown(text);
    const { marks, problems } = transcriptMarks(document, listingOf(said));
    assert.deepEqual([marks.length, problems.length], [MANY, MANY]);
    assert.deepEqual(marks.at(-1)?.range.start, { line: MANY, column: 2 });
    assert.equal(problems.at(-1)?.fix?.weight, 0.8);
    const index = new MarkIndex(marks);
    const inSight = decorationsIn(index, [{ first: 5000, last: 5080 }]);
    assert.equal([...inSight.values()].flatMap(({ spans }) => spans).length, 81);
    assert.equal(rulerMarks(marks).get('notable')?.length, 2000, 'a ruler is a few hundred pixels high');
  });

  it('are placed in one raw record, and in Markdown', () => {
    const [line = ''] = new TranscriptBuilder('s').human(text).toString().split('\n');
    const found = new RecordMarks(undefined).ofLine(line, 0);
    assert.deepEqual([found.marks.length, found.problems.length], [MANY, MANY]);
    const last = found.marks.at(-1)?.range.start.column ?? 0;
    assert.equal(line.slice(last, last + 14), '##keepit0.50##');
    assert.equal(textMarks(text).marks.length, MANY);
  });

  it('are judged at every movement of a slider', () => {
    const { keepitDecay: config } = defaultConfig('');
    const markers = Array.from({ length: MANY }, (_, index) => ({
      key: String(index),
      weight: (index % 101) / 100,
      preview: 'x',
      distance: 1 + (index % 10),
      session: 's',
    }));
    const scope = { projectId: '-p' } as const;
    const usual = { ratio: 30, level: 'aggressive' } as const;
    const view = decayView({ scope, title: 't', project: 'p', isDecayOn: true, config, usual, markers }, { ratio: 30 });
    assert.equal(view.rows.length, MANY);
    assert.equal(view.rows[0]?.weight, 1);
  });
});
