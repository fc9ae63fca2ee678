import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { EraseOrder, ErasePlace, Erasing, ForgettingStore } from '../../core/memoryPorts';
import { nameOfErase, type BegunErase, type Forgotten } from '../../core/model/forgotten';
import { SCHEMA_VERSION } from '../../core/model/fields';
import { withoutKey } from '../../core/text/ownValue';
import { placeFile, sweepKilled } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { DiskClaudeFolder } from '../claude/claudeFolder';
import type { FileMemoryStore } from '../store/fileMemoryStore';
import { StoreLayout, type ProjectLayout } from '../store/storeLayout';
import { documentWords } from './documentWords';
import { ErasedRuns, fill, joined, markRecord, markWords, Remains, saidIn, withMarkers, type Run } from './erasedRuns';
import { linesOf, runsInRecords, type ForgottenFile } from './forgottenFile';
import { copyErased, filesOf, idsIn, idsRenewedIn, isOriginal, rewriteMade, rewriteOriginals } from './rewriteFiles';

interface StoreEraserParts {
  readonly store: FileMemoryStore;
  readonly claude: DiskClaudeFolder;
  readonly forgotten: ForgottenFile;
}

/** Takes words out of every file of the store, and files out of it. */
export class StoreEraser implements ForgettingStore {
  readonly transcripts: ForgettingStore['transcripts'];
  readonly #layout: StoreLayout;

  constructor(private readonly parts: StoreEraserParts) {
    this.#layout = new StoreLayout(parts.store.dir);
    this.transcripts = new DiskClaudeFolder(parts.claude.dir);
  }

  async read(): Promise<Forgotten | undefined> {
    return this.parts.forgotten.read();
  }

  async change(change: (forgotten: Forgotten) => Forgotten): Promise<Forgotten> {
    return this.parts.forgotten.change(change);
  }

  async begin(order: EraseOrder, { isDryRun }: { isDryRun: boolean }, signal?: AbortSignal): Promise<Erasing> {
    const { forgotten } = this.parts;
    const key = (await forgotten.read())?.key ?? '0'.repeat(64);
    const marked = isDryRun ? marksOf(order, key) : await this.mark(order);
    const before = (await forgotten.read()) ?? { ...marked, never: [], version: SCHEMA_VERSION };
    const finder = new ErasedRuns(marked);
    const { stillIn, ...found } = await this.lookFor(
      order,
      { finder, all: new ErasedRuns(merged(before, marked)) },
      signal,
    );
    const work = { finder, ...found };
    return {
      stillIn,
      projectIds: [...work.concerned],
      overwrite: (projectId, text) => {
        const bytes = Buffer.from(text, 'utf8');
        const runs = runsInText(bytes, work, projectId);
        fill(bytes, 0, runs);
        return { text: bytes.toString('utf8'), count: runs.length };
      },
      inStore: async (isLooking) => this.overwriteAll(work, isLooking, signal),
      end: async () => {
        await forgotten.change((now) => ({ ...now, erasing: others(now, begunBy(order, marked)) }));
      },
    };
  }

  /** What was erased here does not come back from an archive that was unpacked: neither as it was said, nor what was made of it. */
  async clean(unpacked: string, signal?: AbortSignal): Promise<void> {
    const forgotten = await this.read();
    const finder = forgotten && new ErasedRuns(forgotten);
    if (finder === undefined || finder.isEmpty) return;
    const layout = new StoreLayout(unpacked);
    const known = await this.allTranscripts();
    for (const projectId of await layout.projectIds()) {
      const files = await filesOf(layout.project(projectId).dir);
      const originals = files.filter(isOriginal);
      // The words are known again where transcripts come in that still say them.
      const erased = new Set<string>();
      for (const file of originals) for (const text of await erasedTexts(file, finder, signal)) erased.add(text);
      const here = known.flatMap((one) => (one.projectId === projectId ? [one.file] : []));
      const remains = await remainsOf(erased, [...originals, ...here], (line) => finder.recordIn(line), signal);
      const work = { finder, remains, concerned: new Set([projectId]) };
      const { manifest } = layout.project(projectId);
      const ids = await idsRenewedIn(manifest, await this.runsIn(manifest, work, projectId));
      for (const file of files) {
        const runs = await this.runsIn(file, work, projectId);
        if (!isOriginal(file)) runs.push(...(await idsIn(file, ids)));
        if (runs.length > 0) await placeFile(file, (temporary) => copyErased(file, temporary, runs));
      }
    }
  }

