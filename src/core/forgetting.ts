import { textsOf } from './transcript/entry';
import { ForgettingError, type ErasePlace, type Erasing, type ForgettingStore } from './memoryPorts';
import type { LayerPlace, LayerStore } from './knowledge/layerStore';
import type { LayersService } from './knowledge/layersService';
import { isPausedAt, nameOfErase, nameOfNever, type BegunErase, type Forgotten, type Never } from './model/forgotten';
import { entryOf, type Clock, type MemoryStore } from './model/host';
import type { RegistrationService } from './sessions/registration';
import { readConversation } from './sessions/readConversation';
import type { SessionRef, SessionSource } from './sessions/results';
import { SessionLookupError } from './sessions/sessionLookupError';
import type { SessionIndex } from './sessions/sessionIndex';
import { isErased } from './text/secrets/privateText';
import type { Message } from './transcript/types';

interface ForgettingParts {
  readonly forgetting: ForgettingStore;
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly sources: SessionIndex;
  readonly registration: Pick<RegistrationService, 'takeIn'>;
  readonly layerStore: LayerStore;
  readonly layers: Pick<LayersService, 'status' | 'disable' | 'forgetSession'>;
}

/** What is to be erased: words wherever they stand, a session, or one message of it. */
export type EraseTarget = { readonly text: string } | (SessionRef & { readonly message?: string | undefined });

/** Where it stood, or stands. */
export interface Erased {
  readonly places: ErasePlace[];
  readonly erased: boolean;
  /** Files of Claude Code that still have it. */
  readonly stillIn: readonly string[];
}

/** What is never remembered, and whether anything is now. */
export interface NotRemembered {
  readonly never: readonly Never[];
  readonly isPaused: boolean;
  /** When a pause ends by itself. */
  readonly until?: string | undefined;
}

const LEAST_CHARS = 6;
/** Shorter texts are said by many: they go with their record alone. */
const LEAST_SAID = 24;
const MOST_DEPTH = 4;

/** Forgetting on purpose: erasing what was said, and not remembering what is said. */
export class Forgetting {
  constructor(private readonly parts: ForgettingParts) {}

  /**
   * Takes words, a message or a session out of everything that is kept; what it was made into keeps its place. It does not come back:
   * keyed hashes say what is not to be taken in again. May be repeated, and is whole then. A dry run tells where it stands.
   */
  async erase(
    target: EraseTarget,
    { isDryRun = false }: { isDryRun?: boolean } = {},
    signal?: AbortSignal,
  ): Promise<Erased> {
    if ('text' in target) {
      if (target.text.trim().length < LEAST_CHARS) throw new ForgettingError('too-short', target.text);
      return this.everywhere({ words: [target.text.trim()], records: [], said: [], projectIds: [] }, isDryRun, signal);
    }
    const { projectId, sessionId, message } = target;
    const [source] = await this.parts.sources.locateAll([target], signal);
    if (source === undefined && (message !== undefined || !(await this.isRegistered(target))))
      return this.erasedBefore(target, isDryRun);
    const messages = source === undefined ? [] : await this.messagesOf(source, signal);
    if (source !== undefined && message !== undefined) {
      const found = messages.filter((one) => one.uuid === message || one.lineUuids.includes(message));
      if (found.length === 0) throw new ForgettingError('unknown-message', message);
      const records = found.flatMap(({ lineUuids, tools }) => [
        ...lineUuids,
        ...tools.flatMap(({ uuid, result }) => [uuid, result?.uuid ?? uuid]),
      ]);
      const words = found.flatMap(saidIn).filter((text) => text.length >= LEAST_SAID);
      const order = { words, records: [...new Set(records)], said: [], projectIds: [projectId], of: target };
      return this.everywhere(order, isDryRun, signal);
    }
    const stillIn = source === undefined || source.isKept ? [] : [source.file.path];
    return { ...(await this.eraseSession({ projectId, sessionId }, messages, isDryRun, signal)), stillIn };
  }

  /** Nothing is left of it. Throws `SessionLookupError` where it is no session that was erased. */
  private async erasedBefore(
    { sessionId, message }: Extract<EraseTarget, SessionRef>,
    isDryRun: boolean,
  ): Promise<Erased> {
    const { never } = await this.notRemembered();
    if (message !== undefined || !never.some(({ session }) => session === sessionId))
      throw new SessionLookupError('not-found', sessionId);
    if (!isDryRun) await this.dropEnded();
    return { places: [], erased: !isDryRun, stillIn: [] };
  }

  /** As they are read, and as they were said before anything of them was erased: what was made of them may hold either. */
  private async messagesOf(source: SessionSource, signal?: AbortSignal): Promise<readonly Message[]> {
    const { sources, forgetting } = this.parts;
    const whole = await readConversation(forgetting.transcripts, source.file.path, {}, signal);
    return [...(await sources.open(source, {}, signal)).messages, ...whole.messages];
  }

