import { compressionEventSchema, compressionStateSchema } from '../../src/core/versions/view/compressionProtocol';
import { startPanel } from '../lib/startPanel';
import { CompressionApp } from './compressionApp';

startPanel({
  state: compressionStateSchema,
  make: (parts) => new CompressionApp(parts),
  onEvent: (app, body) => {
    const event = compressionEventSchema.safeParse(body);
    if (event.success) app.take(event.data);
  },
  // Estimates read the whole session, which may have a hundred megabytes.
  timeoutMs: 120_000,
});
