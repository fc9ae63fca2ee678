import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { benchEnvironment } from './environment';
import { Random } from './random';
import { SessionWriter, type SessionIdentity } from './sessionWriter';
import { TextPool } from './textPool';

const MB = 1024 * 1024;

/** Real transcripts: 44 MB in 159 files. */
const MEAN_FILE_BYTES = 280 * 1024;
const FILES_PER_PROJECT = 14;
const AGENT_FILE_PROBABILITY = 0.12;
const HUGE_LINE_CHARACTERS = 10 * MB;
const FLUSH_CHARACTERS = MB;
const START_MS = Date.UTC(2026, 0, 5, 9);

/** A Claude folder to be made. The same recipe gives the same bytes on every machine. */
export interface Recipe {
  readonly totalMb: number;
  /** One file of this size among them, with one line of 10 MB in it. */
  readonly largestFileMb?: number;
  readonly seed?: number;
}

export interface GeneratedFolder {
  /** What `CLAUDE_CONFIG_DIR` is to be set to. */
  readonly claudeDir: string;
  readonly largestFile: string;
}

/** Writes one session until it has at least `bytes`; returns how many it has. */
export async function writeSession(
  file: string,
  identity: SessionIdentity,
  bytes: number,
  { random, pool, hugeLine = false }: { random: Random; pool: TextPool; hugeLine?: boolean },
): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true });
  const stream = createWriteStream(file);
  const session = new SessionWriter(identity, random, pool);
  let written = 0;
  let pending = '';
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(pending);
    pending = '';
    written += chunk.length;
    if (!stream.write(chunk)) await once(stream, 'drain');
  };
  if (hugeLine) pending = `${session.hugeToolResult(HUGE_LINE_CHARACTERS)}\n`;
  while (written + pending.length < bytes) {
    for (const line of session.turn()) pending += `${line}\n`;
    if (pending.length > FLUSH_CHARACTERS) await flush();
  }
  await flush();
  stream.end();
  await once(stream, 'finish');
  return written;
}

/** Plans and writes all the sessions below one Claude folder. */
class FolderWriter {
  private readonly random: Random;
  private readonly pool: TextPool;
  private sessions = 0;

  constructor(
    private readonly claudeDir: string,
    seed: number,
  ) {
    this.random = new Random(seed);
    this.pool = new TextPool(this.random);
  }

  async write({ totalMb, largestFileMb }: Recipe): Promise<void> {
    let left = totalMb * MB;
    if (largestFileMb !== undefined) left -= await this.session(largestFileMb * MB, true);
    while (left > 0) left -= await this.session(Math.min(left, this.random.length(MEAN_FILE_BYTES)), false);
  }

  private async session(bytes: number, isLargest: boolean): Promise<number> {
    const project = Math.floor(this.sessions / FILES_PER_PROJECT);
    const cwd = `/home/sam/src/project-${project}`;
    const folder = path.join(this.claudeDir, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
    const sessionId = this.random.uuid();
    const startMs = START_MS + this.sessions * 5_400_000;
    this.sessions += 1;
    const tools = { random: this.random, pool: this.pool };
    const file = isLargest ? LARGEST_FILE : `${sessionId}.jsonl`;
    let written = await writeSession(path.join(folder, file), { sessionId, cwd, startMs }, bytes, {
      ...tools,
      hugeLine: isLargest,
    });
    if (this.random.chance(AGENT_FILE_PROBABILITY)) {
      const agentId = this.random.hex(8);
      const agentFile = path.join(folder, sessionId, 'subagents', `agent-${agentId}.jsonl`);
      written += await writeSession(agentFile, { sessionId, cwd, startMs, agentId }, bytes / 4, tools);
    }
    return written;
  }
}

const LARGEST_FILE = 'ffffffff-0000-4000-a000-000000000000.jsonl';

/** Makes the folder of a recipe, or finds it made already. It must not be changed: cases copy what they change. */
export async function generatedFolder(recipe: Recipe): Promise<GeneratedFolder> {
  const { totalMb, largestFileMb = 0, seed = 1 } = recipe;
  const claudeDir = path.join(benchEnvironment().cacheDir, 'bench-data', `${totalMb}-${largestFileMb}-${seed}-v1`);
  if (!existsSync(claudeDir)) {
    const draft = `${claudeDir}.${process.pid}.draft`;
    await rm(draft, { recursive: true, force: true });
    await new FolderWriter(draft, seed).write(recipe);
    await rename(draft, claudeDir);
  }
  return { claudeDir, largestFile: path.join(claudeDir, 'projects/-home-sam-src-project-0', LARGEST_FILE) };
}
