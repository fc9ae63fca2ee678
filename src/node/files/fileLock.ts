import { randomBytes } from 'node:crypto';
import { link, open, readdir, readFile, stat, unlink, utimes, readlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../core/model/host';
import { parsedJson } from '../../core/text/ownValue';
import { createFile, discardTemporary, temporaryBeside, FILE_MODE } from './atomicFile';
import { errorCode, unlessGone, storing } from './errorCode';
import { lockHolderSchema, type LockHolder, isOther, processOf } from './lockRecord';
import { hostname } from 'node:os';
import { isRunning } from './isRunning';

/*
 * A lock is a file that can be made only once; it names its holder. Whoever finds it either waits, or, when the holder
 * is dead, takes it away. Two who find the same dead lock must not take away each other's new one: before a lock with
 * nonce N is removed, a claim `<lock>~N` is made, again a file that can be made only once, and with the claim in hand
 * the lock is read again. As long as it still is N nobody but the claim's maker may remove it, so it cannot change
 * between that look and the removal; when it no longer is N the work is already done. A claim whose maker died is
 * removed in the same way.
 */

export interface LockTiming {
  /** How long to wait for a lock that somebody holds; longer, until it is known, where it cannot be seen whether they live. */
  waitMs: number;
  /** How often a holder shows that it is there, for those who cannot see its process. */
  heartbeatMs: number;
  /** How long a holder that cannot be seen may be silent, while we look, before its lock is taken away. */
  silenceMs: number;
}

export const DEFAULT_LOCK_TIMING: LockTiming = { waitMs: 30_000, heartbeatMs: 2000, silenceMs: 15_000 };

const FIRST_PAUSE_MS = 2;
/** A holder that lets go and takes the lock again at once must not starve the others. */
const LONGEST_PAUSE_MS = 15;

export interface HeldLock {
  /** Whether the lock was taken from a holder that died: what that one was doing may be half done. */
  readonly wasTakenOver: boolean;
  /** Throws `StoreError` when somebody has taken the lock away, which only a holder that slept for long can meet. */
  assertHeld(): Promise<void>;
  /** Never fails: what was done under the lock is done. A lock that cannot be removed now is removed as soon as that works. */
  release(): Promise<void>;
}

/** Waits for a lock and takes it. The lock file's folder must exist. Throws `StoreError`. */
export async function takeLock(file: string, timing: LockTiming, signal?: AbortSignal): Promise<HeldLock> {
  const self = await describeHolder(randomBytes(8).toString('hex'));
  return storing(file, () => new LockAttempt(file, timing, self).take(signal));
}

/** Works under a lock. What holders that died have left of it is cleared up. */
export async function withLock<T>(
  file: string,
  work: (lock: HeldLock) => Promise<T>,
  timing: LockTiming = DEFAULT_LOCK_TIMING,
  signal?: AbortSignal,
): Promise<T> {
  const lock = await takeLock(file, timing, signal);
  try {
    if (lock.wasTakenOver) await sweepClaims(file);
    return await work(lock);
  } finally {
    await lock.release();
  }
}

/** A lock as it lies there. */
interface FoundLock {
  state: HolderState;
  /** Absent when the file does not say; a fallback without hard links can die between making and writing it. */
  holder?: LockHolder;
  /** Equal as long as it is the same acquisition. */
  mark: string;
  mtimeMs: number;
}

/** What is known of a lock file; undefined when there is none. */
export async function inspectLock(file: string): Promise<FoundLock | undefined> {
  const stats = await unlessGone(stat(file));
  const text = await unlessGone(readFile(file, 'utf8'));
  if (stats === undefined || text === undefined) return undefined;
  const holder = lockHolderSchema.safeParse(parsedJson(text)).data; // nobody can be named where it is torn
  const { mtimeMs } = stats;
  if (holder === undefined) return { state: 'unknown', mark: `${stats.ino}-${Math.floor(mtimeMs)}`, mtimeMs };
  return { state: await holderState(holder), holder, mark: holder.nonce, mtimeMs };
}

class LockAttempt {
  readonly #silence = new Map<string, Silence>();
  /** Whose holder, when it was just looked at, may be dead or may yet show a sign of life. */
  readonly #undecided = new Set<string>();

  constructor(
    private readonly file: string,
    private readonly timing: LockTiming,
    private readonly self: LockHolder,
  ) {}

  async take(signal?: AbortSignal): Promise<HeldLock> {
    const giveUpAt = performance.now() + this.timing.waitMs;
    let wasTakenOver = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      signal?.throwIfAborted();
      this.#undecided.clear();
      const found = await inspectLock(this.file);
      if (found === undefined) {
        if (await this.#create(this.file)) return new OwnLock(this.file, this.self, this.timing, wasTakenOver);
        continue;
      }
      if (this.#isAbandoned(this.file, found) && (await this.#remove(this.file, found))) {
        wasTakenOver = true;
        continue;
      }
      // Who would not wait at all must not take the lock of a computer that was switched off for a living one, for ever.
      if (performance.now() >= giveUpAt && this.#undecided.size === 0) throw this.#lockedBy(found);
      await sleep(pauseMs * (0.5 + Math.random()), undefined, signal === undefined ? {} : { signal });
    }
  }

  /** Makes a lock or claim that tells its holder from the first moment; false when it is there already. */
  async #create(file: string): Promise<boolean> {
    const text = JSON.stringify(this.self);
    const temporary = temporaryBeside(file);
    try {
      await createFile(temporary, (handle) => handle.writeFile(text));
      await link(temporary, file);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      if (!CANNOT_LINK.has(errorCode(error) ?? '')) throw error;
      return await createUnlinked(file, text);
    } finally {
      await discardTemporary(temporary);
    }
  }

  #isAbandoned(file: string, found: FoundLock): boolean {
    if (found.state !== 'unknown') return found.state === 'dead';
    const silence = this.#silence.get(file) ?? new Silence();
    this.#silence.set(file, silence);
    const isSilent = silence.observe(`${found.mark} ${found.mtimeMs}`) >= this.timing.silenceMs;
    if (!isSilent && !silence.wasBroken) this.#undecided.add(file);
    return isSilent;
  }

  /** Takes away a lock whose holder is gone; false when somebody else is at it, or was. */
  async #remove(file: string, found: FoundLock): Promise<boolean> {
    const claim = `${file}~${found.mark}`;
    if (!(await this.#create(claim))) {
      const rival = await inspectLock(claim);
      if (rival === undefined || !this.#isAbandoned(claim, rival)) return false;
      return (await this.#remove(claim, rival)) && (await this.#remove(file, found));
    }
    try {
      const now = await inspectLock(file);
      const isSame = now !== undefined && now.mark === found.mark && now.mtimeMs === found.mtimeMs;
      if (isSame) await unlink(file);
      return isSame;
    } finally {
      await discardTemporary(claim); // a claim on a lock that is gone stands in nobody's way
    }
  }

  #lockedBy(found: FoundLock): StoreError {
    const folder = path.dirname(this.file);
    const { holder } = found;
    const who = holder === undefined ? 'unknown' : `process ${holder.pid} on ${holder.host}, since ${holder.since}`;
    return new StoreError('locked', { path: folder, detail: who });
  }
}

/** Removes the claims on earlier locks that killed processes left. Only for the holder of the lock, to whom none of them matters. */
export async function sweepClaims(file: string): Promise<void> {
  const folder = path.dirname(file);
  const names = await readdir(folder).catch(() => []); // the next holder that took over looks again
  for (const name of names.filter((one) => one.startsWith(`${path.basename(file)}~`))) {
    await discardTemporary(path.join(folder, name));
  }
}

/** File systems without hard links say so in many ways. */
const CANNOT_LINK = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EINVAL', 'EMLINK', 'UNKNOWN']);

async function createUnlinked(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', FILE_MODE);
    try {
      await handle.writeFile(text);
    } catch (error) {
      await discardTemporary(file);
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * How long a lock has shown no sign of life while we were looking. Time in which we did not look does not count: after a
 * computer slept, everybody's last sign of life is old.
 */
class Silence {
  static readonly #longestStepMs = 200;
  #sign: string | undefined;
  #totalMs = 0;
  #lastLook = 0;
  /** Whether a sign of life was seen. */
  wasBroken = false;

  observe(sign: string): number {
    const now = performance.now();
    this.wasBroken ||= this.#sign !== undefined && sign !== this.#sign;
    this.#totalMs = sign === this.#sign ? this.#totalMs + Math.min(now - this.#lastLook, Silence.#longestStepMs) : 0;
    this.#sign = sign;
    this.#lastLook = now;
    return this.#totalMs;
  }
}

class OwnLock implements HeldLock {
  readonly #heartbeat: NodeJS.Timeout;
  readonly #heartbeatMs: number;

  constructor(
    private readonly file: string,
    private readonly self: LockHolder,
    timing: LockTiming,
    readonly wasTakenOver: boolean,
  ) {
    this.#heartbeatMs = timing.heartbeatMs;
    this.#heartbeat = setInterval(() => void this.#beat(), timing.heartbeatMs);
    this.#heartbeat.unref();
  }

  async assertHeld(): Promise<void> {
    const found = await inspectLock(this.file);
    if (found?.mark === this.self.nonce) return;
    throw new StoreError('locked', { path: path.dirname(this.file), detail: 'it took over while this one slept' });
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    if (await this.#remove()) return;
    if (await this.#remove()) return; // what failed once is mostly over at once: too many open files, a scanner that looks at it
    // A process that lives on must not look like a holder for good; when it ends, its lock is taken over as a dead one's.
    const again = setInterval(() => {
      void this.#remove().then((isGone) => isGone && clearInterval(again));
    }, this.#heartbeatMs);
    again.unref();
  }

  /** Says whether the lock is no longer there as ours. */
  async #remove(): Promise<boolean> {
    try {
      if ((await inspectLock(this.file))?.mark === this.self.nonce) await unlessGone(unlink(this.file));
      return true;
    } catch {
      return false; // told by the answer
    }
  }

  async #beat(): Promise<void> {
    const now = new Date();
    // A beat that fails is made up for by the next one; one that never succeeds shows in `assertHeld`.
    await utimes(this.file, now, now).catch(() => undefined);
  }
}

/** `unknown`: on another machine or in another container, or the system does not tell when processes began. */
export type HolderState = 'alive' | 'dead' | 'unknown';

/** What this process writes into the locks that it takes. */
export async function describeHolder(nonce: string): Promise<LockHolder> {
  const own = await readProcess(process.pid);
  return {
    nonce,
    pid: process.pid,
    processStart: own?.start ?? '',
    machine: await machineName(),
    host: hostname(),
    since: new Date().toISOString(),
  };
}

/** Whether the process that took a lock still runs, as far as that can be seen from here. */
export async function holderState(holder: LockHolder): Promise<HolderState> {
  if (holder.machine !== (await machineName())) return 'unknown';
  if (!isRunning(holder.pid)) return 'dead';
  const found = await readProcess(holder.pid);
  if (found === undefined || holder.processStart === '') return 'unknown';
  return isOther(holder, found) ? 'dead' : 'alive';
}

async function readProcess(pid: number): Promise<{ start: string; isGhost: boolean } | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  return processOf(stat);
}

async function machineName(): Promise<string> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id');
  const processNamespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return [process.platform, hostname(), bootId?.trim() ?? '', processNamespace].join(' ');
}

/** `/proc` exists on Linux alone, and may be closed to us; both mean that it tells nothing. */
async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Runs the tasks of one key one after the other, in the order in which they came; different keys do not wait for each other. */
export class TaskQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before === undefined ? task() : before.then(task, task);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
