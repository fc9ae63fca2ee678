// Loaded with `--import` before a built program: counts its file calls below some folders, and lets one of them fail, or kills the
// process there, or keeps how the folders are before each call that changes them: what a kill there leaves behind. What it is to do
// stands in KEEPIT_FAULT; what came of it goes to the file named there.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/**
 * @typedef {object} Fault
 * @property {string[]} roots the folders below which calls count
 * @property {string} report where it is written what was called, and what was hit
 * @property {number} [at] the call that is hit, from 1
 * @property {string} [call] or the first whose kind and path this pattern fits
 * @property {'once' | 'on' | 'short' | 'kill' | 'tear' | 'list' | 'keep'} [mode] fails this one; and all of its kind after it; writes less
 *   than was asked; ends the process before it; ends the process with half of it written; tells of every call; keeps the folders as they are before each
 *   call that changes them, and amid each write
 * @property {string} [kept] the folder in which they are kept, by the number of the call
 * @property {string} [error] the code of the failure
 * @property {boolean} [isAlone] whether programs that it would start are not started
 */

/** @type {Fault} */
const fault = JSON.parse(process.env.KEEPIT_FAULT ?? '{"roots":[],"report":""}');

export const KINDS = [
  'open',
  'read',
  'write',
  'sync',
  'rename',
  'link',
  'unlink',
  'stat',
  'readdir',
  'mkdir',
  'rmdir',
  'copyFile',
  'mode',
];
const ERRNO = { ENOSPC: -28, EIO: -5, EACCES: -13, EMFILE: -24 };
const TEXT = {
  ENOSPC: 'no space left on device',
  EIO: 'i/o error',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
};

// One for all threads: [0] the calls so far, [1] what kind was hit, plus one, [2] whether a thread is keeping the folders.
const SHARED = 'keepit-fault';
const KEEPING = 2;
const calls = getEnvironmentData(SHARED) ?? new Int32Array(new SharedArrayBuffer(12));
if (isMainThread) setEnvironmentData(SHARED, calls);
if (fault.mode === 'list') Error.stackTraceLimit = 30;

const real = { ...fs };
const promises = fs.promises;
const realPromises = { ...promises };
const childProcess = createRequire(import.meta.url)('node:child_process');
const { spawnSync } = childProcess;

/** Where open files lie: by number, and by handle. */
const numbers = new Map();
const handles = new WeakMap();

function placeOf(target) {
  if (typeof target === 'number') return numbers.get(target);
  if (typeof target === 'object' && target !== null && handles.has(target)) return handles.get(target);
  if (target instanceof URL) return target.protocol === 'file:' ? fileURLToPath(target) : undefined;
  return typeof target === 'string' || Buffer.isBuffer(target) ? path.resolve(String(target)) : undefined;
}

function isBelow(place) {
  return place !== undefined && fault.roots.some((root) => place === root || place.startsWith(root + path.sep));
}

const LOOKING = new Set(['read', 'sync', 'stat', 'readdir']);
/** Calls that other threads have begun are over by then. */
const SETTLED_MS = 3;
/** What was written in part, so that the folders can be kept amid it. */
const halfWritten = new Set();

/** Counts a call; says what is to become of it, when it is to be no ordinary one. */
function meet(kind, targets, isChange = !LOOKING.has(kind)) {
  const place = targets.map(placeOf).find(isBelow);
  if (place === undefined) return undefined;
  const n = Atomics.add(calls, 0, 1) + 1;
  const kindNumber = KINDS.indexOf(kind) + 1;
  if (fault.mode === 'list') report({ n, kind, place });
  if (fault.mode === 'keep') return keep({ n, kind, place }, isChange);
  const isMeant =
    fault.call === undefined ? n === fault.at : calls[1] === 0 && new RegExp(fault.call).test(`${kind} ${place}`);
  if (isMeant) {
    calls[1] = kindNumber;
    report({ n, kind, place });
    return { what: fault.mode, kind, place };
  }
  return fault.mode === 'on' && calls[1] === kindNumber ? { what: 'on', kind, place } : undefined;
}

/** Keeps the folders as they are, before a call that may change them. */
function keep(call, isChange) {
  while (Atomics.compareExchange(calls, KEEPING, 0, 1) === 1) Atomics.wait(calls, KEEPING, 1);
  if (isChange) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLED_MS);
    for (const root of fault.roots) spawnSync('cp', ['-a', root, path.join(fault.kept, String(call.n))]);
    report(call);
  }
  Atomics.store(calls, KEEPING, 0);
  Atomics.notify(calls, KEEPING);
  if (call.kind !== 'write' || halfWritten.delete(call.place)) return undefined;
  halfWritten.add(call.place);
  return { what: 'short', ...call };
}

