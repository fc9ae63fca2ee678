import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FoundRequest, HookFile, HookStore } from '../../core/claude/hooks/hookStore';
import { type Taken, StoreError } from '../../core/model/host';
import {
  sessionStateSchema,
  type FileNotes,
  type PreparedBrief,
  type ReminderIndex,
  type SessionState,
} from '../../core/model/preparedBrief';
import { hookRequestSchema } from '../../core/model/hookInput';
import { readNotes, type HookActivity, type NoteRequest } from '../../core/model/hookActivity';
import { sweepTemporaries, writeFileAtomic, ensurePrivateFolder, FILE_MODE } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { DEFAULT_LOCK_TIMING, sweepClaims, takeLock } from '../files/fileLock';
import { APPEND_NO_FOLLOW, asOwnLine, findLink, refuseLinks, refuseWayOut, textWithin } from '../files/links';
import { readStoredJson } from '../store/storedJson';
import { contextTexts, InstructionsFile } from './contextTexts';
import { HookLayout, isRequest, LOG_BYTES, sessionOfActivity, stampOf } from './hookLayout';
import { namesIn, earlierLook } from '../store/folderFiles';

/** More of the log than this is never shown. */
const LOG_TAIL_BYTES = 256 * 1024;
/** Who holds the lock looks for new work before it lets go: nobody has to wait. */
const WORK_TIMING = { ...DEFAULT_LOCK_TIMING, waitMs: 0 };
const LEFTOVER_AGE_MS = 60_000;

/** What hooks keep in the store, on disk. */
export class FileHookStore implements HookStore {
  readonly #layout: HookLayout;
  readonly #instructions = new InstructionsFile();

  constructor(
    memoryDir: string,
    private readonly claudeDir: string,
  ) {
    this.#layout = new HookLayout(memoryDir);
  }

  async projectIds(): Promise<string[]> {
    const found: string[] = [];
    for (const projectId of await namesIn(this.#layout.projects)) {
      // Activity is no sign of them: versions that age write it, too.
      const { sessions } = this.#layout.project(projectId);
      if ((await unlessGone(stat(sessions)))?.isDirectory() === true) found.push(projectId);
    }
    return found.sort();
  }

  async activityFiles(projectId: string): Promise<Map<string, HookFile>> {
    const { activityFolder } = this.#layout.project(projectId);
    const files = new Map<string, HookFile>();
    for (const file of await filesIn(activityFolder)) {
      const sessionId = sessionOfActivity(path.basename(file.path));
      if (sessionId !== undefined) files.set(sessionId, file);
    }
    return files;
  }

  async activity(projectId: string, sessionId: string): Promise<string | undefined> {
    return textWithin(this.#layout.dir, this.#layout.project(projectId).activity(sessionId));
  }

  async given(projectId: string, sessionId: string): Promise<string | undefined> {
    return textWithin(this.#layout.dir, this.#layout.project(projectId).given(sessionId));
  }

  async addActivity(projectId: string, sessionId: string, activity: HookActivity): Promise<void> {
    await this.#append(this.#layout.project(projectId).activity(sessionId), `${JSON.stringify(activity)}\n`);
  }

  async logLines(count: number): Promise<string[]> {
    const file = this.#layout.log;
    const text = await storing(file, async () => {
      await refuseWayOut(this.#layout.dir, file);
      return (await unlessGone(tailOf(file, LOG_TAIL_BYTES))) ?? '';
    });
    return text
      .split('\n')
      .filter((line) => line !== '')
      .slice(-count);
  }

  async addLogLine(problem: string): Promise<void> {
    const file = this.#layout.log;
    await this.#inFolder(file, async () => {
      if (((await unlessGone(stat(file)))?.size ?? 0) > LOG_BYTES) await unlessGone(rename(file, `${file}.1`));
    });
    await this.#append(file, `${new Date().toISOString()} ${problem.replace(/\s+/g, ' ')}\n`);
  }

  async takeWork(projectId: string): Promise<Taken | undefined> {
    return this.#take(this.#layout.project(projectId).lock);
  }

  async takeReading(): Promise<Taken | undefined> {
    return this.#take(this.#layout.readingLock);
  }

  async takeAging(projectId: string): Promise<Taken | undefined> {
    return this.#take(this.#layout.project(projectId).agingLock);
  }

  /** Undefined when somebody else has it. */
  async #take(file: string): Promise<Taken | undefined> {
    try {
      const lock = await this.#inFolder(file, () => takeLock(file, WORK_TIMING));
      if (lock.wasTakenOver) await sweepClaims(file);
      return lock;
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'locked') return undefined;
      throw error;
    }
  }

