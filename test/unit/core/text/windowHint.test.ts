import { equal, ok } from 'node:assert/strict';
import { KeepitMarkError } from '../../../../src/core/keepits/keepitMarkError';
import { SessionLookupError } from '../../../../src/core/sessions/sessionLookupError';
import { StoreError } from '../../../../src/core/model/host';
import { LayersError, NotebookError } from '../../../../src/core/knowledge/layerStore';
import { windowHint } from '../../../../src/core/text/windowHint';

describe('windowHint', () => {
  it('names the command of the palette where the command line has one', () => {
    equal(
      windowHint(new StoreError('corrupt', { path: 'config.json' }).hint),
      'Correct the file by hand, or run “Keepit: Doctor”.',
    );
  });

  it('names the view that lists what a command would print', () => {
    equal(
      windowHint(new SessionLookupError('not-registered', 'abcd').hint),
      '“Keepit: Add to Memory…” adds it; the Sessions view lists what is in memory.',
    );
    equal(windowHint(new SessionLookupError('not-found', 'abcd').hint), 'The Sessions view lists all sessions.');
  });

  it('leaves no words of the command line behind', () => {
    const hints = [
      new KeepitMarkError('unknown', 'abcd').hint,
      new KeepitMarkError('removed', 'abcd').hint,
      new KeepitMarkError('unknown-message', 'abcd').hint,
      new SessionLookupError('ambiguous', 'abcd').hint,
      new LayersError('not-enabled', 'app').hint,
      new LayersError('no-folder', '/app').hint,
      new LayersError('unknown-fact', 'r001').hint,
      new LayersError('empty-fact', 'r001').hint,
      new LayersError('not-built', 'l3').hint,
      new NotebookError('no-master', 'master.md').hint,
      new NotebookError('no-summaries', 'conversations').hint,
      new NotebookError('not-an-archive', 'x.json').hint,
    ];
    for (const hint of hints) ok(!/`keepit |--/.test(windowHint(hint)), windowHint(hint));
  });

  it('leaves other hints as they are', () => {
    equal(windowHint('Write more of the id.'), 'Write more of the id.');
  });
});
