import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import type { SessionRef } from '../../../src/core/sessions/results';
import { answerText } from './summaryRequests';
import type { FakeReply, FakeRequest } from './fakeAnthropic';
import { RecordingLog } from './recordingLog';
import { TranscriptBuilder } from './transcriptBuilder';

/** What was marked in the session, one of them with what models like to tidy up. */
export const PINNED = 'Never  write to `prod-db`;\tuse   the replica (10.0.0.7) instead.';
export const IMPORTANT = 'Retry three times, with 200 ms between.';
export const FADING = 'Maybe rename the module later.';

/** What must not leave the machine. */
export const SECRET = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB';
export const PRIVATE = 'my salary is nobody’s business';

/** A session with keepits, a secret and a private passage, and enough around them to be worth a summary. */
export function sessionWithKeepits(sessionId: string): TranscriptBuilder {
  const builder = new TranscriptBuilder(sessionId).title('Retries in the importer');
  const filler = 'The importer reads a file of orders, checks each line, and writes what is new into the table. ';
  builder.human(`##keepit1.00## ${PINNED} ##keepit:end## And make imports retry. The token is ${SECRET} today.`);
  builder.assistant(`I read src/importer.ts. ${filler.repeat(12)} ##keepit0.90## ${IMPORTANT} ##keepit:end##`);
  builder.human(`<private>${PRIVATE}</private> Good. ##keepit0.10## ${FADING} ##keepit:end## Now the tests.`);
  for (let turn = 0; turn < 6; turn += 1) {
    builder.assistant(`Step ${turn} is done. ${filler.repeat(10)}`).human(`And step ${turn + 1}? ${filler.repeat(2)}`);
  }
  return builder.assistant('All tests pass.');
}

/** A memory on disk that can ask models, with one session of those keepits in it. */
export class ModelStage {
  readonly log = new RecordingLog();
  readonly claudeDir: string;
  readonly ref: SessionRef = { projectId: '-home-ada-src-app', sessionId: 'aaaa' };
  private memory: Memory | undefined;

  constructor(
    private readonly dir: string,
    private readonly options: { readonly distDir: string; readonly env: NodeJS.ProcessEnv },
  ) {
    this.claudeDir = path.join(dir, 'claude');
  }

  get opened(): Memory {
    if (this.memory === undefined) throw new Error('open it first');
    return this.memory;
  }

  async open(): Promise<void> {
    const file = path.join(this.claudeDir, 'projects', this.ref.projectId, `${this.ref.sessionId}.jsonl`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, sessionWithKeepits(this.ref.sessionId).toString());
    const { distDir, env } = this.options;
    const memoryDir = path.join(this.dir, 'memory');
    this.memory = createMemory({ claudeDir: this.claudeDir, memoryDir, distDir, log: this.log, models: { env } });
    await this.memory.service.sessions.register([this.ref]);
  }

  async close(): Promise<void> {
    await this.memory?.dispose();
  }
}

/** A summary that is a lie: it drops a keepit, alters another, marks what nobody marked, and leaves a fence open. */
export function lyingAnswer({ prompt }: FakeRequest): FakeReply {
  const indexes = [...prompt.matchAll(/^\[(\d+)\] [A-Z]/gm)].map(([, digits]) => Number(digits));
  const [first = 0] = indexes;
  return {
    text: answerText(
      { kind: 'heading', text: '## Retries ##keepit1.00##', messages: indexes },
      { text: '##keepit1.00## Always write to prod-db. ##keepit:end##', messages: [first] },
      { text: 'It retries.\n```ts\nretry(2)', messages: [indexes.at(-1) ?? first] },
    ),
  };
}
