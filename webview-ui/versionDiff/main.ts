import { versionDiffEventSchema, versionDiffStateSchema } from '../../src/core/versions/view/versionDiffProtocol';
import { startPanel } from '../lib/startPanel';
import { VersionDiffApp } from './versionDiffApp';

const app = startPanel({
  state: versionDiffStateSchema,
  make: (parts) => new VersionDiffApp(parts),
  onEvent: (started, body) => {
    const event = versionDiffEventSchema.safeParse(body);
    if (event.success) started.compare(event.data.a, event.data.b);
  },
});
window.addEventListener('resize', () => app.resize());
