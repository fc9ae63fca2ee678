import type { ComposedContextRecord, CompositionRequest, OutputFormat } from '../model/composition';
import type { NewProject, ProjectManifest } from '../model/manifest';
import { manifestsIn, type Clock, type MemoryStore } from '../model/host';
import type { OnProgress, SessionRef } from '../sessions/results';
import { uuidFrom } from '../versions/versionRecords';
import {
  COMPOSED_JSONL,
  COMPOSED_MARKDOWN,
  COMPOSITION_FIGURES,
  COMPOSITION_RECORD,
  transcriptText,
  type DocumentIdentity,
} from './composedDocument';
import type { Composer } from './composer';
import type { Composed } from './sessionForms';
import { compareCompositions, type CompositionDiff, type ReadComposition } from './compositionDiff';
import { CompositionError } from './compositionError';
import { clashOf } from './compositionName';
import { readPreview, type CompositionPreview } from './compositionPreview';
import { previewOf } from './previewOf';
import {
  distancesIn,
  jsonOf,
  missingText,
  namedIn,
  outputsOf,
  recordIn,
  withoutRecord,
  withRecord,
  recordOf,
  sessionsOf,
  stillThere,
  withUse,
  checkName,
} from './compositionRecord';
import { changesBetween, freshnessOf, type ComponentChange, type Freshness } from './freshness';

export interface CompositionsParts {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly composer: Composer;
  /** Takes in what is new of those that are in memory: a composition knows as much as their manifests. */
  readonly takeIn: (refs: readonly SessionRef[], signal?: AbortSignal) => Promise<unknown>;
}

/** A saved composition. */
export interface StoredComposition {
  readonly projectId: string;
  readonly record: ComposedContextRecord;
  /** Absolute paths of its texts. */
  readonly files: readonly string[];
  readonly freshness: Freshness;
}

export interface CompositionResult extends StoredComposition {
  /** What it took the place of, and can be brought back with `restore`; absent when there was nothing. */
  readonly trash?: string;
}

interface PreviewOptions {
  readonly windowTokens?: number;
  /** The id that a new composition is going to have. With it, what is new in the sessions is taken in: `compose` saves what was shown last. */
  readonly compositionId?: string;
}

/** What rebuilding changed. */
interface RebuildResult extends CompositionResult {
  readonly changes: readonly ComponentChange[];
  readonly tokensBefore: number;
}

/** The texts of a composition that is not saved. */
export interface ComposedTexts {
  readonly record: ComposedContextRecord;
  readonly markdown?: string;
  readonly jsonl?: string;
}

/** Compositions of projects: made, kept, listed, renamed, rebuilt, removed. Expected failures are `KeepitError`s. */
export class Compositions {
  constructor(private readonly parts: CompositionsParts) {}

  /** All figures of what would be composed, which is composed for them; nothing is saved. Throws `CompositionError`, for a budget that is too small with the smallest one that works. */
  async preview(
    projectId: string,
    request: CompositionRequest,
    options: PreviewOptions = {},
    signal?: AbortSignal,
  ): Promise<CompositionPreview> {
    if (options.compositionId !== undefined) await this.parts.takeIn(sessionsOf(request, projectId), signal);
    const { composed } = await this.#sample(projectId, request, options, signal);
    return previewOf(composed, request, { projectId, windowTokens: options.windowTokens });
  }

