import { render } from 'lit';
import * as z from 'zod/mini';
import { decayStateSchema } from '../../src/core/presentation/decayProtocol';
import { registerControls } from '../components/toolkit';
import { RequestClient } from '../lib/requestClient';
import { VscodeApi } from '../lib/vscodeApi';
import { DecayApp } from './decayApp';

// Compiling schemas takes `eval`, which the view's content security policy forbids.
z.config({ jitless: true });

const root = document.body;
const api = new VscodeApi();
const client = new RequestClient(
  (request) => api.post(request),
  () => app.load(),
);
const app = new DecayApp({
  client,
  remembered: api.read(decayStateSchema)?.controls,
  remember: (state) => api.remember(state),
  draw: (view) => render(view, root),
});

registerControls();
window.addEventListener('message', ({ data }: MessageEvent<unknown>) => client.receive(data));
window.addEventListener('pagehide', () => client.close());
app.load();
