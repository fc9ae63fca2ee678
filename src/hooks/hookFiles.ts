import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type * as z from 'zod/mini';
import { withoutOutdatedFacts } from '../core/claude/hooks/briefText';
import {
  factStatesSchema,
  fileNotesSchema,
  preparedBriefSchema,
  reminderIndexSchema,
  sessionStateSchema,
  armedContextSchema,
  type FactStates,
  type FileNotes,
  type PreparedBrief,
  type ReminderIndex,
  type SessionState,
  type ArmedContext,
} from '../core/model/preparedBrief';
import type { HookRequest } from '../core/model/hookInput';
import type { GivenText, HookActivity } from '../core/model/hookActivity';
import { defaultHookSettings, hookSettingsSchema, type HookSettings } from '../core/model/hookSettings';
import { errorCode } from '../node/files/errorCode';
import { APPEND_NO_FOLLOW, isWithin, READ_NO_FOLLOW, stepsBelow } from '../node/files/links';
import { isRunning } from '../node/files/isRunning';
import { isOther, lockHolderSchema, processOf, type LockHolder } from '../node/files/lockRecord';
import { FILE_MODE, FOLDER_MODE } from '../node/files/atomicFile';
import { stampOf, type HookLayout, type ProjectHookLayout } from '../node/hooks/hookLayout';

const FACTS = 'facts.json';

/** The background shows every two seconds that it is at work. */
const WORKING_MS = 10_000;
const MAX_GIVEN_BYTES = 1024 * 1024;

/**
 * The files of one session's hooks. Everything here is done at once, without waiting for a loop: the process has nothing else to do, and
 * Claude Code waits for it. What fails because of the disk is told to `onProblem`, and the session gets what it can get.
 */
export class HookFiles {
  constructor(
    private readonly layout: HookLayout,
    private readonly project: ProjectHookLayout,
    private readonly sessionId: string,
    private readonly onProblem: (what: string, error: unknown) => void,
  ) {}

  /** As they are now; as they were when the brief was made, if the configuration cannot be read. */
  settings(brief: PreparedBrief | undefined): HookSettings {
    const text = this.textIn(this.layout.config);
    if (text === undefined) return defaultHookSettings;
    const config = parsedJson(text);
    const hooks = typeof config === 'object' && config !== null && 'hooks' in config ? config.hooks : {};
    const given = typeof hooks === 'object' ? hooks : undefined;
    const settings = hookSettingsSchema.safeParse({ ...defaultHookSettings, ...given });
    if (config !== undefined && settings.success) return settings.data;
    this.onProblem('config.json', new Error('it cannot be read'));
    return brief?.settings ?? defaultHookSettings;
  }

  /** What is ready to be given, without what does not hold any more. */
  brief(): PreparedBrief | undefined {
    const brief = this.document(this.project.brief, preparedBriefSchema);
    if (brief === undefined) return undefined;
    const [file, stamp] = Object.entries(brief.sources).find(([source]) => path.basename(source) === FACTS) ?? [];
    if (file === undefined || this.stamp(file) === stamp) return brief;
    return withoutOutdatedFacts(brief, this.document(file, factStatesSchema));
  }

  /** What is decided about files. */
  fileNotes(): FileNotes | undefined {
    return this.document(this.project.files, fileNotesSchema);
  }

  /** The facts, where they have changed since notes on files were made. */
  changedFacts({ facts }: FileNotes): FactStates | undefined {
    return facts === undefined || this.stamp(facts.file) === facts.stamp
      ? undefined
      : this.document(facts.file, factStatesSchema);
  }

  reminders(): ReminderIndex | undefined {
    return this.document(this.project.reminders, reminderIndexSchema);
  }

  /** Where the session stands, as far as it was read. */
  state(): SessionState | undefined {
    return this.document(this.project.state(this.sessionId), sessionStateSchema);
  }

  /** Whether something of what a brief was made from is another by now. */
  isOld({ sources }: PreparedBrief): boolean {
    return Object.entries(sources).some(([file, stamp]) => this.stamp(file) !== stamp);
  }

  /** Whether the state of the session was found after the last change of the project's manifest. */
  isStateCurrent(): boolean {
    const kept = statSync(this.project.state(this.sessionId), { throwIfNoEntry: false });
    const manifest = statSync(this.project.manifest, { throwIfNoEntry: false });
    return kept !== undefined && kept.mtimeMs >= (manifest?.mtimeMs ?? 0);
  }

  /** Whether the session is in memory. */
  isInMemory(): boolean {
    return existsSync(this.project.original(this.sessionId));
  }