  /** All that is kept of a session, and what was made of what was said there. */
  private async eraseSession(
    target: SessionRef,
    messages: readonly Message[],
    isDryRun: boolean,
    signal?: AbortSignal,
  ): Promise<Pick<Erased, 'places' | 'erased'>> {
    const { projectId, sessionId } = target;
    const order = { words: [], records: [], said: messages.flatMap(saidIn), projectIds: [projectId], of: target };
    const own = await this.parts.forgetting.filesOfSession(projectId, sessionId);
    const { places, erased } = await this.everywhere(order, isDryRun, signal);
    const ownFiles = new Set(own.map(({ file }) => file));
    return { places: [...own, ...places.filter(({ file }) => !ownFiles.has(file))], erased };
  }

  /** What has begun to be erased, and is there in part. */
  async halfErased(): Promise<BegunErase[]> {
    const { forgetting } = this.parts;
    const left: BegunErase[] = [];
    for (const begun of (await forgetting.read())?.erasing ?? []) {
      const { projectId = '', sessionId, message } = begun;
      const isSession = sessionId !== undefined && message === undefined;
      const isGone =
        isSession &&
        (await forgetting.filesOfSession(projectId, sessionId)).length === 0 &&
        !(await this.isRegistered({ projectId, sessionId }));
      if (!isGone) left.push(begun);
    }
    return left;
  }

  /** Whether memory has an entry of it: one that was being erased when the process ended has nothing more. */
  private async isRegistered(ref: SessionRef): Promise<boolean> {
    return (await entryOf(this.parts.store, ref)) !== undefined;
  }

  /** What is never remembered. */
  async notRemembered(): Promise<NotRemembered> {
    return this.told(await this.parts.forgetting.read());
  }

  /** Nothing more is taken from a folder and all below it, or from a session; what is kept of it stays until it is erased. */
  async never(what: { readonly folder: string } | SessionRef): Promise<NotRemembered> {
    if ('folder' in what) return this.note({ folder: what.folder });
    await this.parts.registration.takeIn([what]);
    return this.note({ session: what.sessionId });
  }

  /** Takes `never` back. Throws `ForgettingError` where it was not said. */
  async allow(what: string): Promise<NotRemembered> {
    const { never = [], erasing = [] } = (await this.parts.forgetting.read()) ?? {};
    const asNever = (one: BegunErase): Never => ({ session: nameOfErase(one) });
    const known = [...never, ...erasing.map(asNever)];
    // The beginning of an id is enough; that of a folder is another folder.
    const isWhole = known.some((one) => nameOfNever(one) === what);
    const isMeant = (one: Never): boolean =>
      nameOfNever(one) === what || (!isWhole && one.session?.startsWith(what) === true);
    if (!known.some(isMeant)) throw new ForgettingError('not-never', what);
    const changed = await this.parts.forgetting.change((before) => ({
      ...before,
      never: before.never.filter((one) => !isMeant(one)),
      erasing: before.erasing?.filter((one) => !isMeant(asNever(one))),
    }));
    return this.told(changed);
  }

  /** What is said from now on is not remembered, in any session, until `unpause` or for so long. */
  async pause(forMs?: number): Promise<NotRemembered> {
    const now = this.parts.clock.now();
    const from = now.toISOString();
    const until = forMs === undefined ? undefined : new Date(now.getTime() + forMs).toISOString();
    const changed = await this.parts.forgetting.change((before) => {
      const ended = before.pauses.map((one) => (isPausedAt({ pauses: [one] }, from) ? { ...one, until: from } : one));
      return { ...before, pauses: [...ended, until === undefined ? { from } : { from, until }] };
    });
    return this.told(changed);
  }

  /** What is said from now on is remembered again; what was said meanwhile never is. */
  async unpause(): Promise<NotRemembered> {
    const now = this.parts.clock.now().toISOString();
    const changed = await this.parts.forgetting.change((before) => ({
      ...before,
      pauses: before.pauses.map((one) => (isPausedAt({ pauses: [one] }, now) ? { ...one, until: now } : one)),
    }));
    return this.told(changed);
  }

  /** Everything that is kept of a project, file by file. */
  async stored(projectId: string): Promise<ErasePlace[]> {
    const places = await this.parts.forgetting.filesOf(projectId);
    for (const place of await this.placesOf(projectId))
      for (const name of await namesIn(this.parts.layerStore.files(place)))
        places.push(await this.placeOf(place, name, 1));
    return places;
  }

  /** Takes all of it away, for good; Claude Code's own files stay. */
  async cleanUp(projectId: string): Promise<ErasePlace[]> {
    const { layerStore, layers, forgetting } = this.parts;
    const places = await this.stored(projectId);
    if (places.length === 0) throw new ForgettingError('nothing-stored', projectId);
    for (const place of await this.placesOf(projectId)) {
      await layerStore.change(place, async (files) => {
        for (const name of await namesIn(files)) await files.remove(name);
      });
    }
    if ((await layers.status(projectId)).isEnabled) await layers.disable(projectId);
    await forgetting.remove(projectId);
    return places;
  }

