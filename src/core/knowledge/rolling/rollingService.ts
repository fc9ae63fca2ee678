import { MaterialReader, type MaterialReaderParts } from '../../sessions/sessionMaterial';
import type { SourceMessage } from '../../material/types';
import type { RollingIndex } from '../../model/rolling';
import { conversationNotes } from '../notes/conversationNotes';
import type { Clock, Log } from '../../model/host';
import type { TokenCounters } from '../../text/tokens/tokenCounter';
import type { OnProgress, SessionRef } from '../../sessions/results';
import { onlyExpected } from '../../text/keepitError';
import type { SessionIndex } from '../../sessions/sessionIndex';
import type { LayersService } from '../layersService';
import { type LayerFiles, type LayerStore, LayersError, type ProjectProbe } from '../layerStore';
import { type OtherTool, type OtherToolReader, toldElsewhere } from '../otherTools/otherTools';
import { TakingOver, type TakenOver } from '../otherTools/takingOver';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { digestText, type DigestOrigin, MEMORY, RollingFiles } from './rollingFiles';

export interface RollingServiceParts extends MaterialReaderParts {
  readonly layerStore: LayerStore;
  readonly sources: SessionIndex;
  readonly tokens: TokenCounters;
  readonly clock: Clock;
  readonly log: Log;
  readonly projectProbe: ProjectProbe;
  readonly otherTools: () => Promise<OtherToolReader>;
}

/** Which memory is to be taken over. */
export interface TakeOverRequest {
  readonly from?: OtherTool | undefined;
  /** Where it is; the tool's own place when absent. */
  readonly file?: string | undefined;
  readonly isDryRun?: boolean | undefined;
}

/** What was done to a rolling memory. */
export interface RollingResult {
  /** How many messages were taken in; 0 when nothing was new. */
  readonly newMessages: number;
  readonly counter: number;
  /** Archives that the memory became. */
  readonly rotated: readonly string[];
  readonly memoryTokens: number;
}

export interface RollingFile {
  readonly name: string;
  readonly bytes: number;
  readonly kind: 'memory' | 'set' | 'archive' | 'summary';
}

/** Files that people and models write as a whole (seed 004, memory-set). */
export const SET_FILES = ['project.md', 'architecture.md', 'conventions.md'] as const;
export type SetFile = (typeof SET_FILES)[number];

/** So many checks make a digest. */
const INTERVAL = 25;

/**
 * The rolling memory of a project (seed 004) beside its layers: `memory.md` grows by what is new of sessions, each message at most once, and
 * rotates into archives with summaries. Throws `LayersError` and `StoreError`.
 */
export class RollingService {
  private readonly material: MaterialReader;

  constructor(
    private readonly parts: RollingServiceParts,
    private readonly layers: LayersService,
  ) {
    this.material = new MaterialReader(parts);
  }

  /** Counts one more turn; every 25th takes in what is new of the session, and rotates when it is time to. */
  async check(ref: SessionRef, signal?: AbortSignal): Promise<RollingResult> {
    const result = await this.work(ref.projectId, async (files) => {
      await files.setCounter(files.index.counter + 1);
      return this.result(files, 0);
    });
    return result.counter < INTERVAL ? result : this.final(ref, signal);
  }

  /** At the end of a session: brings its layers up to date, takes in what is new of it, and rotates when it is time to. */
  async final(ref: SessionRef, signal?: AbortSignal): Promise<RollingResult> {
    const { failed } = await this.layers.build(ref.projectId, { refs: [ref] }, undefined, signal);
    const result = await this.work(ref.projectId, async (files) => {
      const newMessages = await this.take(ref, files, signal);
      await files.setCounter(0);
      return this.result(files, newMessages);
    });
    const [failure] = failed;
    if (failure !== undefined) throw failure.error;
    return result;
  }

