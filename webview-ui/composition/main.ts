import { render } from 'lit';
import * as z from 'zod/mini';
import { builderEventSchema, compositionStateSchema } from '../../src/core/presentation/compositionProtocol';
import { registerControls } from '../components/toolkit';
import { RequestClient } from '../lib/requestClient';
import { VscodeApi } from '../lib/vscodeApi';
import { CompositionApp } from './compositionApp';

// Compiling schemas takes `eval`, which the view's content security policy forbids.
z.config({ jitless: true });

/** A preview of the text reads every version that is in it. */
const TIMEOUT_MS = 120_000;

const root = document.body;
const api = new VscodeApi();
const client = new RequestClient(
  (request) => api.post(request),
  () => app.load(),
  TIMEOUT_MS,
  (body) => {
    const event = builderEventSchema.safeParse(body);
    if (event.success) app.take(event.data);
  },
);
const app = new CompositionApp({
  client,
  remembered: api.read(compositionStateSchema),
  remember: (state) => api.remember(state),
  draw: (view) => render(view, root),
});

registerControls();
window.addEventListener('message', ({ data }: MessageEvent<unknown>) => client.receive(data));
window.addEventListener('pagehide', () => client.close());
// Before VS Code sees it: its own undo would only know the field that has the focus.
document.addEventListener('keydown', (event) => app.undoByKey(event));
document.addEventListener('dragover', (event) => app.dragOver(event));
document.addEventListener('drop', (event) => app.dropSessions(event));
app.load();
