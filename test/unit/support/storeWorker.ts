// A process that works on a store until it ends or is killed: node storeWorker.mjs <work> <store> [argument]
import { writeSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../../src/core/model/host';
import { FileMemoryStore } from '../../../src/node/store/fileMemoryStore';
import { RecordingLog } from './recordingLog';
import { newProject, someEntry } from './storedDocuments';
import { addVersion, deleteVersion } from './storedVersions';

const [work = '', dir = '', argument = ''] = process.argv.slice(2);
const store = new FileMemoryStore({ dir, clock: { now: () => new Date() }, log: new RecordingLog() });
const { projectId } = newProject;

/** Told only after the store said that it is done: what was told must never be lost. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

async function register(sessionId: string): Promise<void> {
  const source = path.join(dir, '..', 'claude', `${sessionId}.jsonl`);
  await mkdir(path.dirname(source), { recursive: true });
  await writeFile(source, `{"sessionId":"${sessionId}"}\n`);
  await store.updateManifest(newProject, async (manifest) => {
    const kept = await store.sessions.keep(projectId, sessionId, source);
    const entry = someEntry(sessionId, { kept: { ...kept, syncedBytes: kept.bytes, syncedLines: 1 } });
    return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: entry } };
  });
}

const works: Record<string, () => Promise<void>> = {
  /** Adds one to a number, as often as it is told. */
  async count() {
    for (let n = 0; n < Number(argument); n += 1) {
      await store.updateManifest(newProject, (manifest) => ({ ...manifest, count: Number(manifest.count ?? 0) + 1 }));
    }
    tell('done');
  },
  /** Registers, discards and restores sessions until it is killed. */
  async churn() {
    for (let n = 1; ; n += 1) {
      const sessionId = `${argument}-${n}`;
      await register(sessionId);
      tell(`in ${sessionId}`);
      if (n % 2 === 1) continue;
      const trash = await store.sessions.discard(projectId, sessionId);
      tell(`out ${sessionId}`);
      if (n % 4 === 2) continue;
      await store.sessions.takeBack(projectId, trash);
      tell(`in ${sessionId}`);
    }
  },
  /** Makes and deletes versions of one session until it is killed, and tells which there are. */
  async versions() {
    for (let n = 1; ; n += 1) {
      const versionId = await addVersion(store, argument, `text of ${process.pid}-${n}`);
      tell(`in ${versionId}`);
      if (n % 3 === 0) {
        await deleteVersion(store, argument, versionId);
        tell(`out ${versionId}`);
      }
    }
  },
  /** Takes the project's lock and keeps it. */
  async hold() {
    await store.updateManifest(newProject, () => {
      tell('held');
      return new Promise(() => setTimeout(() => undefined, 60_000));
    });
  },
  /** Registers sessions until something fails. */
  async fill() {
    try {
      for (let n = 1; ; n += 1) await register(`s${n}`);
    } catch (error) {
      tell(error instanceof StoreError ? error.reason : String(error));
    }
  },
};

await works[work]?.();
