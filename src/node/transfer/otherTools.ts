import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { OtherToolError } from '../../core/knowledge/otherTools/otherToolError';
import type { OtherTool, OtherToolReader, StoredElsewhere } from '../../core/knowledge/otherTools/otherTools';
import { errorText } from '../../core/text/keepitError';
import { unlessGone } from '../files/errorCode';

/** Where each tool has its memory by itself, in the order in which they are looked for; relative ones are in the project. */
const PLACES: Record<OtherTool, readonly string[]> = {
  'claude-mem': ['claude-mem.db'],
  'memory-keeper': ['.crabshell/memory', '.claude/memory'],
  'episodic-memory': ['conversation-index/db.sqlite', 'db.sqlite'],
};

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
  async read(tool: OtherTool, place: string | undefined, projectPath: string): Promise<StoredElsewhere> {
    const found = await this.find(tool, place ?? homeOf(tool, projectPath));
    if (found === undefined) throw new OtherToolError('not-there', `${tool} at ${place ?? homeOf(tool, projectPath)}`);
    return tool === 'memory-keeper'
      ? { files: await readFolder(found), tables: new Map() }
      : { files: new Map(), tables: await readTables(found, TABLES[tool]) };
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
async function readTables(file: string, tables: readonly string[]): Promise<Map<string, readonly unknown[]>> {
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

function nameOf(row: Readonly<Record<string, unknown>>): unknown {
  return row['name'];
}
