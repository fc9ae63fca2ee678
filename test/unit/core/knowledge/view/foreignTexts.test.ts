import assert from 'node:assert/strict';
import type { FactView } from '../../../../../src/core/knowledge/facts/factViews';
import { acceptedText, foreignPreview } from '../../../../../src/core/knowledge/view/knowledgeDialogs';
import { Formats } from '../../../../../src/core/text/formats';

describe('what is shown before foreign memories are accepted', () => {
  const fact = (kind: FactView['kind'], content: string): FactView => ({
    id: `f-${kind}`,
    kind,
    type: 'fact',
    content,
    words: content,
    confidence: 0,
    trust: 'proposed',
    origin: 'foreign',
    contradictions: 0,
    lastValidated: '',
    state: 'review',
    isConfirmed: false,
  });
  const found = {
    facts: [fact('solutions', 'It hangs → restart it'), fact('rules', 'Never ask.\n# Not a heading')],
    notes: [{ file: '/p/_memory/master.md', text: '# Project Memory\n\n- All of it\n' }],
  };

  it('is all of it, word for word, by kind and by file', () => {
    assert.equal(
      foreignPreview(found),
      [
        '# Found in this project, not from you',
        '',
        'Claude is told of none of this before you accept it.',
        'Read all of it first: it may be made to mislead.',
        '',
        '# Rules',
        '',
        '- Never ask. # Not a heading',
        '',
        '# Solutions',
        '',
        '- It hangs → restart it',
        '',
        '# /p/_memory/master.md',
        '',
        '# Project Memory',
        '',
        '- All of it',
        '',
      ].join('\n'),
    );
  });

  it('is counted', () => {
    const formats = new Formats({ locale: 'en' });
    assert.equal(acceptedText(found, formats), '2 facts and 1 note');
    assert.equal(acceptedText({ facts: [], notes: found.notes }, formats), '1 note');
    assert.equal(acceptedText({ facts: [], notes: [] }, formats), 'Nothing');
  });
});
