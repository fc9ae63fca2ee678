// A process that builds layers and lets a rolling memory grow until it is done or killed: node layersWorker.mjs <root> <dist> <project> <session>…
import { writeSync } from 'node:fs';
import path from 'node:path';
import { createMemory } from '../../../src/node/createMemory';
import { RecordingLog } from './recordingLog';

const [root = '', distDir = '', projectId = '', ...sessionIds] = process.argv.slice(2);
const memory = createMemory({
  claudeDir: path.join(root, 'claude'),
  memoryDir: path.join(root, 'store'),
  distDir,
  log: new RecordingLog(),
  clock: { now: () => new Date('2026-02-01T12:00:00.000Z') },
});
writeSync(1, 'begins\n');
for (const sessionId of sessionIds) await memory.service.rolling.final({ projectId, sessionId });
await memory.service.layers.build(projectId);
await memory.dispose();
writeSync(1, 'done\n');
