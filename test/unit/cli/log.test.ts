import assert from 'node:assert/strict';
import { createLog } from '../../../src/cli/log';
import { FakeStream } from './support/fakeHost';

function logged(isVerbose: boolean): string {
  const stderr = new FakeStream();
  const log = createLog(stderr, isVerbose);
  log.debug('looked');
  log.info('found');
  log.warn('odd');
  log.error('failed', new Error('why'));
  return stderr.text;
}

describe('the log of the command line', () => {
  it('tells what is odd or failed, and the rest only when asked', () => {
    assert.equal(logged(false), 'keepit: warning: odd\nkeepit: failed: why\n');
    assert.equal(logged(true), 'keepit: looked\nkeepit: found\nkeepit: warning: odd\nkeepit: failed: why\n');
  });

  it('goes on when nobody reads it any more', () => {
    createLog(new FakeStream({ isBroken: true }), false).warn('odd');
  });
});
