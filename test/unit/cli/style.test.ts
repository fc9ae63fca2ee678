import assert from 'node:assert/strict';
import { terminalText, Style, wantsColor } from '../../../src/cli/terminal';

describe('colours', () => {
  it('are for terminals, unless the environment says otherwise', () => {
    assert.equal(wantsColor(true, {}), true);
    assert.equal(wantsColor(false, {}), false);
    assert.equal(wantsColor(true, { TERM: 'dumb' }), false);
    assert.equal(wantsColor(true, { NO_COLOR: '1' }), false);
    assert.equal(wantsColor(true, { NO_COLOR: '' }), true);
    assert.equal(wantsColor(false, { FORCE_COLOR: '1' }), true);
    assert.equal(wantsColor(false, { FORCE_COLOR: '' }), true);
    assert.equal(wantsColor(true, { FORCE_COLOR: '0' }), false);
    assert.equal(wantsColor(false, { FORCE_COLOR: '3', NO_COLOR: '1' }), true);
  });

  it('leave text as it is when they are off, and close what they open when they are on', () => {
    assert.equal(new Style(false).paint('bad', 'no'), 'no');
    assert.equal(new Style(true).paint('plain', 'no'), 'no');
    assert.equal(terminalText(new Style(true).paint('bad', 'no'), true), '\u001b[31mno\u001b[39m');
  });
});
