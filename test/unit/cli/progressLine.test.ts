import assert from 'node:assert/strict';
import { terminalText, ProgressLine, textWidth } from '../../../src/cli/terminal';

function lineOn({ isTty = true, columns = 60 } = {}) {
  const written: string[] = [];
  const clock = { nowMs: 0 };
  const line = new ProgressLine({ isTty, columns, write: (text) => written.push(text) }, () => clock.nowMs);
  return { written, clock, line };
}

describe('the progress line', () => {
  it('says nothing where there is no terminal', () => {
    const { line, written } = lineOn({ isTty: false });
    line.onProgress({ step: 'discover', done: 1, total: 2 });
    line.clear();
    assert.deepEqual(written, []);
  });

  it('shows what is done, how far, and of what', () => {
    const { line, written } = lineOn();
    line.onProgress({ step: 'register', done: 1, total: 2, label: 'Release 1.0' });
    assert.match(written[0]!, /Adding to memory █{10}░{10} {2}50 % {2}Release 1\.0$/);
  });

  it('is drawn a few times a second, however often it is told', () => {
    const { line, written, clock } = lineOn();
    for (clock.nowMs = 0; clock.nowMs < 1000; clock.nowMs++)
      line.onProgress({ step: 'sync', done: clock.nowMs, total: 1000 });
    assert.ok(written.length > 5 && written.length <= 13, `${written.length} times`);
  });

  it('fits into the terminal, and survives a total of nothing', () => {
    const { line, written } = lineOn({ columns: 30 });
    line.onProgress({ step: 'discover', done: 0, total: 0, label: 'a long label that does not fit' });
    assert.ok(textWidth(terminalText(written[0]!, true).replace('\r\u001b[K', '')) < 30);
  });

  it('is taken away once, and only when it was there', () => {
    const { line, written } = lineOn();
    line.clear();
    assert.deepEqual(written, []);
    line.onProgress({ step: 'discover', done: 1, total: 2 });
    line.clear();
    line.clear();
    assert.equal(terminalText(written.slice(1).join(), true), '\r\u001b[K');
  });
});