  /**
   * What was armed for this session and waits to be given, or was given before; `isGiven` tells which. One step takes it, so that of several
   * sessions that start at once one gets it, and all hooks of that one find it.
   */
  takeArmed(isGiven: (armed: ArmedContext) => boolean): ArmedContext | undefined {
    const taken = this.project.taken(this.sessionId);
    if (!existsSync(this.project.armed) && !existsSync(taken)) return undefined;
    if (!this.isFree(this.project.armed)) return undefined;
    const mine = this.document(taken, armedContextSchema);
    if (mine !== undefined && !isGiven(mine)) return mine;
    try {
      renameSync(this.project.armed, taken);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.onProblem('armed.json', error);
    }
    return this.document(taken, armedContextSchema);
  }

  hasClaim(key: string): boolean {
    return existsSync(this.project.claim(this.sessionId, key));
  }

  /** Whether nobody has claimed this before, or not for so long. Where nothing can be written, everybody is, or nobody. */
  claim(key: string, forMs = Infinity, otherwise = true): boolean {
    const file = this.project.claim(this.sessionId, key);
    return this.attempt(`claim ${key}`, otherwise, () => {
      if (this.createEmpty(file)) return true;
      if (agedBelow(statSync(file), forMs)) return false;
      rmSync(file, { force: true });
      return this.createEmpty(file);
    });
  }

  /** Forgets what was claimed under names that begin so. */
  unclaim(prefixes: readonly string[]): void {
    const folder = this.project.session(this.sessionId);
    const beginnings = prefixes.map((prefix) => path.basename(this.project.claim(this.sessionId, prefix)));
    this.attempt('claims', undefined, () => {
      refuseLinksNow(this.layout.dir, folder);
      const names = existsSync(folder) ? readdirSync(folder) : [];
      for (const name of names.filter((one) => beginnings.some((beginning) => one.startsWith(beginning)))) {
        rmSync(path.join(folder, name), { force: true });
      }
    });
  }

  /** The keys of what the session was told. */
  toldKeys(): ReadonlySet<string> {
    const text = this.attempt('told', undefined, () => this.textIn(this.project.told(this.sessionId)));
    return new Set((text ?? '').split('\n').filter((key) => key !== ''));
  }

  addTold(keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.attempt('told', 0, () => appendTo(this.layout.dir, this.project.told(this.sessionId), `${keys.join('\n')}\n`));
  }

  /** Counts one more tool call; true when so many have come together, from then on anew. */
  countTool(interval: number): boolean {
    const file = this.project.counter(this.sessionId);
    return this.attempt('counter', false, () => {
      if (appendTo(this.layout.dir, file, '.') < interval) return false;
      rmSync(file, { force: true });
      return true;
    });
  }

  countPrompt(): void {
    this.attempt('prompts', 0, () => appendTo(this.layout.dir, this.project.prompts(this.sessionId), '.'));
  }

  /** Whether so many prompts came since the last reminder to take notes; if so, that is now. */
  isReminderDue(between: number): boolean {
    const prompts = statSync(this.project.prompts(this.sessionId), { throwIfNoEntry: false })?.size ?? 0;
    return this.claim(`note-${Math.floor(prompts / between)}`, Infinity, false);
  }

  forgetTools(): void {
    const file = this.project.counter(this.sessionId);
    if (this.isFree(file)) this.attempt('counter', undefined, () => rmSync(file, { force: true }));
  }

  /** Says whose the sessions of a worktree are, also when it is gone. */
  noteWorktree({ name, main }: { readonly name: string; readonly main: string }): void {
    const file = this.layout.worktree(name);
    if (existsSync(file)) return;
    this.attempt('worktree', undefined, () =>
      this.inFolder(file, () => writeFileSync(file, main, { mode: FILE_MODE })),
    );
  }

  addActivity(activity: HookActivity): void {
    const file = this.project.activity(this.sessionId);
    this.attempt('activity', 0, () => appendTo(this.layout.dir, file, `${JSON.stringify(activity)}\n`));
  }

