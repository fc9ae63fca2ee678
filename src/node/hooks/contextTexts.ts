import { readFile, stat, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createFile, discardKilled, placeFile } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { readWithin, resolveWithin } from '../files/links';

/** Larger files are no instructions. */
const MAX_BYTES = 256 * 1024;
/** As deep as Claude Code follows them. */
const MOST_HOPS = 5;
const MOST_FILES = 30;
const IMPORT = /(?:^|\s)@([^\s`]+)/g;

/**
 * What Claude Code gives to every session of a project by itself: instructions of the project and the user, with all that they import, and
 * its own memory. In the order in which they are looked for; what cannot be read is passed over, as Claude Code does.
 */
export async function contextTexts(
  claudeDir: string,
  projectId: string,
  projectPath: string,
): Promise<{ file: string; text: string }[]> {
  const own = ['CLAUDE.md', 'CLAUDE.local.md', path.join('.claude', 'CLAUDE.md')];
  const first = [
    path.join(claudeDir, 'CLAUDE.md'),
    ...(projectPath === '' ? [] : own.map((name) => path.join(projectPath, name))),
    path.join(claudeDir, 'projects', projectId, 'memory', 'MEMORY.md'),
  ];
  const found = new Map<string, string>();
  let wanted = first;
  for (let hop = 0; hop <= MOST_HOPS && wanted.length > 0; hop++) {
    const next: string[] = [];
    for (const file of wanted) {
      if (found.has(file) || found.size >= MOST_FILES) continue;
      const text = await textOf(file);
      if (text === undefined) continue;
      found.set(file, text);
      next.push(...importsOf(text).map((name) => path.resolve(path.dirname(file), name)));
    }
    wanted = next;
  }
  return [...found].map(([file, text]) => ({ file, text }));
}

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
    if (name.startsWith('~/')) return [path.join(os.homedir(), name.slice(2))];
    return name.includes('.') || name.includes('/') ? [name] : [];
  });
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    return stats.isFile() && stats.size <= MAX_BYTES ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined; // not there, or not readable: Claude Code goes on without it as well
  }
}

const NAME = 'CLAUDE.md';
/** As an editor would make it: the file is the project's, not Keepit's. */
const NEW_MODE = 0o644;

/** A project's `CLAUDE.md` or its like, whose bytes are one character each: what is around them is nobody's to change, whatever its encoding is. */
export class InstructionsFile {
  async read(projectPath: string, name = NAME): Promise<string | undefined> {
    const file = path.join(projectPath, name);
    return (await storing(file, () => readWithin(projectPath, file)))?.toString('latin1');
  }

  /** A symbolic link in its place is followed within the project, as to `AGENTS.md`; the file keeps its mode. */
  async write(projectPath: string, bytes: string | undefined, name = NAME): Promise<void> {
    const file = path.join(projectPath, name);
    await storing(file, async () => {
      const real = await resolveWithin(projectPath, file);
      if (bytes === undefined) {
        await rm(file, { force: true });
        return;
      }
      const mode = (await unlessGone(stat(real)))?.mode ?? NEW_MODE;
      await discardKilled(real);
      await placeFile(real, (temporary) =>
        createFile(temporary, async (handle) => {
          await handle.writeFile(bytes, 'latin1');
          await handle.chmod(mode & 0o777);
          await handle.sync();
        }),
      );
    });
  }
}
