import assert from 'node:assert/strict';
import { withRemoval, withWeight } from '../../../../../src/core/keepits/effectiveKeepits';
import { keepitNote, outcomeText, reachText } from '../../../../../src/core/sessions/view/keepitTree';
import { keepitsOf, mark, NOW, said } from '../../keepits/support';

describe('what is said of keepits', () => {
  it('names a fate and a reach', () => {
    assert.deepEqual((['survives', 'barely', 'fades'] as const).map(outcomeText), [
      'survives',
      'barely survives',
      'summarized',
    ]);
    assert.equal(reachText(7, 30), 'survives to distance 7 at 30:1');
    assert.equal(reachText('any', 5), 'survives at any distance at 5:1');
    assert.equal(reachText(0, 50), 'summarized at any distance at 50:1');
  });

  it('says what is unusual about a keepit, and nothing about one that is as its marker says', () => {
    const of = said('##keepit0.50## Cents', 'Fine words');
    const [cents] = keepitsOf(of);
    assert.ok(cents);
    assert.equal(keepitNote(cents), '');
    const note = (overlay: Parameters<typeof keepitsOf>[1], talk = of) => keepitsOf(talk, overlay).map(keepitNote);
    assert.deepEqual(note(withWeight([], cents, 0.9, NOW)), ['was 0.50']);
    assert.deepEqual(note(withRemoval([], cents, NOW)), ['removed']);
    const { overlay } = mark(of, { messageUuid: 'message-1' });
    assert.deepEqual(note(overlay), ['', 'added by hand']);
    assert.deepEqual(note(overlay, said('x')), ['its words are gone from the transcript · added by hand']);
  });
});
