import type { MakeVersion } from './compositions/namedForm';
import type { BriefPreparerParts } from './claude/hooks/briefPreparer';
import type { MemoryPorts } from './memoryPorts';
import { eachOperation, type Operations } from './operations';
import type { Aging } from './versions/aging';
import { changeProjectSetting, readProjectSettings, withSetting } from './sessions/configSettings';
import { Links } from './sessions/links';
import { openSessions } from './sessions/openSessions';
import type { RegistrationService } from './sessions/registration';
import { measureMemory, TrashService } from './sessions/upkeep';

type Opened = ReturnType<typeof openParts>;

/** What does the work, by feature. */
type Parts = { readonly [F in keyof Opened]: Awaited<ReturnType<Opened[F]>> };

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

/** Opens the features over one host; reads nothing yet. A feature is loaded when it is first asked for something: most programs use few. */
export function openMemory(ports: MemoryPorts): MemoryService {
  const parts = new Map<string, () => Promise<readonly object[]>>(Object.entries(openParts(ports)));
  return eachOperation((feature, name) => async (...args: unknown[]) => {
    const part = (await parts.get(feature)?.())?.find((one) => typeof Reflect.get(one, name) === 'function');
    if (part === undefined) throw new Error(`This host has no ${feature}`);
    const method: unknown = Reflect.get(part, name);
    return Reflect.apply(method as (...args: unknown[]) => unknown, part, args);
  }) as MemoryService;
}

/** The features of memory. Those that are loaded on demand are made once. */
function openFeatures(ports: MemoryPorts) {
  const tables = once(async () => {
    const { SessionTables } = await import('./search/sessionTables');
    const { claude, store, searchFiles, meaning, log } = ports;
    return new SessionTables({ claude, store, searchFiles, meaning, log, sources: sessions.sources });
  });
  const sessions = openSessions(ports, async (sources, signal) => {
    if (sources.length > 0) await (await tables()).add(sources, signal);
  });
  const { registration } = sessions;
  const versions = once(async () => {
    const { openVersions } = await import('./versions/openVersions');
    const { summarizers } = await ports.models();
    return openVersions({ ...ports, ...sessions, summarizers });
  });
  const compositions = once(async () => {
    const { openCompositions } = await import('./compositions/openCompositions');
    const makeVersion: MakeVersion = async (ref, request, { isKept, onProgress }, signal) => {
      const { compressions } = await versions();
      return isKept
        ? compressions.compress(ref, request, onProgress, signal)
        : compressions.draft(ref, request, signal);
    };
    return openCompositions({ ...ports, makeVersion, takeIn: (refs, signal) => registration.takeIn(refs, signal) });
  });
  const knowledge = once(async () => {
    const { openKnowledge } = await import('./knowledge/openKnowledge');
    const { askers } = await ports.models();
    const base = { ...ports, ...sessions, ...(await versions()), askers };
    return { ...base, ...openKnowledge(base) };
  });
  const claude = once(async () => {
    const { openHooks } = await import('./claude/openHooks');
    const suggest: BriefPreparerParts['suggest'] = async (request, signal) => {
      return (await search()).suggest(request, signal);
    };
    return openHooks({ ...(await knowledge()), suggest });
  });
  const search = once(async () => {
    const [{ SearchService }, { KnownDocuments }] = await Promise.all([
      import('./search/searchService'),
      import('./knownDocuments'),
    ]);
    const known = { ...ports, tables: await tables(), knowledge, compositions };
    return new SearchService(known, new KnownDocuments(known));
  });
  const forgetting = once(async () => {
    const { Forgetting } = await import('./forgetting');
    const parts = { ...(await knowledge()), forgetting: await ports.forgetting() };
    return new Forgetting(parts);
  });
  return { sessions, tables, versions, compositions, knowledge, claude, search, forgetting };
}

function openParts(ports: MemoryPorts) {
  const { sessions, tables, versions, compositions, knowledge, claude, search, forgetting } = openFeatures(ports);
  const { discovery, sources, registration, views, documents, keepits, keepitReader } = sessions;
  return {
    sessions: async () => {
      const register = registering(ports, registration, async () => (await versions()).aging);
      return [register, discovery, sources, registration, views, documents] as const;
    },
    keepits: async () => [keepits, keepitReader],
    versions: async () => {
      const opened = await versions();
      return [opened.compressions, opened.versions, opened.aging];
    },
    compositions: async () => {
      const { saved, deliveries } = await compositions();
      return [saved, deliveries];
    },
    layers: async () => [(await knowledge()).layers, (await claude()).remembering],
    notebook: async () => [(await knowledge()).notebook],
    rolling: async () => [(await knowledge()).rolling],
    reading: async () => [(await knowledge()).reading],
    hooks: async () => (await claude()).hooks,
    promoting: async () => [(await claude()).promoting],
    search: once(async () => {
      const { FileHistory } = await import('./search/fileHistory');
      const parts = { ...ports, sources: sessions.sources, tables: await tables() };
      return [await search(), new FileHistory(parts)];
    }),
    links: async () => [new Links(ports)],
    trash: async () => [new TrashService(ports)],
    forgetting: async () => [await forgetting()],
    transfer: async () => (ports.transfer === undefined ? [] : [await ports.transfer()]),
    config: async () => [configOf(ports)],
    upkeep: once(async () => {
      const { examineMemory } = await import('./sessions/doctor');
      const { remembering } = await claude();
      const halfErased = async () => (await forgetting()).halfErased();
      const parts = { ...(await knowledge()), setup: await ports.setup?.(), searchIndex: await tables(), halfErased };
      /** Never throws for what it finds: that is in the checks. */
      const doctor = async (options?: { repair?: boolean }, signal?: AbortSignal) => {
        return [...(await examineMemory(parts, options, signal)), await remembering.check()];
      };
      const stats = (projectId?: string) => measureMemory(ports, projectId);
      return [{ doctor, stats, ledger: () => ports.ledger.entries() }];
    }),
    setup: async () => (ports.setup === undefined ? [] : [await ports.setup()]),
    tools: async () => (ports.tools === undefined ? [] : [ports.tools]),
  };
}

/** Registering, with the versions that the configuration wants of new sessions. */
function registering({ store, log }: MemoryPorts, registration: RegistrationService, aging: () => Promise<Aging>) {
  const register: RegistrationService['register'] = async (refs, onProgress, signal) => {
    const result = await registration.register(refs, onProgress, signal);
    if (!(await store.readConfig()).defaults.versionsOnRegister) return result;
    const isNew = new Set(result.registered.map(({ sessionId }) => sessionId));
    const fresh = refs.filter(({ sessionId }) => isNew.has(sessionId));
    const { failed } = await (await aging()).begin(fresh, onProgress, signal);
    for (const { sessionId, error } of failed) log.warn(`No version was made of ${sessionId}: ${error}`);
    return result;
  };
  return { register };
}

/** What makes something at the first call, and has it at each later one. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
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