function report(call) {
  const number = real.openSync(fault.report, 'a');
  real.writeSync(number, `${JSON.stringify({ ...call, stack: new Error('here').stack })}\n`);
  real.closeSync(number);
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
}

function failure({ kind, place }) {
  const { error: code = 'EIO' } = fault;
  const error = new Error(`${code}: ${TEXT[code]}, ${kind} '${place}'`);
  return Object.assign(error, { errno: ERRNO[code], code, syscall: kind, path: place });
}

/** Ends the process or throws, when that is what a call is to meet. */
function suffer(met) {
  if (met === undefined || met.what === 'short') return;
  if (met.what === 'kill' || met.what === 'tear') die();
  throw failure(met);
}

// Calls that do one thing with a path, or with two.

const SIMPLE = {
  readdir: 'readdir',
  mkdir: 'mkdir',
  mkdtemp: 'mkdir',
  rmdir: 'rmdir',
  unlink: 'unlink',
  stat: 'stat',
  lstat: 'stat',
  realpath: 'stat',
  access: 'stat',
  readlink: 'stat',
  chmod: 'mode',
  utimes: 'mode',
  truncate: 'write',
};
const DOUBLE = { rename: 'rename', link: 'link', copyFile: 'copyFile', symlink: 'link' };

for (const [name, kind] of [...Object.entries(SIMPLE), ...Object.entries(DOUBLE)]) {
  const targetsOf = (args) => (name in DOUBLE ? args.slice(0, 2) : args.slice(0, 1));
  promises[name] = async (...args) => {
    suffer(meet(kind, targetsOf(args)));
    return realPromises[name](...args);
  };
  fs[`${name}Sync`] = (...args) => {
    suffer(meet(kind, targetsOf(args)));
    return real[`${name}Sync`](...args);
  };
  fs[name] = (...args) => {
    try {
      suffer(meet(kind, targetsOf(args)));
    } catch (error) {
      process.nextTick(args.at(-1), error);
      return;
    }
    real[name](...args);
  };
}

// Files that are open.

const { O_WRONLY, O_RDWR } = fs.constants;
/** Whether a file may be made or emptied by being opened so. */
const isForWriting = (flags = 'r') => (typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR)) !== 0 : flags !== 'r');

promises.open = async (target, ...more) => {
  suffer(meet('open', [target], isForWriting(more[0])));
  const handle = await realPromises.open(target, ...more);
  handles.set(handle, placeOf(target));
  return handle;
};
fs.openSync = (target, ...more) => {
  suffer(meet('open', [target], isForWriting(more[0])));
  const number = real.openSync(target, ...more);
  numbers.set(number, placeOf(target));
  return number;
};
fs.closeSync = (number) => {
  numbers.delete(number);
  real.closeSync(number);
};
fs.existsSync = (target) => {
  try {
    suffer(meet('stat', [target]));
  } catch {
    return false;
  }
  return real.existsSync(target);
};

/** What is written of so many bytes before a call fails or ends short. */
const halfOf = (length) => Math.floor(length / 2);

/** The bytes that a call is to write, and where. */
function writing(data, offset, length, position) {
  if (typeof data === 'string') {
    return { bytes: Buffer.from(data, typeof length === 'string' ? length : 'utf8'), position: offset };
  }
  const at = typeof offset === 'object' && offset !== null ? offset : { offset, length, position };
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const start = at.offset ?? 0;
  return { bytes: bytes.subarray(start, start + (at.length ?? bytes.length - start)), position: at.position };
}

function writeSync(number, ...args) {
  const met = meet('write', [number]);
  if (met === undefined) return real.writeSync(number, ...args);
  const { bytes, position } = writing(...args);
  const half = met.what === 'kill' ? 0 : halfOf(bytes.length);
  const written = half === 0 ? 0 : real.writeSync(number, bytes, 0, half, position ?? null);
  suffer(met);
  return written;
}
fs.writeSync = writeSync;

/** As Node does: to the end, however often that takes. */
function writeAllSync(number, data) {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  for (let done = 0; done < bytes.length;) done += writeSync(number, bytes, done, bytes.length - done);
}

function writeFileSync(target, data, options) {
  if (typeof target === 'number') {
    writeAllSync(target, data);
    return;
  }
  const { flag = 'w', mode = 0o666 } = typeof options === 'object' && options !== null ? options : {};
  const number = fs.openSync(target, flag, mode);
  try {
    writeAllSync(number, data);
  } finally {
    fs.closeSync(number);
  }
}
fs.writeFileSync = writeFileSync;
fs.appendFileSync = (target, data, options) =>
  writeFileSync(target, data, { ...(typeof options === 'object' ? options : {}), flag: 'a' });
