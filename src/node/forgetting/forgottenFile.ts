import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { forgottenSchema, type Forgotten } from '../../core/model/forgotten';
import { mapLimited } from '../../core/text/mapLimited';
import { SCHEMA_VERSION } from '../../core/model/fields';
import { StoreError } from '../../core/model/host';
import { projectFolderName } from '../../core/sessions/projectNames';
import { writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { withLock } from '../files/fileLock';
import { markOf } from '../files/fileMark';
import { isWithin, READ_NO_FOLLOW } from '../files/links';
import { storing } from '../files/errorCode';
import { jsonText, readStoredJson } from '../store/storedJson';
import { ErasedRuns, type Run } from './erasedRuns';

const TRANSCRIPT = '.jsonl';
const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
/** Of how many files it is remembered where they say what was erased. */
const MOST_FILES = 500;
const HEAD_BYTES = 64 * 1024;
const PARALLEL_LOOKS = 8;

interface Known {
  readonly mark: string;
  readonly runs: readonly Run[];
}

/** `forgotten.json` of a store, and what it means for files that are read. */
export class ForgottenFile {
  readonly file: string;
  readonly #dir: string;
  #read: { readonly mark: string | undefined; readonly forgotten: Forgotten | undefined } | undefined;
  #looking: Promise<Forgotten | undefined> | undefined;
  readonly #runs = new Map<string, Known>();

  constructor(dir: string) {
    this.#dir = path.resolve(dir);
    this.file = path.join(this.#dir, 'forgotten.json');
  }

  /** Undefined when nothing was ever to be forgotten. Throws `StoreError` for one that cannot be read: nothing may be taken for allowed then. */
  read(): Promise<Forgotten | undefined> {
    return (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
  }

  /** Whoever asks while the file is looked at waits for that look. */
  async #look(): Promise<Forgotten | undefined> {
    const mark = (await storing(this.file, () => markOf(this.file)))?.text;
    if (this.#read !== undefined && this.#read.mark === mark) return this.#read.forgotten;
    const stored = mark === undefined ? undefined : await readStoredJson(this.#dir, this.file);
    const checked = stored === undefined ? undefined : forgottenSchema.safeParse(stored.value);
    if (checked?.success === false || stored?.state === 'torn')
      throw new StoreError('corrupt', { path: this.file, detail: 'what is to be forgotten cannot be read' });
    this.#read = { mark, forgotten: checked?.data };
    this.#runs.clear();
    return checked?.data;
  }

  async change(change: (forgotten: Forgotten) => Forgotten): Promise<Forgotten> {
    return storing(this.file, async () => {
      await ensurePrivateFolder(this.#dir, this.#dir);
      return withLock(path.join(this.#dir, '.forgotten.lock'), async (lock) => {
        const before = (await this.#look()) ?? nothingForgotten();
        const after = change(before);
        if (after !== before)
          await writeFileAtomic(this.file, jsonText(after), { beforeRename: () => lock.assertHeld() });
        return after;
      });
    });
  }

  /** Where a transcript of Claude Code says what is not to be known; looked for once for each state of the file. */
  async runsOf(file: string): Promise<readonly Run[]> {
    const forgotten = await this.read();
    if (forgotten === undefined) return [];
    const finder = new ErasedRuns(forgotten);
    if (finder.isEmpty || isWithin(this.#dir, file)) return []; // what is kept was overwritten when it was erased
    const mark = (await markOf(file))?.text ?? '';
    const known = this.#runs.get(file);
    if (known?.mark === mark) return known.runs;
    const runs = await runsInRecords(file, finder);
    this.#runs.delete(file);
    this.#runs.set(file, { mark, runs });
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MOST_FILES) break;
      this.#runs.delete(oldest);
    }
    return runs;
  }

  /** Those of the transcripts, which lie in `projectsDir` or elsewhere, from which something may be taken. */
  async allowed<T extends { readonly path: string }>(projectsDir: string, files: readonly T[]): Promise<T[]> {
    const { never = [] } = (await this.read()) ?? {};
    if (never.length === 0) return [...files];
    const isNever = await mapLimited(files, PARALLEL_LOOKS, ({ path: file }) => isAmong(never, projectsDir, file));
    return files.filter((_, index) => isNever[index] !== true);
  }
}

async function isAmong(never: Forgotten['never'], projectsDir: string, file: string): Promise<boolean> {
  const [projectId = '', name = ''] = isWithin(projectsDir, file)
    ? path.relative(projectsDir, file).split(path.sep)
    : ['', path.basename(file)];
  const sessionId = name.endsWith(TRANSCRIPT) ? name.slice(0, -TRANSCRIPT.length) : name;
  for (const { folder, session } of never) {
    if (session === sessionId || (folder !== undefined && (await isHeldIn(folder, projectId, file)))) return true;
  }
  return false;
}

/** Whether a session was held in a folder, or below it: Claude Code's names for folders do not tell `app/web` from `app-web`. */
async function isHeldIn(folder: string, projectId: string, file: string): Promise<boolean> {
  const own = projectFolderName(folder);
  if (projectId === own) return true;
  return projectId.startsWith(`${own}-`) && isWithin(folder, (await cwdOf(file)) ?? folder);
}

function nothingForgotten(): Forgotten {
  const key = randomBytes(32).toString('hex');
  return { version: SCHEMA_VERSION, key, words: [], records: [], never: [], pauses: [] };
}

/** The folder that the first records of a transcript name. */
export async function cwdOf(file: string): Promise<string | undefined> {
  const handle = await open(file, READ_NO_FOLLOW).catch(() => undefined); // a folder of sub-agents is named by its session's
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [, quoted] = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(buffer.toString('utf8', 0, bytesRead)) ?? [];
    const cwd: unknown = quoted === undefined ? undefined : JSON.parse(quoted);
    return typeof cwd === 'string' ? cwd : undefined;
  } catch {
    return undefined; // what cannot be told counts as lying in the folder
  } finally {
    await handle.close();
  }
}

/** Where the records of a file say what was erased. */
export async function runsInRecords(file: string, finder: ErasedRuns, signal?: AbortSignal): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const { line, offset } of linesOf(file, signal))
    for (const { start, end } of finder.recordIn(line)) runs.push({ start: start + offset, end: end + offset });
  return runs;
}

/** The lines of a file, one after the other, with where they begin. */
export async function* linesOf(
  file: string,
  signal?: AbortSignal,
): AsyncIterable<{ readonly line: Buffer; readonly offset: number }> {
  const handle = await open(file, READ_NO_FOLLOW);
  try {
    let begun: Buffer[] = [];
    let offset = 0;
    for (let position = 0; ;) {
      signal?.throwIfAborted();
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      let from = 0;
      for (let end = buffer.indexOf(NEWLINE); end !== -1 && end < bytesRead; end = buffer.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...begun, buffer.subarray(from, end)]);
        yield { line, offset };
        offset += line.length + 1;
        begun = [];
        from = end + 1;
      }
      if (from < bytesRead) begun.push(buffer.subarray(from, bytesRead));
    }
    if (begun.length > 0) yield { line: Buffer.concat(begun), offset };
  } finally {
    await handle.close();
  }
}
