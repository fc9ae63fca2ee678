import { HooksService } from './claude/hooks/hooksService';
import { HookWork } from './claude/hooks/hookWork';
import { Remembering } from './claude/remembering';
import { openCompositions, type MakeVersion } from './compositions/openCompositions';
import { openKnowledge } from './knowledge/openKnowledge';
import { KnownDocuments } from './knownDocuments';
import type { MemoryPorts } from './memoryPorts';
import { eachOperation, type Operations } from './operations';
import { SearchService } from './search/searchService';
import { changeProjectSetting, readProjectSettings, withSetting } from './sessions/configSettings';
import { examineMemory } from './sessions/doctor';
import { openSessions } from './sessions/openSessions';
import { measureMemory } from './sessions/sessionViews';
import { TrashService } from './sessions/trashService';
import { openVersions } from './versions/openVersions';

/** What does the work, by feature. */
type Parts = ReturnType<typeof openParts>;

type MethodOf<Part, Name extends PropertyKey> = Part extends { readonly [K in Name]: infer Method } ? Method : never;

/**
 * What every host calls (seed 000, 1.3): the operations, by feature and name. Expected failures are `KeepitError`s; an abort rejects
 * with the signal's reason and leaves whole what was done until then. Below Claude Code's folder nothing is written.
 */
export type MemoryService = {
  readonly [F in keyof Operations]: {
    readonly [Name in keyof Operations[F]]: MethodOf<Parts[F][number], Name>;
  };
};

/** Opens the features over one host; reads nothing yet. */
export function openMemory(ports: MemoryPorts): MemoryService {
  const parts = new Map<string, readonly object[]>(Object.entries(openParts(ports)));
  return eachOperation((feature, name) => methodOf(parts.get(feature) ?? [], name)) as MemoryService;
}

function methodOf(parts: readonly object[], name: string): ((...args: unknown[]) => unknown) | undefined {
  for (const part of parts) {
    const method: unknown = Reflect.get(part, name);
    if (typeof method === 'function') return (...args) => Reflect.apply(method, part, args) as unknown;
  }
  return undefined; // a host that sets nothing up in Claude Code has no such part
}

function openParts(ports: MemoryPorts) {
  const sessions = openSessions(ports);
  const { discovery, sources, registration, views, documents, keepits, keepitReader } = sessions;
  const { compression, compressions, versions } = openVersions({ ...ports, ...sessions });
  const makeVersion: MakeVersion = (ref, request, { isKept, onProgress }, signal) =>
    isKept ? compressions.compress(ref, request, onProgress, signal) : compressions.draft(ref, request, signal);
  const compositions = openCompositions({
    ...ports,
    makeVersion,
    takeIn: (refs, signal) => registration.takeIn(refs, signal),
  });
  const base = { ...ports, ...sessions, compression };
  const knowledge = openKnowledge(base);
  const { layers, notebook, rolling, refinement, foreignIn } = knowledge;
  const known = { ...base, ...knowledge, compositions };
  const hookWork = new HookWork(known);
  const { store, hookStore } = ports;
  const remembering = new Remembering({ store, hookStore, layers, registration, hookWork });
  return {
    sessions: [discovery, sources, registration, views, documents],
    keepits: [keepits, keepitReader],
    versions: [compressions, versions],
    compositions: [compositions.saved, compositions.deliveries],
    layers: [layers, remembering],
    notebook: [notebook],
    rolling: [rolling],
    refinement: [refinement],
    hooks: [new HooksService(ports.hookStore, hookWork)],
    search: [new SearchService(base, new KnownDocuments(known))],
    trash: [new TrashService(ports)],
    config: [configOf(ports)],
    upkeep: [upkeepOf({ ...base, foreignIn }, () => remembering.check())],
    setup: ports.setup === undefined ? [] : [ports.setup],
    tools: ports.tools === undefined ? [] : [ports.tools],
  };
}

function configOf({ store }: Pick<MemoryPorts, 'store'>) {
  return {
    read: () => store.readConfig(),
    /** Changes one setting, by its dotted key. Throws `ConfigError` with what is allowed. */
    set: (key: string, value: string) => store.updateConfig((config) => withSetting(config, key, value)),
    /** What a project decides for itself. Throws `StoreError` for one that has nothing in memory. */
    project: (projectId: string) => readProjectSettings(store, projectId),
    /** As `set`, for a project's own settings, whose keys begin with `project.`. */
    setProject: (projectId: string, key: string, value: string) =>
      changeProjectSetting(store, projectId, { key, value }),
  };
}

function upkeepOf(
  parts: Parameters<typeof examineMemory>[0] & Pick<MemoryPorts, 'ledger'>,
  checkHooks: Remembering['check'],
) {
  return {
    stats: (projectId?: string) => measureMemory(parts, projectId),
    /** Never throws for what it finds: that is in the checks. */
    doctor: async (options?: { repair?: boolean }, signal?: AbortSignal) => [
      ...(await examineMemory(parts, options, signal)),
      await checkHooks(),
    ],
    /** Every call of a model that is known of, oldest first, with what it cost. */
    ledger: () => parts.ledger.entries(),
  };
}