  /** The texts as they would be; nothing is saved. */
  async previewTexts(
    projectId: string,
    request: CompositionRequest,
    options: Pick<PreviewOptions, 'compositionId'> = {},
    signal?: AbortSignal,
  ): Promise<ComposedTexts> {
    const { composed, identity } = await this.#sample(projectId, request, options, signal);
    return {
      record: recordOf(composed, { projectId, request, identity }),
      ...textsOf(composed, identity, await this.#folder(projectId)),
    };
  }

  /**
   * Composes and saves, in one step. A composition of that name stays as it is, unless `replaces` is set: then it goes to the trash. Marks the
   * sessions as accessed and the versions as used. Cancelling leaves nothing but whole versions that were made on the way.
   */
  async compose(
    projectId: string,
    request: CompositionRequest,
    options: { replaces?: boolean; compositionId?: string; onProgress?: OnProgress; signal?: AbortSignal } = {},
  ): Promise<CompositionResult> {
    checkName(request.name);
    const manifest = await this.parts.store.readManifest(projectId);
    if (options.replaces !== true) refuseClash(request.name, manifest);
    const before = manifest && namedIn(manifest, request.name);
    const identity = this.#identity(projectId, request.name, before?.compositionId ?? options.compositionId);
    const { onProgress, signal } = options;
    if (options.compositionId === undefined) await this.parts.takeIn(sessionsOf(request, projectId), signal);
    const composing = { isKept: true, onProgress, signal };
    const composed = await this.parts.composer.compose(projectId, request, identity, composing);
    signal?.throwIfAborted();
    refuseEmpty(request.name, composed.sessions, composed.omitted);
    return this.#save(projectId, { composed, request, identity, replaces: options.replaces === true });
  }

  /** Saved compositions, the newest first; of all projects when `projectId` is absent. */
  async list(projectId?: string): Promise<StoredComposition[]> {
    const { store } = this.parts;
    const found: StoredComposition[] = [];
    for (const manifest of await manifestsIn(store, projectId)) {
      for (const record of Object.values(manifest.compositions)) {
        found.push(await this.#stored(manifest.projectId, record));
      }
    }
    return found.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  }

  /** A composition by its name. Throws `CompositionError`. */
  async get(projectId: string, name: string): Promise<StoredComposition> {
    return this.#stored(projectId, await this.#record(projectId, name));
  }

  /** The text of a composition. Throws `CompositionError` when it was not made in that format, or its file is gone. */
  async text(projectId: string, name: string, format: 'markdown' | 'jsonl'): Promise<string> {
    const record = await this.#record(projectId, name);
    const file = format === 'markdown' ? COMPOSED_MARKDOWN : COMPOSED_JSONL;
    const { store } = this.parts;
    const read = () => store.compositions.read(projectId, record.name, file);
    const text = (await read()) ?? (await afterChanges(store, projectId, read));
    if (text === undefined) throw missingText(record, file);
    return text;
  }

  /** What was shown of a composition when it was saved; undefined for one that another release or tool has made. Throws `CompositionError`. */
  async figures(projectId: string, name: string): Promise<CompositionPreview | undefined> {
    const { record } = await this.get(projectId, name);
    const text = await this.parts.store.compositions.read(projectId, record.name, COMPOSITION_FIGURES);
    return text === undefined ? undefined : readPreview(text);
  }

  /** What differs between two compositions, which may be of different projects. Throws `CompositionError`. */
  async compare(
    a: { readonly projectId: string; readonly name: string },
    b: { readonly projectId: string; readonly name: string },
  ): Promise<CompositionDiff> {
    const read = async ({ projectId, name }: typeof a): Promise<ReadComposition> => {
      const record = await this.#record(projectId, name);
      const format = record.outputs?.includes(COMPOSED_MARKDOWN) === false ? 'jsonl' : 'markdown';
      return { projectId, record, text: await this.text(projectId, name, format) };
    };
    return compareCompositions(await read(a), await read(b));
  }

  /** Gives a composition another name. What was delivered of it keeps its old one in its text, and is recognized all the same. */
  async rename(projectId: string, name: string, newName: string): Promise<StoredComposition> {
    checkName(newName);
    const { store } = this.parts;
    let renamed: ComposedContextRecord | undefined;
    await store.updateManifest(await this.#manifest(projectId, name), async (current) => {
      const record = recordIn(current, name);
      refuseClash(newName, current);
      const outputFile = record.outputFile.replace(/(?<![^/])[^/]+(?=\/[^/]+$)/, () => newName);
      renamed = {
        ...record,
        name: newName,
        outputFile,
        ...(record.request && { request: { ...record.request, name: newName } }),
      };
      await store.compositions.move(projectId, record, newName);
      await store.compositions.keep(projectId, newName, { [COMPOSITION_RECORD]: jsonOf(renamed) });
      return withRecord(withoutRecord(current, record), renamed);
    });
    if (renamed === undefined) throw new TypeError(`The store did not ask for ${name}`);
    return this.#stored(projectId, renamed);
  }

  /** Moves a composition into the trash, and returns what `restore` takes. What was delivered of it stays where it is. */
  async delete(projectId: string, name: string): Promise<{ trash: string }> {
    const { store } = this.parts;
    let trash = '';
    await store.updateManifest(await this.#manifest(projectId, name), async (current) => {
      const record = recordIn(current, name);
      trash = await store.compositions.discard(projectId, record);
      return withoutRecord(current, record);
    });
    return { trash };
  }

