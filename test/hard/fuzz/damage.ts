import type { Chance } from './chance';
import { hostileValue, hostileWord } from './hostileText';

/** Damage to the bytes of any file: what crashes, disks, editors and merges leave. */
export function damagedBytes(bytes: Buffer, chance: Chance): Buffer {
  const at = chance.below(bytes.length + 1);
  const length = chance.below(Math.min(200, bytes.length - at) + 1);
  return chance.pick<() => Buffer>([
    () => bytes.subarray(0, at),
    () => bytes.subarray(at),
    () => Buffer.alloc(0),
    () => flipped(bytes, chance),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length), bytes.subarray(at + length)]),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
    () => Buffer.from(Array.from({ length: 50 }, () => chance.below(256))),
    () => Buffer.from('<<<<<<< HEAD\n' + bytes.toString('utf8') + '\n=======\n{}\n>>>>>>> theirs\n'),
  ])();
}

function flipped(bytes: Buffer, chance: Chance): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length === 0) return copy;
  for (let count = 1 + chance.below(5); count > 0; count--) {
    const at = chance.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << chance.below(8));
  }
  return copy;
}

/** A value inside of a document replaced, removed, renamed or doubled: valid JSON that nobody wrote. */
export function damagedValue(document: unknown, chance: Chance): unknown {
  const places = placesIn(document);
  if (places.length === 0) return hostileValue(chance);
  const { parent, key } = chance.pick(places);
  if (Array.isArray(parent)) damageItem(parent, Number(key), chance);
  else damageField(parent, String(key), chance);
  return document;
}

type Parent = unknown[] | Record<string, unknown>;

interface Place {
  readonly parent: Parent;
  readonly key: string | number;
}

/** More would make little difference, and large documents slow. */
const MAX_PLACES = 20_000;

function placesIn(document: unknown): Place[] {
  const places: Place[] = [];
  const open = [document];
  for (let value = open.pop(); value !== undefined && places.length < MAX_PLACES; value = open.pop()) {
    if (!isParent(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      places.push({ parent: value, key });
      open.push(inner ?? 0);
    }
  }
  return places;
}

function isParent(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null;
}

function damageItem(list: unknown[], at: number, chance: Chance): void {
  chance.pick<() => void>([
    () => list.splice(at, 1),
    () => list.splice(at, 0, list[at]),
    () => (list[at] = hostileValue(chance)),
    () => (list.length = 0),
  ])();
}

function damageField(object: Record<string, unknown>, key: string, chance: Chance): void {
  chance.pick<() => void>([
    () => Reflect.deleteProperty(object, key),
    () => (object[key] = hostileValue(chance)),
    () => (object[key] = hostileValue(chance)),
    () => Object.defineProperty(object, hostileWord(chance), { value: object[key], enumerable: true, writable: true }),
  ])();
}

/** Damage of either kind to a file that holds JSON or lines of it; only bytes where it holds none. */
export function damagedFile(bytes: Buffer, chance: Chance): Buffer {
  if (chance.is(0.4)) return damagedBytes(bytes, chance);
  const text = bytes.toString('utf8');
  const lines = text.split('\n');
  const at = chance.below(lines.length);
  const asWhole = parsed(text);
  if (asWhole !== undefined) return Buffer.from(JSON.stringify(damagedValue(asWhole.value, chance)));
  const asLine = parsed(lines[at] ?? '');
  if (asLine === undefined) return damagedBytes(bytes, chance);
  lines[at] = JSON.stringify(damagedValue(asLine.value, chance));
  return Buffer.from(lines.join('\n'));
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined; // no JSON, or none any more
  }
}
