import type { LayersState, LayeredSession } from '../model/layers';
import { l1Lines, l1File, l2File, readingFile, SESSIONS_FOLDER } from './layerDocuments';
import type { LayerFiles } from './layerStore';
import { setOwnValue } from '../text/ownValue';

export const ARCHIVE = 'archive';
const L1 = '.l1.jsonl';
const RAW = '.raw.jsonl';

/** Files that were moved, as `from → to`. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** Takes raw transcripts for ours that another tool has kept beside the layers. */
export async function acceptRaw(files: LayerFiles): Promise<void> {
  for (const name of await files.foreign()) {
    const isRaw = name.startsWith(`${SESSIONS_FOLDER}/`) && name.endsWith(RAW);
    const text = isRaw ? await files.readForeign(name) : undefined;
    if (text !== undefined) await files.accept(name, text);
  }
}

/** The raw transcripts that another tool has kept beside the layers, and that were accepted. */
export async function rawFiles(files: LayerFiles): Promise<{ name: string; bytes: number; mtimeMs: number }[]> {
  const found = [];
  for (const name of await files.names(SESSIONS_FOLDER)) {
    const stats = name.endsWith(RAW) ? await files.stat(`${SESSIONS_FOLDER}/${name}`) : undefined;
    if (stats !== undefined) found.push({ name: name.slice(0, -RAW.length), ...stats });
  }
  return found;
}

/**
 * Moves L1 files away all of whose lines another one has: the largest stays (seed 004, `dedupe-l1`). Files that belong to a session of
 * the layers are never touched.
 */
export async function dedupeL1(files: LayerFiles, state: LayersState): Promise<Moved[]> {
  const owned = new Set(Object.values(state.sessions).map(({ file }) => l1File(file)));
  const contents: { name: string; lines: Set<string> }[] = [];
  for (const name of await files.names(SESSIONS_FOLDER)) {
    if (!name.endsWith(L1)) continue;
    const text = (await files.read(`${SESSIONS_FOLDER}/${name}`)) ?? '';
    contents.push({ name: `${SESSIONS_FOLDER}/${name}`, lines: new Set(l1Lines(text).map(saidIn)) });
  }
  // The largest first; of two that are the same, the one that has an owner.
  contents.sort((a, b) => b.lines.size - a.lines.size || Number(owned.has(b.name)) - Number(owned.has(a.name)));
  const moved: Moved[] = [];
  for (const [index, { name, lines }] of contents.entries()) {
    const isCovered = contents.slice(0, index).some((larger) => [...lines].every((line) => larger.lines.has(line)));
    if (owned.has(name) || !isCovered) continue;
    moved.push(await moveToArchive(files, name));
  }
  return moved;
}

/** Moves the files of sessions that were last written before `beforeMs` into the archive, where they are read just the same. */
export async function archiveOld(
  files: LayerFiles,
  state: LayersState,
  beforeMs: number,
): Promise<{ moved: Moved[]; state: LayersState }> {
  const sessions: Record<string, LayeredSession> = { ...state.sessions };
  const moved: Moved[] = [];
  for (const [sessionId, session] of Object.entries(state.sessions)) {
    if (session.sourceMtimeMs >= beforeMs || session.file.startsWith(`${ARCHIVE}/`)) continue;
    for (const name of [l1File(session.file), l2File(session.file), readingFile(session.file)]) {
      if ((await files.stat(name)) !== undefined) moved.push(await moveToArchive(files, name));
    }
    setOwnValue(sessions, sessionId, { ...session, file: `${ARCHIVE}/${session.file}` });
  }
  return { moved, state: { ...state, sessions } };
}

/** Moves a file of a session into the archive. */
export async function moveToArchive(files: LayerFiles, from: string): Promise<Moved> {
  const to = from.replace(`${SESSIONS_FOLDER}/`, `${SESSIONS_FOLDER}/${ARCHIVE}/`);
  await files.move(from, to);
  return { from, to };
}

/** What a line says, whoever wrote it down. */
function saidIn(line: string): string {
  return line.replace(/,"(?:uuid|part|via)":(?:"[^"]*"|\d+)/g, '');
}