  /** Takes in what is new of sessions that are layered already, the oldest first; one that cannot be read does not stop the others. */
  async takeAll(refs: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<void> {
    const located = await this.parts.sources.locateAll(refs, signal);
    const sources = located.filter((source) => source !== undefined).sort((a, b) => a.file.mtimeMs - b.file.mtimeMs);
    for (const [done, { ref }] of sources.entries()) {
      signal?.throwIfAborted();
      onProgress?.({ step: 'layer', done, total: sources.length, label: ref.sessionId });
      try {
        await this.work(ref.projectId, async (files) => {
          // What somebody else has written there is shown first: it would go out of the way of what is filled in.
          if (!(await files.isForeign())) await this.result(files, await this.take(ref, files, signal));
        });
      } catch (error) {
        onlyExpected(error);
        this.parts.log.warn(`${ref.sessionId} is not in ${MEMORY}: ${error.message}`);
      }
    }
  }

  async reset(projectId: string): Promise<RollingResult> {
    return this.work(projectId, async (files) => {
      await files.setCounter(0);
      return this.result(files, 0);
    });
  }

  /**
   * Takes over what another tool knows of the project, once, however often it is called; without `from` what memory-keeper plugins have
   * left beside the layers (seed 004, migrate-legacy). What it claims is proposed. A dry run writes nothing. Throws `OtherToolError`.
   */
  async takeOver(projectId: string, { from, file, isDryRun = false }: TakeOverRequest = {}): Promise<TakenOver> {
    const { layerStore, tokens, otherTools } = this.parts;
    const place = await this.layers.enabledPlace(projectId);
    const { projectPath: root } = place;
    const told =
      from === undefined ? undefined : toldElsewhere(from, await (await otherTools()).read(from, file, root), place);
    const counter = await tokens.exact();
    const take = (files: LayerFiles): Promise<TakenOver> =>
      new TakingOver(this.parts, files, counter).run({ root, isDryRun, told });
    return isDryRun ? take(new StagedFiles(layerStore.files(place))) : layerStore.change(place, take);
  }

  /** Writes the summaries of archives that have none. */
  async summarize(projectId: string): Promise<string[]> {
    return this.work(projectId, async (files) => files.summarizeAll(this.parts.clock.now().toISOString()));
  }

  /** Brings the summaries of archives in line with what a model has noted of a session. */
  async retell({ projectId, sessionId }: SessionRef): Promise<void> {
    await this.work(projectId, (files) => files.retell(sessionId, this.parts.clock.now().toISOString()));
  }

  /** `memory-index.json`; writes nothing. */
  async index(projectId: string): Promise<RollingIndex> {
    const { layerStore, tokens, log } = this.parts;
    const files = layerStore.files(await this.layers.enabledPlace(projectId, 'read'));
    return (await RollingFiles.open(files, await tokens.exact(), { log, isLooking: true })).index;
  }

  /** A file of the memory as it is. */
  async get(projectId: string, name: string): Promise<string> {
    const text = await this.parts.layerStore.files(await this.layers.enabledPlace(projectId, 'read')).read(name);
    if (text === undefined) throw new LayersError('not-built', name);
    return text;
  }

  /** Replaces one of the files that are written as a whole. Without secrets and private passages. */
  async set(projectId: string, name: SetFile, text: string): Promise<void> {
    const place = await this.layers.enabledPlace(projectId);
    const whole = withoutSecrets(text).trimEnd();
    await this.parts.layerStore.change(place, async (files) => files.write(name, `${whole}\n`));
  }

  async list(projectId: string): Promise<RollingFile[]> {
    const files = this.parts.layerStore.files(await this.layers.enabledPlace(projectId, 'read'));
    const listed: RollingFile[] = [];
    for (const name of (await files.names('')).sort()) {
      const kind = kindOf(name);
      const stat = kind === undefined ? undefined : await files.stat(name);
      if (kind !== undefined && stat !== undefined) listed.push({ name, kind, bytes: stat.bytes });
    }
    return listed;
  }

  private async take(ref: SessionRef, files: RollingFiles, signal?: AbortSignal): Promise<number> {
    const { sources, tokens, clock } = this.parts;
    const source = await sources.locate(ref, signal);
    const read = await this.material.read(source.file.path, await tokens.exact(), signal);
    const whole = read.isLastOpen ? read.messages.slice(0, -1) : read.messages;
    const messages = after(await this.own(ref, whole), files.reached(ref.sessionId));
    const before = whole.slice(0, whole.length - messages.length);
    const last = messages.at(-1);
    if (last !== undefined) {
      const session = { sessionId: ref.sessionId, title: read.title, messages, before };
      const sections = conversationNotes(session);
      const nowIso = clock.now().toISOString();
      const origin: DigestOrigin = { sessionId: ref.sessionId, uuid: last.uuid, at: last.timestamp ?? nowIso };
      await files.append(digestText(sections, origin), origin, nowIso);
    }
    return messages.length;
  }

  /** Without the history that resuming or forking has copied from another session: it is in the layers of that one. */
  private async own(
    { projectId, sessionId }: SessionRef,
    messages: readonly SourceMessage[],
  ): Promise<SourceMessage[]> {
    const layer = await this.layers.layer(projectId, 'l1', sessionId);
    const [session] = layer.layer === 'l1' ? layer.sessions : [];
    if (session === undefined) return [...messages];
    const said = new Set(session.entries.map(({ uuid }) => uuid));
    const begin = messages.findIndex(({ texts }) => texts.some(({ recordUuid }) => said.has(recordUuid)));
    return begin === -1 ? [] : messages.slice(begin);
  }

  private async result(files: RollingFiles, newMessages: number): Promise<RollingResult> {
    const rotated = await files.rotate(this.parts.clock.now());
    const counter = await this.parts.tokens.exact();
    return {
      newMessages,
      counter: files.index.counter,
      rotated,
      memoryTokens: counter.count(await files.memory()),
    };
  }

  private async work<T>(projectId: string, work: (files: RollingFiles) => Promise<T>): Promise<T> {
    const { layerStore, tokens, log } = this.parts;
    const counter = await tokens.exact();
    return layerStore.change(await this.layers.enabledPlace(projectId), async (files) =>
      work(await RollingFiles.open(files, counter, { log })),
    );
  }
}

/** What was said after a message; after its time, where a rewind has taken the message away. */
function after(messages: readonly SourceMessage[], reached: { uuid: string; at: string } | undefined): SourceMessage[] {
  if (reached === undefined) return [...messages];
  const at = messages.findIndex(({ uuid }) => uuid === reached.uuid);
  if (at !== -1) return messages.slice(at + 1);
  return messages.filter(({ timestamp }) => timestamp !== undefined && timestamp > reached.at);
}

function kindOf(name: string): RollingFile['kind'] | undefined {
  if (name === MEMORY) return 'memory';
  if (SET_FILES.some((file) => file === name)) return 'set';
  if (/^memory_.*\.md$/.test(name)) return 'archive';
  return /^memory_.*\.summary\.json$/.test(name) ? 'summary' : undefined;
}

/** The files of a place with changes that are not made: what would be is read back, and nothing is written. */
class StagedFiles implements LayerFiles {
  /** Undefined for a file that would be gone. */
  private readonly changed = new Map<string, string | undefined>();