  /** Undoes `delete`, or the replacing of a composition. Refused when there is one of that name again. */
  async restore(projectId: string, trash: string): Promise<StoredComposition> {
    const { store } = this.parts;
    const record = await store.compositions.discarded(projectId, trash);
    await store.updateManifest(await this.#project(projectId), async (current) => {
      refuseClash(record.name, current);
      await store.compositions.takeBack(projectId, trash);
      return withRecord(current, record);
    });
    return this.#stored(projectId, record);
  }

  /**
   * Makes a composition again: the same request, today's versions. Sessions that left memory are left out, and versions that were deleted are
   * chosen anew; both are among the changes. What it was before goes to the trash.
   */
  async rebuild(
    projectId: string,
    name: string,
    changes: { outputFormat?: OutputFormat; totalTokenBudget?: number } = {},
    options: { onProgress?: OnProgress; signal?: AbortSignal } = {},
  ): Promise<RebuildResult> {
    const before = await this.#record(projectId, name);
    if (before.request === undefined) throw new CompositionError('not-rebuildable', name);
    const request = { ...before.request, ...changes, name: before.name };
    await this.parts.takeIn(sessionsOf(request, projectId), options.signal);
    const { components, gone } = await stillThere(this.parts.store, projectId, request);
    const identity = this.#identity(projectId, before.name, before.compositionId);
    const { onProgress, signal } = options;
    const composing = { isKept: true, distances: distancesIn(before), onProgress, signal };
    const composed = await this.parts.composer.compose(projectId, { ...request, components }, identity, composing);
    signal?.throwIfAborted();
    const omitted = [...composed.omitted, ...gone];
    refuseEmpty(before.name, composed.sessions, omitted);
    const saved = await this.#save(projectId, {
      composed: { ...composed, omitted },
      request,
      identity,
      replaces: true,
    });
    return {
      ...saved,
      changes: changesBetween(before, saved.record, projectId),
      tokensBefore: before.totalTokens,
    };
  }

  async #save(
    projectId: string,
    made: { composed: Composed; request: CompositionRequest; identity: DocumentIdentity; replaces: boolean },
  ): Promise<CompositionResult> {
    const { store, clock } = this.parts;
    const { composed, request, identity, replaces } = made;
    let record: ComposedContextRecord | undefined;
    let trash: string | undefined;
    await store.updateManifest(await this.#project(projectId), async (current) => {
      const before = namedIn(current, request.name);
      if (!replaces) refuseClash(request.name, current);
      if (before !== undefined) trash = await store.compositions.discard(projectId, before);
      // What was delivered in the meantime belongs to the composition, whatever it is made of now.
      record = recordOf(
        composed,
        { projectId, request, identity },
        before?.compositionId === identity.compositionId ? before : undefined,
      );
      const { markdown, jsonl } = textsOf(composed, identity, current.originalPath);
      await store.compositions.keep(projectId, request.name, {
        ...(markdown !== undefined && { [COMPOSED_MARKDOWN]: markdown }),
        ...(jsonl !== undefined && { [COMPOSED_JSONL]: jsonl }),
        [COMPOSITION_RECORD]: jsonOf(record),
        [COMPOSITION_FIGURES]: `${JSON.stringify(previewOf(composed, request, { projectId }))}\n`,
      });
      const others = before === undefined ? current : withoutRecord(current, before);
      return withRecord(withUse(others, { components: record.components, projectId }, clock.now()), record);
    });
    if (record === undefined) throw new TypeError(`The store did not ask for ${request.name}`);
    await this.markUse(projectId, record);
    return { ...(await this.#stored(projectId, record)), ...(trash !== undefined && { trash }) };
  }

  /** Marks the sessions of other projects that a composition uses. */
  async markUse(projectId: string, record: ComposedContextRecord): Promise<void> {
    const { store, clock } = this.parts;
    const others = new Set(sessionsOf(record, projectId).map((ref) => ref.projectId));
    others.delete(projectId);
    for (const other of others) {
      const manifest = await store.readManifest(other);
      if (manifest === undefined) continue;
      await store.updateManifest(manifest, (current) =>
        withUse(current, { components: record.components, projectId }, clock.now()),
      );
    }
  }

  async #stored(projectId: string, record: ComposedContextRecord): Promise<StoredComposition> {
    const { store } = this.parts;
    const names = record.outputs ?? outputsOf({ outputFormat: 'both' });
    const manifests = new Map<string, ProjectManifest | undefined>();
    for (const ref of sessionsOf(record, projectId)) {
      if (!manifests.has(ref.projectId)) manifests.set(ref.projectId, await store.readManifest(ref.projectId));
    }
    return {
      projectId,
      record,
      files: names.map((file) => store.compositions.path(projectId, record.name, file)),
      freshness: freshnessOf(record, projectId, manifests),
    };
  }

  /** An id stays with its composition, however often it is rebuilt. */
  #identity(projectId: string, name: string, compositionId?: string): DocumentIdentity {
    const builtAt = this.parts.clock.now().toISOString();
    return { compositionId: compositionId ?? uuidFrom(`${projectId}/${name}/${builtAt}`), name, builtAt };
  }

  /** With an id of its own, each look at the same request would come to some tokens more or less. */
  async #sample(
    projectId: string,
    request: CompositionRequest,
    { compositionId }: PreviewOptions,
    signal?: AbortSignal,
  ) {
    const { store, composer } = this.parts;
    const manifest = await store.readManifest(projectId);
    const known = manifest && namedIn(manifest, request.name)?.compositionId;
    const identity = this.#identity(projectId, request.name, known ?? compositionId ?? uuidFrom('preview'));
    return { identity, composed: await composer.compose(projectId, request, identity, { isKept: false, signal }) };
  }

  async #record(projectId: string, name: string): Promise<ComposedContextRecord> {
    const manifest = await this.parts.store.readManifest(projectId);
    if (manifest === undefined) throw new CompositionError('unknown', name);
    return recordIn(manifest, name);
  }

  async #manifest(projectId: string, name: string): Promise<ProjectManifest> {
    const manifest = await this.parts.store.readManifest(projectId);
    if (manifest === undefined) throw new CompositionError('unknown', name);
    return manifest;
  }

  /** The project, which may have no session in memory of its own when all components come from others. */
  async #project(projectId: string): Promise<NewProject> {
    const manifest = await this.parts.store.readManifest(projectId);
    return manifest ?? { projectId, originalPath: '', displayName: projectId };
  }

  async #folder(projectId: string): Promise<string> {
    return (await this.parts.store.readManifest(projectId))?.originalPath ?? '';
  }
}