  async filesOf(projectId: string): Promise<ErasePlace[]> {
    const remembered = await filesOf(this.#layout.said(projectId));
    const digests = this.#layout.digests(projectId);
    const isThere = (await unlessGone(stat(digests))) !== undefined;
    const files = await filesOf(this.#layout.project(projectId).dir);
    return this.placesOf([...files, ...remembered, ...(isThere ? [digests] : [])]);
  }

  async remove(projectId: string): Promise<void> {
    await this.forgetCaches(projectId);
    await this.parts.store.changes.changeFiles(projectId, async (layout, manifest, change) => {
      for (const file of await filesOf(layout.dir)) if (file !== layout.manifest) await change.remove(file);
      return { ...manifest, sessions: {}, compositions: {}, settings: {} };
    });
    await rm(this.#layout.project(projectId).dir, { recursive: true, force: true });
  }

  async filesOfSession(projectId: string, sessionId: string): Promise<ErasePlace[]> {
    return this.placesOf(await filesOfSession(this.#layout.project(projectId), sessionId));
  }

  async removeSession(projectId: string, sessionId: string): Promise<void> {
    await this.forgetCaches(projectId);
    if ((await this.parts.store.readManifest(projectId)) === undefined) return;
    await this.parts.store.changes.changeFiles(projectId, async (layout, manifest, change) => {
      for (const file of await filesOfSession(layout, sessionId)) await change.remove(file);
      return { ...manifest, sessions: withoutKey(manifest.sessions, sessionId) };
    });
  }

  private placesOf(files: readonly string[]): ErasePlace[] {
    return files.map((file) => ({ kind: this.kindOf(file), file, count: 1 }));
  }

  private async mark(order: EraseOrder): Promise<Marks> {
    let marked: Marks | undefined;
    await this.parts.forgotten.change((before) => {
      marked = marksOf(order, before.key);
      const begun = begunBy(order, marked);
      return { ...merged(before, marked), erasing: [...others(before, begun), begun] };
    });
    return marked ?? marksOf(order, '0'.repeat(64));
  }

  /** Where transcripts say what is to go, and which pieces of it nobody says elsewhere. `all` finds what was to go before, too. */
  private async lookFor(
    { of, projectIds, words, said }: EraseOrder,
    { finder, all }: { readonly finder: ErasedRuns; readonly all: ErasedRuns },
    signal?: AbortSignal,
  ): Promise<Omit<Work, 'finder'> & { stillIn: string[] }> {
    const transcripts = await this.allTranscripts();
    const stillIn: string[] = [];
    const concerned = new Set(projectIds);
    const erased = new Set([...words, ...said]);
    for (const { file, projectId, isKept } of transcripts) {
      const texts = await erasedTexts(file, finder, signal);
      if (texts.length === 0) continue;
      if (!isKept) stillIn.push(file);
      concerned.add(projectId);
      for (const text of texts) erased.add(text);
    }
    const gone = of?.message === undefined ? of?.sessionId : undefined;
    const goneFrom = (line: Buffer, file: string): Run[] =>
      gone !== undefined && file.includes(gone) ? saidIn(line) : all.recordIn(line);
    const theirs = transcripts.flatMap(({ file, projectId }) => (concerned.has(projectId) ? [file] : []));
    return { stillIn, concerned, remains: await remainsOf(erased, theirs, goneFrom, signal) };
  }

  private async allTranscripts(): Promise<{ file: string; projectId: string; isKept: boolean }[]> {
    const { projectsDir } = this.parts.claude;
    const found = (await filesOf(projectsDir))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => ({ file, projectId: path.relative(projectsDir, file).split(path.sep)[0] ?? '', isKept: false }));
    for (const projectId of await this.#layout.projectIds())
      for (const file of await filesOf(this.#layout.project(projectId).dir))
        if (isOriginal(file)) found.push({ file, projectId, isKept: true });
    return found;
  }

  private async overwriteAll(work: Work, isDryRun: boolean, signal?: AbortSignal): Promise<ErasePlace[]> {
    const places: ErasePlace[] = [];
    const projects = await this.#layout.projectIds();
    for (const projectId of projects) {
      signal?.throwIfAborted();
      const runsIn = async (file: string): Promise<Run[]> => {
        const runs = await this.runsIn(file, work, projectId);
        if (runs.length > 0) places.push({ kind: this.kindOf(file), file, count: runs.length });
        return runs;
      };
      const { dir, manifest } = this.#layout.project(projectId);
      if (isDryRun) for (const file of await filesOf(dir)) await runsIn(file);
      else {
        await runsIn(manifest);
        const rewriting = {
          runsIn,
          runsInText: (bytes: Buffer) => runsInText(bytes, work, projectId),
          isGone: (uuid: string) => work.finder.hasRecord(uuid),
        };
        await this.parts.store.changes.changeFiles(projectId, async (...all) => rewriteMade(rewriting, ...all));
        if (work.concerned.has(projectId)) await this.forgetCaches(projectId);
      }
    }
    if (!isDryRun) await sweepKilled(this.#layout.dir);
    places.push(...(await this.overwriteShared(work, isDryRun)));
    if (isDryRun) return places;
    // Last: who ends what was cut short learns from them what is to go elsewhere.
    for (const projectId of projects) {
      const rewriting = { runsIn: async (file: string) => this.runsIn(file, work, projectId) };
      await this.parts.store.changes.changeFiles(projectId, async (...all) => rewriteOriginals(rewriting, ...all));
    }
    return places;
  }

  /** What is of no one project. */
  private async overwriteShared(work: Work, isDryRun: boolean): Promise<ErasePlace[]> {
    const places: ErasePlace[] = [];
    const projects = await this.#layout.projectIds();
    const own = new Set(projects.map((projectId) => this.#layout.project(projectId).dir));
    for (const file of await filesOf(this.#layout.dir)) {
      if (file === this.parts.forgotten.file || [...own].some((dir) => file.startsWith(dir + path.sep))) continue;
      const runs = await this.runsIn(file, work, undefined);
      if (runs.length === 0) continue;
      places.push({ kind: this.kindOf(file), file, count: runs.length });
      if (isDryRun) continue;
      if (this.kindOf(file) === 'cache') await rm(file, { force: true });
      else await placeFile(file, (temporary) => copyErased(file, temporary, runs));
    }
    return places;
  }

  private async runsIn(file: string, work: Work, projectId: string | undefined): Promise<Run[]> {
    if (isOriginal(file)) return (await unlessGone(runsInRecords(file, work.finder))) ?? [];
    const bytes = await unlessGone(readFile(file));
    return bytes === undefined ? [] : withMarkers(bytes, runsInText(bytes, work, projectId));
  }

  /** What is remembered of transcripts is read from them again. */
  private async forgetCaches(projectId: string): Promise<void> {
    await rm(this.#layout.digests(projectId), { force: true });
    await rm(this.#layout.said(projectId), { recursive: true, force: true });
  }

  private kindOf(file: string): ErasePlace['kind'] {
    const steps = path.relative(this.#layout.dir, file).split(path.sep);
    if (steps[0] === 'cache') return 'cache';
    return KINDS.get(steps[2] ?? '') ?? 'store';
  }
}

const KINDS: ReadonlyMap<string, ErasePlace['kind']> = new Map([
  ['originals', 'original'],
  ['summaries', 'version'],
  ['composed', 'composition'],
  ['armed.json', 'composition'],
  ['trash', 'trash'],
  ['layers', 'layer'],
  ['written', 'layer'],
  ['notebook', 'notebook'],
  ['activity', 'hooks'],
  ['hooks', 'hooks'],
]);

/** What the records of a transcript say of what is to go. */
async function erasedTexts(file: string, finder: ErasedRuns, signal?: AbortSignal): Promise<string[]> {
  const texts: string[] = [];
  for await (const { line } of linesOf(file, signal))
    for (const { start, end } of finder.recordIn(line)) texts.push(unescaped(line.toString('utf8', start, end)));
  return texts;
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text; // a line that is torn off
  }
}

/** Pieces of what is to go, but for those that these transcripts say elsewhere. */
async function remainsOf(
  erased: Iterable<string>,
  transcripts: readonly string[],
  goneFrom: (line: Buffer, file: string) => Run[],
  signal?: AbortSignal,
): Promise<Remains> {
  const remains = new Remains(erased);
  remains.learn(Buffer.from(documentWords(), 'latin1'));
  for (const file of transcripts) {
    for await (const { line } of linesOf(file, signal)) {
      fill(line, 0, goneFrom(line, file));
      remains.learn(line);
    }
  }
  return remains;
}

/** By their names, and by what notes in the trash say. */
async function filesOfSession(layout: ProjectLayout, sessionId: string): Promise<string[]> {
  const found: string[] = [];
  const trashed = new Set<string>();
  const files = await filesOf(layout.dir);
  for (const file of files) {
    const steps = path.relative(layout.dir, file).split(path.sep);
    const isNamed = steps.slice(1).some((step) => step === sessionId || step.startsWith(`${sessionId}.`));
    if (isNamed || steps[0] === `armed-${sessionId}.json`) found.push(file);
    const isOwn = steps[0] === 'trash' && (isNamed || steps[1]?.includes(sessionId) === true);
    if (isOwn) trashed.add(path.join(layout.trash, steps[1] ?? ''));
  }
  for (const file of files)
    if ([...trashed].some((item) => file.startsWith(item + path.sep)) && !found.includes(file)) found.push(file);
  return found;
}

/** What was to be forgotten before, with more. */
function merged(before: Forgotten, { words, records }: Marks): Forgotten {
  const all = new Map([...before.words, ...words].map((one) => [one.hash, one]));
  return { ...before, words: [...all.values()], records: [...new Set([...before.records, ...records])] };
}

type Marks = Pick<Forgotten, 'key' | 'words' | 'records' | 'pauses'>;

interface Work {
  readonly finder: ErasedRuns;
  readonly remains: Remains;
  /** The projects whose sessions say it: only there do pieces of it go. */
  readonly concerned: ReadonlySet<string>;
}

/** What stands in the file of what is forgotten until that is erased everywhere. */
function begunBy({ of }: EraseOrder, { words }: Marks): BegunErase {
  return of === undefined ? { words: words[0]?.hash } : { ...of };
}

function others({ erasing = [] }: Forgotten, begun: BegunErase): BegunErase[] {
  return erasing.filter((one) => nameOfErase(one) !== nameOfErase(begun));
}

function marksOf({ words, records }: EraseOrder, key: string): Marks {
  return {
    key,
    words: words.flatMap((one) => markWords(key, one)),
    records: records.map((uuid) => markRecord(key, uuid)),
    pauses: [],
  };
}

function runsInText(bytes: Buffer, { finder, remains, concerned }: Work, projectId: string | undefined): Run[] {
  const isConcerned = projectId !== undefined && concerned.has(projectId);
  return joined([...finder.wordsIn(bytes), ...(isConcerned ? remains.runsIn(bytes) : [])]);
}
