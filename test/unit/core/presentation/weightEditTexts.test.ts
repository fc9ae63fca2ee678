import assert from 'node:assert/strict';
import { weightEditTexts, weightWrittenText } from '../../../../src/core/presentation/weightEditTexts';
import type { WeightEdit } from '../../../../src/core/sessions/weightWriter';

const edit: WeightEdit = {
  ref: { projectId: 'p', sessionId: 's', markerId: 'm' },
  path: '/home/ada/.claude/projects/p/s.jsonl',
  line: 12,
  before: '##keepit0.50##',
  after: '##keepit0.90##',
  wordsBefore: 'Fine.',
  wordsAfter: 'Half to even.',
  effectiveWeight: 0.5,
  weight: 0.9,
  separatesOriginal: false,
  overwrite: {
    seen: { bytes: 1, mtimeMs: 1 },
    literal: { offset: 0, bytes: new Uint8Array() },
    weightAt: 0,
    before: '0.50',
    after: '0.90',
  },
};

describe('what is shown before a weight is written', () => {
  it('names the file and the line, and shows the words with the old and the new weight', () => {
    const { message, detail } = weightEditTexts(edit);
    assert.equal(message, 'Write ##keepit0.90## into Claude Code’s transcript?');
    assert.match(detail, /^\/home\/ada\/\.claude\/projects\/p\/s\.jsonl, line 12\n/);
    assert.match(detail, /Now: Fine\. ##keepit0\.50## Half to even\.\n\nThen: Fine\. ##keepit0\.90## Half to even\./);
    assert.match(detail, /kept of this transcript stays as it is/);
  });

  it('says that the copy in memory is separated where it shares the file', () => {
    assert.match(weightEditTexts({ ...edit, separatesOriginal: true }).detail, /gets a place of its own first/);
  });

  it('says afterwards what is where', () => {
    assert.equal(weightWrittenText(edit), '##keepit0.90## is in line 12 of s.jsonl now.');
  });
});
