import assert from 'node:assert/strict';
import { compactAnswer } from '../../../../../src/core/claude/hooks/sessionAnswers';
import { HOOK_OUTPUT_UNITS } from '../../../../../src/core/claude/hooks/hookAnswer';
import type { SessionState } from '../../../../../src/core/model/preparedBrief';

function stateOf(fields: Partial<Pick<SessionState, 'keepits' | 'tasks'>>): SessionState {
  const base = { version: '1.0.0', sessionId: 's', at: '', title: '', bytes: 0, files: [] };
  return { ...base, keepits: [], tasks: [], ...fields };
}

describe('hooks: what a compaction is handed', () => {
  it('holds keepits word for word, pinned ones first, then open tasks', () => {
    const passage = 'Line one  with  spaces\n\n```sh\nrm -rf "$DIR"\n```\n\ttab 👩‍👩‍👧‍👦';
    const answer = compactAnswer(
      stateOf({
        keepits: [
          { weight: 1, text: passage },
          { weight: 0.9, text: 'second' },
        ],
        tasks: ['o1'],
      }),
      undefined,
    );
    const text = answer?.text ?? '';
    assert.ok(text.includes(`<keepit weight="1.00" pinned>\n${passage}\n</keepit>`));
    const places = ['pinned>', 'second', '- o1'].map((word) => text.indexOf(word));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    assert.deepEqual(
      answer?.injected.pieces.map(({ kind }) => kind),
      ['keepits', 'open-ends'],
    );
  });

  it('asks for what nobody has noted yet, where that is due', () => {
    const [text, none] = [true, false].map((isDue) => compactAnswer(stateOf({}), undefined, isDue)?.text);
    assert.match(text ?? '', /^Keepit: quote in the summary[^\n]*`remember`[^\n]*$/);
    assert.equal(none, undefined);
  });

  it('counts what does not fit, and never holds half of a passage', () => {
    const keepits = Array.from({ length: 30 }, (_, at) => ({ weight: 1, text: `${at}: ${'x'.repeat(900)} end${at}` }));
    const tasks = Array.from({ length: 50 }, (_, at) => `task ${at} ${'y'.repeat(200)}`);
    const text = compactAnswer(stateOf({ keepits, tasks }), undefined)?.text ?? '';
    assert.ok(text.length <= HOOK_OUTPUT_UNITS);
    const whole = keepits.filter(({ text: passage }) => text.includes(passage)).length;
    assert.equal(text.split('<keepit ').length - 1, whole);
    assert.ok(text.includes(`(${30 - whole} more did not fit here`));
  });

  it('is nothing where nothing was marked or left open', () => {
    assert.equal(compactAnswer(stateOf({}), undefined), undefined);
  });
});
