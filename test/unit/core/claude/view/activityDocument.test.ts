import assert from 'node:assert/strict';
import { Formats } from '../../../../../src/core/text/formats';
import { firingDocument } from '../../../../../src/core/claude/view/activityWords';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });

describe('what a hook did, as a document', () => {
  it('tells when, how long, and what was given', () => {
    const text = firingDocument(
      {
        at: '2026-01-15T18:00:00Z',
        event: 'SessionStart',
        source: 'resume',
        tookMs: 34,
        injected: {
          tokens: 40,
          units: 160,
          pieces: [{ kind: 'armed', tokens: 40, units: 160, from: 'order retries', preview: '# Context\nof past' }],
        },
        note: 'one piece of two',
      },
      'Fix the\nlogin loop',
      formats,
    );
    assert.equal(
      text,
      `# SessionStart · resume

Fix the login loop, 15 Jan 2026, 18:00. It took 34 ms.

one piece of two

Keepit gave the session 40 tokens, 160 characters:

## Armed composition: 40 tokens, from order retries

> # Context
> of past
`,
    );
  });

  it('shows all of a piece where it was kept, else its beginning, and says that it is one', () => {
    const piece = { kind: 'memory', tokens: 40, units: 160, preview: '# Context of…', key: 'k1' };
    const firing = { at: '', event: 'SessionStart', tookMs: 3, injected: { tokens: 40, units: 160, pieces: [piece] } };
    const whole = firingDocument(firing, 'A', formats, new Map([['k1', '# Context\nof past sessions']]));
    assert.ok(whole.includes('160 characters:\n') && whole.endsWith('> # Context\n> of past sessions\n'), whole);
    const cut = firingDocument(firing, 'A', formats);
    assert.ok(cut.includes('Of some pieces only the beginning is known:') && cut.endsWith('> # Context of…\n'), cut);
  });

  it('says so when nothing was given, and what went wrong', () => {
    const text = firingDocument({ at: 'at no time', event: 'Stop', tookMs: 5, problem: 'No room.' }, 'A', formats);
    assert.match(text, /A, at no time\. It took 5 ms\./);
    assert.match(text, /\*\*Problem\*\*: No room\./);
    assert.match(text, /Nothing was given to the session\./);
  });
});