  constructor(private readonly files: LayerFiles) {}

  async read(name: string): Promise<string | undefined> {
    return this.changed.has(name) ? this.changed.get(name) : this.files.read(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.changed.set(name, text);
  }

  async names(folder: string): Promise<string[]> {
    const below = folder === '' ? '' : `${folder}/`;
    const names = new Set(await this.files.names(folder));
    for (const [name, text] of this.changed) {
      if (!name.startsWith(below)) continue;
      const [own = ''] = name.slice(below.length).split('/');
      if (text !== undefined) names.add(own);
      else if (name === below + own) names.delete(own);
    }
    return [...names];
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    if (!this.changed.has(name)) return this.files.stat(name);
    const text = this.changed.get(name);
    return text === undefined ? undefined : { bytes: new TextEncoder().encode(text).length, mtimeMs: 0 };
  }

  async setAside(name: string): Promise<string> {
    return `${name}.corrupt`;
  }

  async move(from: string, to: string): Promise<void> {
    this.changed.set(to, await this.read(from));
    this.changed.set(from, undefined);
  }

  async remove(name: string): Promise<void> {
    this.changed.set(name, undefined);
  }

  async foreign(): Promise<string[]> {
    return (await this.files.foreign()).filter((name) => !this.changed.has(name));
  }

  async readForeign(name: string): Promise<string | undefined> {
    return this.changed.has(name) ? undefined : this.files.readForeign(name);
  }

  async accept(name: string, text: string): Promise<boolean> {
    this.changed.set(name, text);
    return true;
  }

  async disown(name: string): Promise<void> {
    this.changed.delete(name);
  }
}
