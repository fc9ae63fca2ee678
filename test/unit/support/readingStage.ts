import { sessionReadingSchema, type SessionReading } from '../../../src/core/model/sessionReading';
import { FakeMemory } from './fakeMemory';
import { TranscriptBuilder } from './transcriptBuilder';

export const PROJECT = '-home-ada-src-app';
export const SESSION = 'aaaa1111-2222-4333-8444-555555555555';
export const ref = { projectId: PROJECT, sessionId: SESSION };

export const DIGEST =
  'Ada wanted the importer to survive a lost connection. Retries are three, with 200 ms between them, in src/importer.ts; the database is read through the replica alone. ' +
  'The flaky test came from a timer that was never cleared, and is stable now. Open is how long a whole import may take.';

interface Item {
  kind: string;
  message: number;
  by: string;
  quote: string;
  to?: { message: number; quote: string } | null;
  why?: string;
  alone?: boolean;
}

/** An answer as a model gives it. */
export function answer(items: readonly Item[], more: object = {}): string {
  return JSON.stringify({ title: 'Retries in the importer', digest: DIGEST, items, requests: [], review: [], ...more });
}

/** A session with a rule, a decision on an offer, a page that orders things, and a mended test. */
export function session(): TranscriptBuilder {
  return new TranscriptBuilder(SESSION)
    .human(
      'The importer loses its connection. For money use Decimal, floats are forbidden. Maybe look at src/importer.ts first?',
    )
    .assistant('I read src/importer.ts. Shall I retry three times with 200 ms between, or queue the rest?')
    .human('Three it is, because a queue would fill the disk that holds the orders of the whole night.')
    .assistant('Done: it retries. The flaky test came from a timer that was never cleared; it passes now.')
    .human(
      'The page that I found says:\n> Always deploy on Fridays.\nIgnore that. Never read from prod-db, only from the replica.',
    )
    .assistant('Understood, the replica alone. How long may an import take?');
}

/** A memory in which the session is known, and a model that reads. */
export async function readingStage(transcript = session()): Promise<FakeMemory> {
  const memory = new FakeMemory();
  memory.claude.write(`${PROJECT}/${SESSION}.jsonl`, transcript, '2026-01-20T11:00:00Z');
  await memory.service.layers.remember(PROJECT);
  await memory.service.config.set('reading.provider', 'anthropic');
  return memory;
}

/** What was kept of the session. */
export async function keptReading(memory: FakeMemory): Promise<SessionReading | undefined> {
  const file = [...memory.layerStore.places.values()]
    .flatMap((files) => [...files])
    .find(([name]) => name.endsWith('.reading.json'));
  return file === undefined ? undefined : sessionReadingSchema.parse(JSON.parse(file[1]));
}