function refuseClash(name: string, manifest: ProjectManifest | undefined): void {
  const clash = manifest && clashOf(name, manifest);
  if (clash !== undefined) throw new CompositionError('name-taken', clash);
}

/** A context that says nothing is not kept, and takes the place of none. */
function refuseEmpty(name: string, sessions: Composed['sessions'], omitted: Composed['omitted']): void {
  if (sessions.some(({ section }) => section !== undefined)) return;
  const reasons = [...new Set(omitted.map(({ reason }) => reason))];
  throw new CompositionError('nothing-in', name, reasons.join('; ') || 'nothing was said in its sessions');
}

function textsOf(composed: Composed, identity: DocumentIdentity, cwd: string): { markdown?: string; jsonl?: string } {
  const { markdown, records } = composed;
  const sessionId = identity.compositionId;
  return {
    ...(markdown !== undefined && { markdown }),
    ...(records !== undefined && { jsonl: transcriptText(records, identity, { sessionId, cwd }) }),
  };
}

function timeOf({ record }: StoredComposition): string {
  return record.builtAt ?? record.createdAt;
}

/** Reads again when no change of the project is under way: while a composition is replaced, the files of neither are in their place. */
async function afterChanges<T>(store: MemoryStore, projectId: string, read: () => Promise<T>): Promise<T> {
  const manifest = await store.readManifest(projectId);
  if (manifest !== undefined) await store.updateManifest(manifest, (current) => current);
  return read();
}
