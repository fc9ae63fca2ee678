import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import {
  type OtherTool,
  type OtherToolReader,
  type StoredElsewhere,
  OtherToolError,
} from '../../core/knowledge/otherTools/otherTools';
import { errorText } from '../../core/text/keepitError';
import { nameOfNever, type Forgotten } from '../../core/model/forgotten';
import { unlessGone } from '../files/errorCode';
import { ErasedRuns, fill } from '../forgetting/erasedRuns';
import type { ForgottenFile } from '../forgetting/forgottenFile';

/** Where each tool has its memory by itself, in the order in which they are looked for; relative ones are in the project. */
const PLACES: Record<OtherTool, readonly string[]> = {
  'claude-mem': ['claude-mem.db'],
  'memory-keeper': ['.crabshell/memory', '.claude/memory'],
  'episodic-memory': ['conversation-index/db.sqlite', 'db.sqlite'],
};

type Row = Record<string, unknown>;

const TABLES: Record<OtherTool, readonly string[]> = {
  'claude-mem': ['sdk_sessions', 'observations', 'session_summaries', 'user_prompts'],
  'memory-keeper': [],
  'episodic-memory': ['exchanges', 'tool_calls', 'session_summaries'],
};

/** What is in such a folder that somebody could miss. A larger file is none of them. */
const OF_MEMORY = /^(?:[^/]+\.(?:md|json)|sessions\/[^/]+\.(?:l1\.jsonl|l2\.json|md))$/;
const MOST_BYTES = 128 * 1024 * 1024;

/** The memories of other tools on this machine's disks. */
export class DiskOtherTools implements OtherToolReader {
  constructor(private readonly forgotten: Pick<ForgottenFile, 'read'>) {}

  async read(tool: OtherTool, place: string | undefined, projectPath: string): Promise<StoredElsewhere> {
    const found = await this.find(tool, place ?? homeOf(tool, projectPath));
    if (found === undefined) throw new OtherToolError('not-there', `${tool} at ${place ?? homeOf(tool, projectPath)}`);
    const stored =
      tool === 'memory-keeper'
        ? { files: await readFolder(found), tables: new Map<string, Row[]>() }
        : { files: new Map<string, string>(), tables: await readTables(found, TABLES[tool]) };
    const forgotten = await this.forgotten.read();
    return forgotten === undefined ? stored : without(forgotten, stored);
  }

  /** The file or folder itself, or the one in it that the tool makes. */
  private async find(tool: OtherTool, place: string): Promise<string | undefined> {
    const stats = await unlessGone(stat(place));
    if (stats === undefined || stats.isFile())
      return stats === undefined || tool === 'memory-keeper' ? undefined : place;
    for (const name of PLACES[tool]) {
      const inner = path.join(place, name);
      if ((await unlessGone(stat(inner))) !== undefined) return inner;
    }
    return tool === 'memory-keeper' ? place : undefined;
  }
}

/** What was erased here does not come back from another tool, nor does a session that is never to be remembered. */
function without(
  forgotten: Forgotten,
  { files, tables }: { files: ReadonlyMap<string, string>; tables: ReadonlyMap<string, readonly Row[]> },
): StoredElsewhere {
  const finder = new ErasedRuns(forgotten);
  const never = new Set<unknown>(forgotten.never.map(nameOfNever));
  const clean = <T>(value: T): T | string => {
    if (typeof value !== 'string') return value;
    const bytes = Buffer.from(value, 'utf8');
    fill(bytes, 0, finder.wordsIn(bytes));
    return bytes.toString('utf8');
  };
  const cleanRow = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, clean(value)]));
  return {
    files: new Map([...files].map(([name, text]) => [name, clean(text)])),
    tables: new Map(
      [...tables].map(([name, rows]) => [
        name,
        rows.filter((row) => !Object.values(row).some((value) => never.has(value))).map(cleanRow),
      ]),
    ),
  };
}

function homeOf(tool: OtherTool, projectPath: string): string {
  const { CLAUDE_MEM_DATA_DIR, EPISODIC_MEMORY_CONFIG_DIR, XDG_CONFIG_HOME } = process.env;
  const config = XDG_CONFIG_HOME ?? path.join(homedir(), '.config');
  return {
    'claude-mem': CLAUDE_MEM_DATA_DIR ?? path.join(homedir(), '.claude-mem'),
    'memory-keeper': projectPath,
    'episodic-memory': EPISODIC_MEMORY_CONFIG_DIR ?? path.join(config, 'superpowers'),
  }[tool];
}

/** Newer plugins call `memory.md` the logbook. */
async function readFolder(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (!entry.isFile() || !OF_MEMORY.test(name) || (await stat(file)).size > MOST_BYTES) continue;
    files.set(name.replace(/^logbook(?=[._])/, 'memory'), await readFile(file, 'utf8'));
  }
  return files;
}

/** A copy is read, since reading a database may write beside it. */
async function readTables(file: string, tables: readonly string[]): Promise<Map<string, Row[]>> {
  const sqlite = await import('node:sqlite').catch(() => undefined);
  if (sqlite === undefined) throw new OtherToolError('no-sqlite', process.versions.node);
  const folder = await mkdtemp(path.join(tmpdir(), 'keepit-import-'));
  try {
    const copy = path.join(folder, 'copy.db');
    await copyFile(file, copy);
    await unlessGone(copyFile(`${file}-wal`, `${copy}-wal`)); // what was written last
    const database = new sqlite.DatabaseSync(copy);
    try {
      const known = new Set(database.prepare("select name from sqlite_master where type = 'table'").all().map(nameOf));
      const there = tables.filter((table) => known.has(table));
      if (there.length === 0) throw new OtherToolError('unreadable', file);
      return new Map(there.map((table) => [table, database.prepare(`select * from ${table}`).all()]));
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof OtherToolError || !/sqlite|database/i.test(errorText(error))) throw error;
    throw new OtherToolError('unreadable', file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nameOf(row: Row): unknown {
  return row['name'];
}
