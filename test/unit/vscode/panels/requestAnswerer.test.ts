import assert from 'node:assert/strict';
import { SessionLookupError } from '../../../../src/core/sessions/sessionLookupError';
import { RequestAnswerer, type RequestHandler } from '../../../../src/vscode/panels/requestAnswerer';
import { RecordingLog } from '../../support/recordingLog';

type Port = ConstructorParameters<typeof RequestAnswerer>[0];

/** A webview, as far as messages go. */
class FakeWebview implements Port {
  readonly posted: unknown[] = [];
  private listener: ((message: unknown) => void) | undefined;

  readonly onDidReceiveMessage = (listener: (message: unknown) => void) => {
    this.listener = listener;
    return { dispose: () => (this.listener = undefined) };
  };

  readonly postMessage = async (message: unknown) => {
    this.posted.push(message);
    return true;
  };

  async say(message: unknown): Promise<void> {
    this.listener?.(message);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function answering(handle: RequestHandler) {
  const webview = new FakeWebview();
  const log = new RecordingLog();
  return { webview, log, answerer: new RequestAnswerer(webview, handle, log) };
}

describe('the extension’s end of a panel', () => {
  it('answers each request under its number', async () => {
    const { webview } = answering(async (body) => ({ echo: body }));
    await webview.say({ kind: 'request', id: 7, body: 'load' });
    assert.deepEqual(webview.posted, [{ kind: 'answer', id: 7, body: { echo: 'load' } }]);
  });

  it('answers also when the handler throws: with what helps, or without details of a bug', async () => {
    const errors = [new SessionLookupError('not-found', 'abcd'), new TypeError('x is not a function')];
    const { webview } = answering(async () => {
      throw errors.shift() ?? new Error('asked too often');
    });
    await webview.say({ kind: 'request', id: 1, body: {} });
    await webview.say({ kind: 'request', id: 2, body: {} });
    const [expected, bug] = webview.posted;
    assert.match(JSON.stringify(expected), /"failure","id":1,"message":"There is no session/);
    assert.doesNotMatch(JSON.stringify(bug), /function/);
  });

  it('ends what is under way when the panel closes, and says nothing more', async () => {
    let isAborted = false;
    const { webview, answerer, log } = answering(
      (_body, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isAborted = true;
            reject(new DOMException('closed', 'AbortError'));
          });
        }),
    );
    await webview.say({ kind: 'request', id: 1, body: {} });
    answerer.dispose();
    await webview.say({ kind: 'request', id: 2, body: {} });
    answerer.tellChanged();
    assert.ok(isAborted);
    assert.deepEqual(webview.posted, []);
    assert.deepEqual(log.lines, []);
  });

  it('leaves messages alone that are no requests', async () => {
    const { webview } = answering(async () => assert.fail('nothing was asked'));
    for (const message of [undefined, 'load', { kind: 'request' }, { kind: 'request', id: '1' }]) {
      await webview.say(message);
    }
    assert.deepEqual(webview.posted, []);
  });

  it('tells what happened without being asked, until the panel closes', async () => {
    const { webview, answerer } = answering(async () => undefined);
    answerer.tell({ type: 'progress' });
    answerer.dispose();
    answerer.tell({ type: 'made' });
    assert.deepEqual(webview.posted, [{ kind: 'event', body: { type: 'progress' } }]);
  });
});