  /** Keeps what was given as a whole, for whoever wants to read it, up to a limit for each session. */
  keepGiven(wholes: readonly GivenText[]): void {
    if (wholes.length === 0) return;
    const file = this.project.given(this.sessionId);
    this.attempt('given', 0, () => {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_GIVEN_BYTES) return 0;
      return appendTo(this.layout.dir, file, wholes.map((whole) => `${JSON.stringify(whole)}\n`).join(''));
    });
  }

  /** Asks the background for something; false when that cannot even be written down. */
  addRequest(request: HookRequest): boolean {
    const file = this.project.request(this.sessionId, request.reason);
    return this.attempt('request', false, () => {
      const temporary = path.join(path.dirname(file), temporaryName());
      try {
        const text = JSON.stringify(request);
        this.inFolder(file, () => writeFileSync(temporary, text, { mode: FILE_MODE, flag: 'wx' }));
        renameSync(temporary, file); // whoever looks for requests finds a whole one
      } catch (error) {
        this.attempt('request', undefined, () => rmSync(temporary, { force: true }));
        throw error;
      }
      return true;
    });
  }

  /** Whether a process is doing what hooks ask for: before it ends it looks again. One that was killed does nothing any more. */
  isWorking(): boolean {
    const { lock } = this.project;
    return this.attempt('work', false, () => {
      const stats = statSync(lock, { throwIfNoEntry: false });
      if (stats === undefined || !agedBelow(stats, WORKING_MS)) return false;
      const holder = lockHolderSchema.safeParse(parsedJson(textOf(lock) ?? ''));
      return !holder.success || !hasDied(holder.data);
    });
  }

  private stamp(file: string): string {
    return this.attempt(file, '', () => stampOf(statSync(file, { throwIfNoEntry: false })));
  }

  private document<Schema extends z.ZodMiniType>(file: string, schema: Schema): z.output<Schema> | undefined {
    const text = this.attempt(path.basename(file), undefined, () => this.textIn(file));
    if (text === undefined) return undefined;
    const parsed = schema.safeParse(parsedJson(text));
    if (parsed.success) return parsed.data;
    this.onProblem(path.basename(file), new Error('it is damaged'));
    return undefined;
  }

  /** Of a file in the store, below which no symbolic link is followed, and of one in the project's folder. */
  private textIn(file: string): string | undefined {
    if (isWithin(this.layout.dir, file)) refuseLinksNow(this.layout.dir, path.dirname(file));
    return textOf(file);
  }

  private isFree(file: string): boolean {
    return this.attempt(path.basename(file), false, () => {
      refuseLinksNow(this.layout.dir, path.dirname(file));
      return true;
    });
  }

  private inFolder<T>(file: string, work: () => T): T {
    return inFolder(this.layout.dir, file, work);
  }

  private createEmpty(file: string): boolean {
    try {
      closeSync(this.inFolder(file, () => openSync(file, 'wx', FILE_MODE)));
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  private attempt<T>(what: string, otherwise: T, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.onProblem(what, error);
      return otherwise;
    }
  }
}

/** Whether a file was written less than so long ago. One from the future was written before the clock was set back: nobody knows when. */
function agedBelow({ mtimeMs }: { mtimeMs: number }, ms: number): boolean {
  return ms === Infinity || Math.abs(Date.now() - mtimeMs) < ms;
}

/** As far as it can be seen from here: a background that is started too often finds the lock taken, and ends. */
function hasDied(holder: LockHolder): boolean {
  if (!isRunning(holder.pid)) return true;
  const stat = textOf(`/proc/${holder.pid}/stat`);
  return stat !== undefined && holder.processStart !== '' && isOther(holder, processOf(stat));
}

/** Adds to a file, mostly in one write, which other processes do not come between; returns how long it is then. */
export function appendTo(root: string, file: string, text: string): number {
  return inFolder(root, file, () => {
    const handle = openSync(file, APPEND_NO_FOLLOW, FILE_MODE);
    try {
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length;) written += writeSync(handle, bytes, written);
      return fstatSync(handle).size;
    } finally {
      closeSync(handle);
    }
  });
}

/** As the store's own temporary files are named, so that what a killed hook leaves is taken away with them. */
function temporaryName(): string {
  const digits = [process.pid, Math.floor(Math.random() * 2 ** 32)];
  return `.request.${digits.map((number) => number.toString(16).padStart(8, '0')).join('')}.tmp`;
}

/** Makes the folder only where it is missing: mostly it is not. */
function inFolder<T>(root: string, file: string, work: () => T): T {
  refuseLinksNow(root, path.dirname(file));
  try {
    return work();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
    return work();
  }
}

/** As `refuseLinks` does, at once. */
function refuseLinksNow(root: string, folder: string) {
  for (const step of stepsBelow(root, folder)) {
    if (lstatSync(step, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      throw new Error(`${step} is a symbolic link, and none is followed there`);
    }
  }
}

function textOf(file: string): string | undefined {
  try {
    const handle = openSync(file, READ_NO_FOLLOW);
    try {
      return readFileSync(handle, 'utf8');
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // torn or edited by hand: whoever asked says so
  }
}
