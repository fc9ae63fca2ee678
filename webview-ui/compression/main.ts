import { render } from 'lit';
import * as z from 'zod/mini';
import { compressionEventSchema, compressionStateSchema } from '../../src/core/presentation/compressionProtocol';
import { registerControls } from '../components/toolkit';
import { RequestClient } from '../lib/requestClient';
import { VscodeApi } from '../lib/vscodeApi';
import { CompressionApp } from './compressionApp';

// Compiling schemas takes `eval`, which the view's content security policy forbids.
z.config({ jitless: true });

/** Estimates read the whole session, which may have a hundred megabytes. */
const TIMEOUT_MS = 120_000;

const root = document.body;
const api = new VscodeApi();
const client = new RequestClient(
  (request) => api.post(request),
  () => app.load(),
  TIMEOUT_MS,
  (body) => {
    const event = compressionEventSchema.safeParse(body);
    if (event.success) app.take(event.data);
  },
);
const app = new CompressionApp({
  client,
  remembered: api.read(compressionStateSchema)?.form,
  remember: (state) => api.remember(state),
  draw: (view) => render(view, root),
});

registerControls();
window.addEventListener('message', ({ data }: MessageEvent<unknown>) => client.receive(data));
window.addEventListener('pagehide', () => client.close());
app.load();
