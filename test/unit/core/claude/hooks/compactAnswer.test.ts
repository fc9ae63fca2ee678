import assert from 'node:assert/strict';
import { compactAnswer } from '../../../../../src/core/claude/hooks/sessionAnswers';
import { HOOK_OUTPUT_UNITS } from '../../../../../src/core/claude/hooks/hookAnswer';
import type { KeptSession } from '../../../../../src/core/model/hookCard';

function kept(fields: Partial<Pick<KeptSession, 'keepits' | 'decisions' | 'openEnds'>>): KeptSession {
  const base = { version: '1.0.0', sessionId: 's', at: '', title: '', bytes: 0 };
  return { ...base, keepits: [], decisions: [], openEnds: [], ...fields };
}

describe('hooks: what a compaction is handed', () => {
  it('holds keepits word for word, pinned ones first, then decisions and open ends', () => {
    const passage = 'Line one  with  spaces\n\n```sh\nrm -rf "$DIR"\n```\n\ttab 👩‍👩‍👧‍👦';
    const answer = compactAnswer(
      kept({
        keepits: [
          { weight: 1, text: passage },
          { weight: 0.9, text: 'second' },
        ],
        decisions: ['d1'],
        openEnds: ['o1'],
      }),
    );
    const text = answer?.text ?? '';
    assert.ok(text.includes(`<keepit weight="1.00" pinned>\n${passage}\n</keepit>`));
    const places = ['pinned>', 'second', '- d1', '- o1'].map((word) => text.indexOf(word));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    assert.deepEqual(
      answer?.injected.pieces.map(({ kind }) => kind),
      ['keepits', 'decisions', 'open-ends'],
    );
  });

  it('counts what does not fit, and never holds half of a passage', () => {
    const keepits = Array.from({ length: 30 }, (_, at) => ({ weight: 1, text: `${at}: ${'x'.repeat(900)} end${at}` }));
    const decisions = Array.from({ length: 50 }, (_, at) => `decision ${at} ${'y'.repeat(200)}`);
    const text = compactAnswer(kept({ keepits, decisions }))?.text ?? '';
    assert.ok(text.length <= HOOK_OUTPUT_UNITS);
    const whole = keepits.filter(({ text: passage }) => text.includes(passage)).length;
    assert.equal(text.split('<keepit ').length - 1, whole);
    assert.ok(text.includes(`(${30 - whole} more did not fit here`));
  });

  it('is nothing where nothing was marked or decided', () => {
    assert.equal(compactAnswer(kept({})), undefined);
  });
});