fs.readFileSync = (target, ...more) => {
  if (typeof target !== 'number') suffer(meet('open', [target], false));
  suffer(meet('read', [target]));
  return real.readFileSync(target, ...more);
};
for (const [name, kind] of Object.entries({
  readSync: 'read',
  fsyncSync: 'sync',
  fdatasyncSync: 'sync',
  fstatSync: 'stat',
})) {
  fs[name] = (number, ...more) => {
    suffer(meet(kind, [number]));
    return real[name](number, ...more);
  };
}

const anyHandle = await realPromises.open(process.execPath, 'r');
const handlePrototype = Object.getPrototypeOf(anyHandle);
await anyHandle.close();
const realHandle = {};
for (const name of ['write', 'writev', 'read', 'readFile', 'sync', 'datasync', 'stat', 'chmod', 'utimes', 'truncate']) {
  realHandle[name] = handlePrototype[name];
}

handlePrototype.write = async function write(...args) {
  const met = meet('write', [this]);
  if (met === undefined) return realHandle.write.apply(this, args);
  const { bytes, position } = writing(...args);
  const half = met.what === 'kill' ? 0 : halfOf(bytes.length);
  const written = half === 0 ? 0 : (await realHandle.write.call(this, bytes, 0, half, position ?? null)).bytesWritten;
  suffer(met);
  return { bytesWritten: written, buffer: args[0] };
};

async function writeAll(handle, data) {
  const isPieces =
    typeof data === 'object' &&
    (Symbol.asyncIterator in data || (Symbol.iterator in data && !ArrayBuffer.isView(data)));
  if (isPieces) {
    for await (const piece of data) await writeAll(handle, piece);
    return;
  }
  const bytes =
    typeof data === 'string' ? Buffer.from(data, 'utf8') : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let done = 0; done < bytes.length;) done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten;
}

const encodingOf = (options) => (typeof options === 'string' ? options : (options?.encoding ?? 'utf8'));
const encoded = (data, options) => (typeof data === 'string' ? Buffer.from(data, encodingOf(options)) : data);

handlePrototype.writeFile = async function writeFile(data, options) {
  await writeAll(this, encoded(data, options));
};
handlePrototype.appendFile = handlePrototype.writeFile;
const HANDLE_KINDS = {
  read: 'read',
  readFile: 'read',
  sync: 'sync',
  datasync: 'sync',
  stat: 'stat',
  chmod: 'mode',
  utimes: 'mode',
  truncate: 'write',
};
for (const [name, kind] of Object.entries(HANDLE_KINDS)) {
  handlePrototype[name] = async function handled(...args) {
    suffer(meet(kind, [this]));
    return realHandle[name].apply(this, args);
  };
}

promises.writeFile = async (target, data, options) => {
  if (handles.has(target)) return target.writeFile(data, options);
  const { flag = 'w', mode = 0o666 } = typeof options === 'object' && options !== null ? options : {};
  const handle = await promises.open(target, flag, mode);
  try {
    await handle.writeFile(data, options);
  } finally {
    await handle.close();
  }
  return undefined;
};
promises.appendFile = (target, data, options) =>
  promises.writeFile(target, data, { ...(typeof options === 'object' ? options : {}), flag: 'a' });
promises.readFile = async (target, ...more) => {
  if (handles.has(target)) return target.readFile(...more);
  suffer(meet('open', [target], false));
  suffer(meet('read', [target]));
  return realPromises.readFile(target, ...more);
};

// Removing takes several calls, which Node makes where nobody sees them.

promises.rm = async (target, options = {}) => {
  try {
    const stats = await promises.lstat(target);
    if (!stats.isDirectory()) return await promises.unlink(target);
    if (options.recursive !== true) throw Object.assign(new Error('it is a folder'), { code: 'ERR_FS_EISDIR' });
    for (const name of await promises.readdir(target)) await promises.rm(path.join(target, name), options);
    return await promises.rmdir(target);
  } catch (error) {
    if (options.force === true && error.code === 'ENOENT') return undefined;
    throw error;
  }
};
fs.rmSync = (target, options = {}) => {
  try {
    if (!fs.lstatSync(target).isDirectory()) fs.unlinkSync(target);
    else {
      for (const name of fs.readdirSync(target)) fs.rmSync(path.join(target, name), options);
      fs.rmdirSync(target);
    }
  } catch (error) {
    if (options.force !== true || error.code !== 'ENOENT') throw error;
  }
};

if (fault.isAlone === true) {
  childProcess.spawn = () => ({ on: () => undefined, unref: () => undefined });
  childProcess.spawnSync = () => ({ status: 1 });
}

syncBuiltinESMExports();
