import { hash64 } from '../../text/hash64';
import { type LayerFiles, NotebookError } from '../layerStore';
import { isSafeSegment, SCHEMA_VERSION } from '../../model/fields';
import { notebookArchiveSchema, type NotebookArchive } from '../../model/notebook';
import { parsedJson } from '../../text/ownValue';

/** What becomes of notes that are there already with other words: `merge` keeps them, `replace` moves them into the archive. */
export type ImportMode = 'merge' | 'replace';

export interface ImportResult {
  readonly added: readonly string[];
  readonly unchanged: readonly string[];
  /** Were there already with other words, and stayed. */
  readonly kept: readonly string[];
  readonly replaced: readonly { readonly name: string; readonly archivedAs: string }[];
}

const STATE = 'notebook.json';
const FOLDERS = ['', 'conversations', 'archive'];

/** All notes of all scopes, with what is remembered of them, as one JSON text. */
export async function exportNotebook(files: LayerFiles): Promise<string> {
  const found: { name: string; text: string }[] = [];
  for (const name of await notesIn(files)) {
    const text = await files.read(name);
    if (text !== undefined) found.push({ name, text });
  }
  const archive: NotebookArchive = {
    format: 'keepit-notebook',
    version: SCHEMA_VERSION,
    files: found,
    checksum: checksumOf(found),
  };
  return `${JSON.stringify(archive, undefined, 2)}\n`;
}

/** Writes the notes of an archive. Throws `NotebookError` before anything is written. */
export async function importNotebook(
  files: LayerFiles,
  text: string,
  { mode, nowIso }: { mode: ImportMode | undefined; nowIso: string },
): Promise<ImportResult> {
  const archive = readArchive(text);
  const result = { added: [] as string[], unchanged: [] as string[], kept: [] as string[] };
  const replaced: { name: string; archivedAs: string }[] = [];
  const differing: { name: string; text: string }[] = [];
  const fresh: { name: string; text: string }[] = [];
  for (const file of archive.files) {
    const current = await files.read(file.name);
    if (current === undefined) fresh.push(file);
    else if (current === file.text) result.unchanged.push(file.name);
    else differing.push(file);
  }
  const words = differing.filter(({ name }) => !name.endsWith(STATE)).map(({ name }) => name);
  if (words.length > 0 && mode === undefined) throw new NotebookError('differs', words.join(', '));
  for (const file of fresh) {
    await files.write(file.name, file.text);
    result.added.push(file.name);
  }
  for (const file of differing) {
    if (mode !== 'replace') result.kept.push(file.name);
    else {
      const archivedAs = archivedName(file.name, nowIso);
      await files.move(file.name, archivedAs);
      await files.write(file.name, file.text);
      replaced.push({ name: file.name, archivedAs });
    }
  }
  const isNote = (name: string): boolean => !name.endsWith(STATE);
  return {
    added: result.added.filter(isNote),
    unchanged: result.unchanged.filter(isNote),
    kept: result.kept.filter(isNote),
    replaced: replaced.filter(({ name }) => isNote(name)),
  };
}

/** `master.md` becomes `archive/master.20260120T120000.md` of its scope. */
function archivedName(name: string, nowIso: string): string {
  const stamp = nowIso.slice(0, 19).replace(/[-:]/g, '');
  const [, scope = '', rest = name] = /^((?!conversations\/|archive\/)[^/]+\/)?(.*)$/.exec(name) ?? [];
  const dot = rest.lastIndexOf('.');
  return `${scope}archive/replaced_${stamp}/${rest.slice(0, dot)}${rest.slice(dot)}`;
}

function readArchive(text: string): NotebookArchive {
  const parsed = notebookArchiveSchema.safeParse(parsedJson(text));
  if (!parsed.success || !parsed.data.files.every(({ name }) => isNoteName(name))) {
    throw new NotebookError('not-an-archive', 'This file');
  }
  if (checksumOf(parsed.data.files) !== parsed.data.checksum) throw new NotebookError('damaged-archive', 'This file');
  return parsed.data;
}

function checksumOf(files: readonly { name: string; text: string }[]): string {
  return hash64(JSON.stringify(files.map(({ name, text }) => [name, text])));
}

/** `[scope/][conversations/|archive/]name.md`, or a scope's state. */
function isNoteName(name: string): boolean {
  const segments = name.split('/');
  return segments.length <= 3 && segments.every(isSafeSegment) && (name.endsWith('.md') || segments.at(-1) === STATE);
}

/** The names of all notes of all scopes, with what is remembered of them. */
export async function notesIn(files: LayerFiles): Promise<string[]> {
  const names: string[] = [];
  for (const scope of ['', ...(await scopesIn(files))]) {
    for (const folder of FOLDERS) {
      const path = [scope, folder].filter((part) => part !== '').join('/');
      const own = (await files.names(path)).filter((name) => name.endsWith('.md') || (folder === '' && name === STATE));
      names.push(...own.sort().map((name) => (path === '' ? name : `${path}/${name}`)));
    }
  }
  return names;
}

async function scopesIn(files: LayerFiles): Promise<string[]> {
  const scopes: string[] = [];
  for (const name of await files.names('')) {
    if (!name.includes('.') && (await files.stat(`${name}/${STATE}`)) !== undefined) scopes.push(name);
  }
  return scopes.sort();
}