  private async everywhere(
    order: Parameters<ForgettingStore['begin']>[0],
    isDryRun: boolean,
    signal?: AbortSignal,
  ): Promise<Erased> {
    const erasing = await this.parts.forgetting.begin(order, { isDryRun }, signal);
    const places: ErasePlace[] = [];
    for (const projectId of erasing.projectIds)
      for (const place of await this.placesOf(projectId))
        places.push(...(await this.inFolder(place, erasing, isDryRun)));
    places.push(...(await erasing.inStore(isDryRun)));
    if (!isDryRun) await this.finish(order.of);
    if (!isDryRun) await erasing.end();
    if (!isDryRun) await this.dropEnded();
    return { places, erased: !isDryRun, stillIn: erasing.stillIn };
  }

  /** A session goes last, as what it said is known from there. */
  private async finish(of: Parameters<ForgettingStore['begin']>[0]['of']): Promise<void> {
    if (of === undefined || of.message !== undefined) return;
    await this.note({ session: of.sessionId });
    await this.parts.layers.forgetSession(of);
    await this.parts.forgetting.removeSession(of.projectId, of.sessionId);
  }

  /** Takes away what is noted of sessions that are gone: who erased them was killed just before that. */
  private async dropEnded(): Promise<void> {
    const noted = (await this.parts.forgetting.read())?.erasing ?? [];
    const half = new Set((await this.halfErased()).map(nameOfErase));
    const ended = new Set(noted.map(nameOfErase).filter((name) => !half.has(name)));
    if (ended.size === 0) return;
    await this.parts.forgetting.change((now) => ({
      ...now,
      erasing: now.erasing?.filter((one) => !ended.has(nameOfErase(one))),
    }));
  }

  /** Files that Keepit wrote in a project's own folder. */
  private async inFolder(place: LayerPlace, erasing: Erasing, isDryRun: boolean): Promise<ErasePlace[]> {
    const { layerStore } = this.parts;
    const places: ErasePlace[] = [];
    const look = layerStore.files(place);
    const names = await namesIn(look);
    for (const name of names) {
      const { count } = erasing.overwrite(place.projectId, (await look.read(name)) ?? '');
      if (count > 0) places.push(await this.placeOf(place, name, count));
    }
    // Also where nothing is left to do: the lock of one that was killed goes with it.
    if (isDryRun || names.length === 0) return places;
    await layerStore.change(place, async (files) => {
      for (const name of await namesIn(files)) {
        const { text, count } = erasing.overwrite(place.projectId, (await files.read(name)) ?? '');
        if (count > 0) await files.write(name, name.endsWith('.md') ? withoutErasedLines(text) : text);
      }
    });
    return places;
  }

  private async placeOf(place: LayerPlace, name: string, count: number): Promise<ErasePlace> {
    const { dir } = await this.parts.layerStore.examine(place);
    return { kind: place.room === 'notebook' ? 'notebook' : 'layer', file: `${dir}/${name}`, count };
  }

  /** Where the project's layers and notes are, if in its own folder: what lies in the store is found there. */
  private async placesOf(projectId: string): Promise<LayerPlace[]> {
    const projectPath = (await this.parts.store.readManifest(projectId))?.originalPath ?? '';
    const { location, problem } = await this.parts.layers.status(projectId);
    if (projectPath === '' || location === 'home' || problem === 'no-folder') return [];
    const place: LayerPlace = { projectId, projectPath, location };
    return [place, { ...place, room: 'notebook' }];
  }

  private async note(one: Never): Promise<NotRemembered> {
    const changed = await this.parts.forgetting.change((before) => {
      const isKnown = before.never.some((known) => nameOfNever(known) === nameOfNever(one));
      return isKnown ? before : { ...before, never: [...before.never, one] };
    });
    return this.told(changed);
  }

  private told(forgotten: Forgotten | undefined): NotRemembered {
    const now = this.parts.clock.now().toISOString();
    const pause = forgotten?.pauses.find((one) => isPausedAt({ pauses: [one] }, now));
    return { never: forgotten?.never ?? [], isPaused: pause !== undefined, until: pause?.until };
  }
}

function saidIn({ blocks, text }: Message): string[] {
  const texts = textsOf(blocks);
  return texts.length > 0 ? texts : text === '' ? [] : [text];
}

async function namesIn(
  files: Pick<ReturnType<LayerStore['files']>, 'names' | 'stat'>,
  folder = '',
  depth = 0,
): Promise<string[]> {
  const found: string[] = [];
  if (depth > MOST_DEPTH) return found;
  for (const name of await files.names(folder)) {
    if (name.startsWith('.')) continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    if ((await files.stat(path)) === undefined) found.push(...(await namesIn(files, path, depth + 1)));
    else found.push(path);
  }
  return found;
}

const LABEL = /^\s*(?:[-*>]|\d+\.)?\s*(?:\*\*[^*]+\*\*)?/;

/** Notes without the points of which nothing is left. */
function withoutErasedLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !isErased(line.replace(LABEL, '')))
    .join('\n');
}
