import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import type { WebviewRequest } from '../../../src/core/model/webviewProtocol';
import { RequestClient, RequestError, type RequestFailure } from '../../../webview-ui/lib/requestClient';

const answerSchema = z.object({ value: z.number() });

/** The view's end, with what it has sent. */
function clientWith({ timeoutMs = 60_000 } = {}) {
  const sent: WebviewRequest[] = [];
  const told = { changes: 0, events: new Array<unknown>() };
  const client = new RequestClient(
    (request) => sent.push(request),
    () => (told.changes += 1),
    timeoutMs,
    (event) => told.events.push(event),
  );
  return { client, sent, told };
}

function fails(reason: RequestFailure, message?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof RequestError);
    assert.equal(error.reason, reason);
    if (message !== undefined) assert.match(error.message, message);
    return true;
  };
}

describe('the requests of a view', () => {
  it('each get their own answer, in whatever order the answers come', async () => {
    const { client, sent } = clientWith();
    const first = client.ask('first', answerSchema);
    const second = client.ask('second', answerSchema);
    const [one, two] = sent.map(({ id }) => id);
    client.receive({ kind: 'answer', id: two, body: { value: 2 } });
    client.receive({ kind: 'answer', id: one, body: { value: 1 } });
    assert.deepEqual(await Promise.all([first, second]), [{ value: 1 }, { value: 2 }]);
  });

  it('fail with the extension’s words when it could not do what was asked', async () => {
    const { client, sent } = clientWith();
    const asked = client.ask('load', answerSchema);
    client.receive({ kind: 'failure', id: sent[0]!.id, message: 'There is no such session.' });
    await assert.rejects(asked, fails('failed', /no such session/));
  });

  it('do not believe an answer of another shape', async () => {
    const { client, sent } = clientWith();
    const asked = client.ask('load', answerSchema);
    client.receive({ kind: 'answer', id: sent[0]!.id, body: { value: 'many' } });
    await assert.rejects(asked, fails('bad-answer'));
  });

  it('do not wait for ever', async () => {
    const { client, sent } = clientWith({ timeoutMs: 1 });
    await assert.rejects(client.ask('load', answerSchema), fails('timed-out'));
    client.receive({ kind: 'answer', id: sent[0]!.id, body: { value: 1 } }); // too late, and nobody minds
  });

  it('are all rejected when the view closes, and so are later ones', async () => {
    const { client, sent } = clientWith();
    const asked = [client.ask('a', answerSchema), client.ask('b', answerSchema)];
    client.close();
    for (const one of asked) await assert.rejects(one, fails('closed'));
    await assert.rejects(client.ask('c', answerSchema), fails('closed'));
    assert.equal(sent.length, 2);
  });

  it('are not disturbed by messages that are not ours', () => {
    const { client, told } = clientWith();
    for (const message of [undefined, null, 'answer', {}, { kind: 'answer' }, { kind: 'other', id: 1 }]) {
      client.receive(message);
    }
    client.receive({ kind: 'answer', id: 99, body: {} });
    assert.equal(told.changes, 0);
    client.receive({ kind: 'changed' });
    assert.equal(told.changes, 1);
  });

  it('are not needed for what the extension tells by itself', () => {
    const { client, sent, told } = clientWith();
    client.receive({ kind: 'event', body: { type: 'progress', done: 1 } });
    assert.deepEqual(told.events, [{ type: 'progress', done: 1 }]);
    assert.equal(sent.length + told.changes, 0);
  });
});
