import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { defaultConfig } from '../../../../src/core/model/config';

/** All that a home holds, by path, without what differs each time: dates, numbers of its own making, what can be made again. */
export type HomeState = ReadonlyMap<string, string>;

/** A person's, with comments. */
const SETTINGS = 'settings.json';

/** Written out after the first session, for people to edit: with nothing but defaults in it, it is as good as none. */
const CONFIG = 'store/config.json';

/** What is made again when it is missing, logs, what hooks note of each of their runs, and when the trash was last looked through. */
const PASSING = /^store\/(?:cache\/|logs\/|projects\/[^/]+\/(?:activity\/|hooks\/sessions\/|\.trash-looked$))/;

/** Notes of what is about to be written, in any order. Another try notes the same once more; a line that was torn off counts for nothing. */
const NOTES = /(?:^|\/)written\.log$/;
/** A line that was torn off counts for nothing here either. */
const LINES = /\/hooks\/notes\.jsonl$/;

/** Numbers of exchanges and concepts: one that was lost is not given again, so that others follow. */
const LAYERS = /\.claude\/memory\/|\/layers\//;
const WHOLE_NOTE = /^[-+] <hash> <hash> .+$/;

/** Files that nobody is to find once a command has ended, whatever happened to it. */
const LEFTOVER = /\.tmp$|\.lock(?:~[^/]*)?$|\.pending(?:\/|$)|(?:^|\/)\.import-|(?:^|\/)store\/serve\/./;

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:[.-]\d+)?Z?/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/"tookMs":\s*\d+/g, '<took>'],
  [/"\d+ \d{13}"/g, '<stamp>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b[0-9a-f]{16,}\b/g, '<hash>'],
  // Where no second name can be made, a copy is.
  [/"method": ?"(?:copy|link)"/g, '<method>'],
  [/\d+(?:\.\d+)? ?ms\b/g, '<ms>'],
  // What is composed names itself by chance, and how many tokens that takes differs.
  [/"(?:totalTokens|frameTokens|leftTokens|markdown|jsonl|share|shareOfWindow)": ?[\d.]+/g, '<tokens>'],
  // What is composed once more has been used once more.
  [/"distance": ?\d+/g, '<distance>'],
  // In an archive: when a file was made, and the sum of the block that says so.
  [/[0-7]{11}\0[0-7]{6} {2}(?=[0x]\0{100}ustar\0)/g, '<made>'],
];

export async function stateOf(folder: string): Promise<HomeState> {
  const state = new Map<string, string>();
  for (const file of await filesBelow(folder)) {
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (PASSING.test(name)) continue;
    const read = await readFile(file, 'latin1').catch(() => '<none>');
    if (name === CONFIG && isDefault(read)) continue;
    const bytes = plain(name.startsWith('store/') && name.endsWith('.json') ? inOrder(read) : read);
    state.set(plain(name), createHash('sha1').update(meaningOf(name, bytes)).digest('hex'));
  }
  return state;
}

/** Two folders with the same print hold the same, to the byte; what is written under a temporary name nobody reads after a kill. */
export async function printOf(folder: string): Promise<string> {
  const hash = createHash('sha1');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
    const { mode } = await lstat(pathOf(entry));
    hash.update(`${path.relative(folder, pathOf(entry))} ${mode}\n`);
    if (entry.isFile() && !entry.name.endsWith('.tmp')) hash.update(await readFile(pathOf(entry)));
  }
  return hash.digest('hex');
}

/** The files that a command ought to have taken away. */
export async function leftoversIn(folder: string): Promise<string[]> {
  const names = (await filesBelow(folder)).map((file) => path.relative(folder, file).split(path.sep).join('/'));
  return names.filter(isLeftover);
}

export function isLeftover(name: string): boolean {
  return LEFTOVER.test(name);
}

/** Documents that are not whole. */
export async function halfDocumentsIn(folder: string): Promise<string[]> {
  const halves: string[] = [];
  for (const file of await filesBelow(folder)) {
    if (!file.endsWith('.json') || LEFTOVER.test(file) || path.basename(file) === SETTINGS) continue;
    try {
      JSON.parse(await readFile(file, 'utf8'));
    } catch {
      halves.push(path.relative(folder, file));
    }
  }
  return halves;
}

/** What differs, a line for each; of files in `changing` only that they are there. */
export function differences(
  found: HomeState,
  expected: HomeState,
  changing: ReadonlySet<string> = new Set(),
): string[] {
  const names = [...new Set([...found.keys(), ...expected.keys()])].sort();
  return names.flatMap((name) => {
    const [is, was] = [found.get(name), expected.get(name)];
    if (is === was || (changing.has(name) && is !== undefined && was !== undefined)) return [];
    return [`${is === undefined ? 'missing' : was === undefined ? 'new' : 'changed'}: ${name}`];
  });
}

function isDefault(config: string): boolean {
  return inOrder(config) === inOrder(JSON.stringify(defaultConfig(createdAt(config))));
}

function createdAt(config: string): string {
  return /"createdAt":\s*"([^"]*)"/.exec(config)?.[1] ?? '';
}

/** Whatever came first: sessions are named in the order in which they were registered. */
function inOrder(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return json; // it is broken, as it is
  }
}

function meaningOf(name: string, text: string): string {
  if (NOTES.test(name)) return notesIn(text);
  if (LINES.test(name))
    return text
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .join('\n');
  return LAYERS.test(name) ? renumbered(text) : text;
}

function notesIn(text: string): string {
  return [...new Set(text.split('\n').filter((line) => WHOLE_NOTE.test(line)))].sort().join('\n');
}

function renumbered(text: string): string {
  const seen = new Map<string, string>();
  const numbered = text.replace(/\b([ec])\d{3,}\b/g, (id, kind: string) => {
    const known = seen.get(id) ?? `${kind}<${seen.size}>`;
    seen.set(id, known);
    return known;
  });
  return numbered.replace(/"last(?:Exchange|Concept)": ?\d+/g, '<last>');
}

function plain(text: string): string {
  return CHANGING.reduce((changed, [pattern, word]) => changed.replace(pattern, word), text);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(pathOf);
}

const pathOf = (entry: Dirent): string => path.join(entry.parentPath, entry.name);
