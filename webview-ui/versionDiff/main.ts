import { render } from 'lit';
import * as z from 'zod/mini';
import { versionDiffEventSchema, versionDiffStateSchema } from '../../src/core/presentation/versionDiffProtocol';
import { registerControls } from '../components/toolkit';
import { RequestClient } from '../lib/requestClient';
import { VscodeApi } from '../lib/vscodeApi';
import { VersionDiffApp } from './versionDiffApp';

// Compiling schemas takes `eval`, which the view's content security policy forbids.
z.config({ jitless: true });

const root = document.body;
const api = new VscodeApi();
const client = new RequestClient(
  (request) => api.post(request),
  () => app.load(),
  undefined,
  (body) => {
    const event = versionDiffEventSchema.safeParse(body);
    if (event.success) app.compare(event.data.a, event.data.b);
  },
);
const app = new VersionDiffApp({
  client,
  remembered: api.read(versionDiffStateSchema),
  remember: (state) => api.remember(state),
  draw: (view) => render(view, root),
  root,
});

registerControls();
window.addEventListener('message', ({ data }: MessageEvent<unknown>) => client.receive(data));
window.addEventListener('pagehide', () => client.close());
window.addEventListener('resize', () => app.resize());
app.load();