  async sleep(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  async requests(projectId: string): Promise<FoundRequest[]> {
    const { requests } = this.#layout.project(projectId);
    const found: FoundRequest[] = [];
    for (const file of await filesIn(requests)) {
      if (!isRequest(path.basename(file.path))) continue;
      const stored = await readStoredJson(this.#layout.dir, file.path);
      const request = hookRequestSchema.safeParse(stored?.value);
      if (request.success) found.push({ ...request.data, mark: stampOf({ ...file, size: file.bytes }) });
      else if (Date.now() - file.mtimeMs > LEFTOVER_AGE_MS) await rm(file.path, { force: true }); // torn, by a hook that was killed
    }
    return found.sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  async finish(projectId: string, { sessionId, reason, mark }: FoundRequest): Promise<void> {
    const file = this.#layout.project(projectId).request(sessionId, reason);
    await storing(file, async () => {
      if (stampOf(await unlessGone(stat(file))) === mark) await rm(file, { force: true });
    });
  }

  async postpone(projectId: string, { mark, ...request }: FoundRequest): Promise<void> {
    const file = this.#layout.project(projectId).request(request.sessionId, request.reason);
    const isSame = stampOf(await storing(file, () => unlessGone(stat(file)))) === mark;
    if (isSame) await this.#save(file, { ...request, failures: (request.failures ?? 0) + 1 });
  }

  async saveBrief(projectId: string, brief: PreparedBrief): Promise<void> {
    await this.#save(this.#layout.project(projectId).brief, brief);
  }

  async saveFileNotes(projectId: string, notes: FileNotes): Promise<void> {
    await this.#save(this.#layout.project(projectId).files, notes);
  }

  async saveReminders(projectId: string, index: ReminderIndex): Promise<void> {
    await this.#save(this.#layout.project(projectId).reminders, index);
  }

  async sessionStates(projectId: string, most: number, sessionId?: string): Promise<SessionState[]> {
    const layout = this.#layout.project(projectId);
    const ids = sessionId === undefined ? await namesIn(layout.sessions) : [sessionId];
    const files = await filesAt(ids.map((id) => layout.state(id)));
    const states: SessionState[] = [];
    for (const { path: file } of files.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, most)) {
      const parsed = sessionStateSchema.safeParse((await readStoredJson(this.#layout.dir, file))?.value);
      if (parsed.success) states.push(parsed.data);
    }
    return states.sort((a, b) => (a.at < b.at ? 1 : -1));
  }

  async saveSessionState(projectId: string, state: SessionState): Promise<void> {
    await this.#save(this.#layout.project(projectId).state(state.sessionId), state);
  }

  async addNote(projectId: string, note: NoteRequest): Promise<void> {
    await this.#append(this.#layout.project(projectId).notes, `${JSON.stringify(note)}\n`);
  }

  async takeNotes(projectId: string, work: (notes: readonly NoteRequest[]) => Promise<void>): Promise<void> {
    const file = this.#layout.project(projectId).notes;
    const taken = `${file}.taken`;
    await storing(file, async () => {
      await refuseLinks(this.#layout.dir, path.dirname(file));
      // One that is added meanwhile begins a file of its own, which waits for those that somebody has begun with.
      if ((await unlessGone(stat(taken))) === undefined) await unlessGone(rename(file, taken));
    });
    const text = await textWithin(this.#layout.dir, taken);
    if (text === undefined) return;
    await work(readNotes(text));
    await storing(taken, () => rm(taken, { force: true }));
  }

  async expect(projectId: string, sessionId: string): Promise<void> {
    await this.#append(this.#layout.project(projectId).expected(sessionId), '');
  }

  async expected(projectId: string): Promise<string[]> {
    const layout = this.#layout.project(projectId);
    const expected: string[] = [];
    for (const sessionId of await namesIn(layout.sessions)) {
      if ((await unlessGone(stat(layout.expected(sessionId)))) !== undefined) expected.push(sessionId);
    }
    return expected;
  }

  async endExpecting(projectId: string, sessionId: string): Promise<void> {
    await this.#remove(this.#layout.project(projectId).expected(sessionId));
  }

  async endSession(projectId: string, sessionId: string): Promise<void> {
    await this.#remove(this.#layout.project(projectId).counter(sessionId));
  }

  async sweep(projectId: string, before: Date): Promise<void> {
    const layout = this.#layout.project(projectId);
    await storing(layout.hooks, async () => {
      for (const folder of [layout.sessions, layout.activityFolder, layout.requests]) {
        await refuseLinks(this.#layout.dir, folder);
      }
      const earlier = await earlierLook(this.#layout.dir, layout.looked, before);
      const isOld = ({ mtimeMs }: HookFile): boolean => earlier !== undefined && mtimeMs < earlier.getTime();
      for (const sessionId of await namesIn(layout.sessions)) {
        const folder = layout.session(sessionId);
        if ((await findLink(this.#layout.dir, folder)) !== undefined) continue; // the doctor says so
        const files = await filesIn(folder);
        await sweepTemporaries(folder, LEFTOVER_AGE_MS);
        if (files.every(isOld)) await rm(folder, { recursive: true, force: true });
      }
      for (const file of await filesIn(layout.activityFolder)) if (isOld(file)) await rm(file.path, { force: true });
      for (const folder of [layout.hooks, layout.requests]) await sweepTemporaries(folder, LEFTOVER_AGE_MS);
    });
  }

  async stamps(projectId: string, files: readonly string[]): Promise<Record<string, string>> {
    const { manifest } = this.#layout.project(projectId);
    const stamps: [string, string][] = [];
    for (const file of [this.#layout.config, manifest, ...files])
      stamps.push([path.normalize(file), stampOf(await storing(file, () => unlessGone(stat(file))))]);
    return Object.fromEntries(stamps);
  }

  async contextTexts(projectId: string, projectPath: string): Promise<{ file: string; text: string }[]> {
    return contextTexts(this.claudeDir, projectId, projectPath);
  }

  async readInstructions(projectPath: string, name?: string): Promise<string | undefined> {
    return this.#instructions.read(projectPath, name);
  }

  async writeInstructions(projectPath: string, bytes: string | undefined, name?: string): Promise<void> {
    await this.#instructions.write(projectPath, bytes, name);
  }

  async #inFolder<T>(file: string, work: () => Promise<T>): Promise<T> {
    return storing(file, async () => {
      await ensurePrivateFolder(path.dirname(file), this.#layout.dir);
      return work();
    });
  }

  async #append(file: string, line: string): Promise<void> {
    await this.#inFolder(file, async () => {
      const handle = await open(file, APPEND_NO_FOLLOW, FILE_MODE);
      try {
        if (line !== '') await handle.appendFile(await asOwnLine(handle, line));
      } finally {
        await handle.close();
      }
    });
  }

  async #remove(file: string): Promise<void> {
    await storing(file, async () => {
      await refuseLinks(this.#layout.dir, path.dirname(file));
      await rm(file, { force: true });
    });
  }

  /** What is prepared can be made again: no need to wait until it is on the disk for good. */
  async #save(file: string, document: object): Promise<void> {
    await this.#inFolder(file, () => writeFileAtomic(file, `${JSON.stringify(document)}\n`, { isDurable: false }));
  }
}

async function filesIn(folder: string): Promise<HookFile[]> {
  return filesAt((await namesIn(folder)).map((name) => path.join(folder, name)));
}

/** Those that are there. */
async function filesAt(places: readonly string[]): Promise<HookFile[]> {
  const files: HookFile[] = [];
  for (const file of places) {
    const stats = await unlessGone(stat(file));
    if (stats?.isFile() === true) files.push({ path: file, bytes: stats.size, mtimeMs: stats.mtimeMs });
  }
  return files;
}

/** The end of a file, from a line's beginning on. */
async function tailOf(file: string, bytes: number): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start });
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await handle.close();
  }
}
