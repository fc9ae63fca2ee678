import type { AutoDecayConfig } from '../model/config';
import type { Aggressiveness, CompressionRecord } from '../model/compression';
import type { HookActivity } from '../model/hookActivity';
import type { Clock, Taken, MemoryStore } from '../model/host';
import { settingsOf, type SessionManifestEntry } from '../model/manifest';
import type { OnProgress, SessionRef } from '../sessions/results';
import { ownValue } from '../text/ownValue';
import { timeOf } from '../text/formats';
import { errorText, isAbortError, KeepitError } from '../text/keepitError';
import type { CompressionService } from './compressionService';
import type { VersionService } from './versionService';

export interface AgingParts {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly compressions: Pick<CompressionService, 'compress'>;
  readonly versions: Pick<VersionService, 'delete' | 'previewDelete'>;
  readonly hookStore: {
    takeAging(projectId: string): Promise<Taken | undefined>;
    /** Where people see what was done by itself. */
    addActivity(projectId: string, sessionId: string, activity: HookActivity): Promise<void>;
  };
}

interface AgedVersion extends SessionRef {
  readonly versionId: string;
}

/** What became of versions as their sessions aged. */
export interface Aged {
  /** Made, or to be made: then without an id. */
  readonly created: (SessionRef & { readonly preset: string; readonly versionId?: string })[];
  readonly pruned: AgedVersion[];
  /** Old enough to go, and why they stay. */
  readonly kept: (AgedVersion & { readonly reason: string })[];
  readonly failed: (SessionRef & { readonly error: string })[];
  /** Where what was pruned waits. */
  readonly trashed: (SessionRef & { readonly trash: string })[];
  /** Others are at it, or the time was up: the rest is done the next time. */
  isUnfinished: boolean;
  /** Asked for where it is switched off: nothing was done there. */
  isOff?: boolean;
}

/** One time of looking after versions. */
interface Round {
  readonly aged: Aged;
  readonly isDryRun: boolean;
  /** Nothing is begun any more after this. */
  readonly until: number;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PruneRequest {
  /** Only versions that no composition has ever used. */
  readonly isUnused?: boolean;
  /** Only versions that were neither made nor used for so many days. */
  readonly olderThanDays?: number | undefined;
  readonly isDryRun?: boolean | undefined;
  /** Not those that came with the age of sessions: they would only come again. */
  readonly isByHand?: boolean | undefined;
  /** Not those that somebody brought back: nobody asks now. */
  readonly isStanding?: boolean | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const SCHEDULE_MS = { daily: DAY_MS, weekly: 7 * DAY_MS, 'on-access': 0 } as const;
/** A hook's work goes on unseen; a laptop may be shut. */
const BUDGET_MS = 2 * 60 * 1000;

/** Lets versions age with their sessions (seed 000, 7.3), and clears up those that nobody needs (5.5). All of it can be brought back. */
export class Aging {
  constructor(private readonly parts: AgingParts) {}

  /**
   * Makes the versions that sessions of this age are to have, and prunes those that came between; of one project, or of all. A dry run
   * tells what would be done, also where it is off. Asks no model.
   */
  async autoDecay(
    projectId: string | undefined,
    { isDryRun = false }: { isDryRun?: boolean } = {},
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<Aged> {
    const aged = nothingAged();
    for (const id of await this.projects(projectId)) {
      const rules = await this.rules(id);
      const round: Round = { aged, isDryRun, until: Infinity, onProgress, signal };
      if (isDryRun) await this.age(id, rules, round);
      else if (rules.enabled) await this.once(id, aged, () => this.age(id, rules, round));
      else aged.isOff = true;
    }
    return aged;
  }

  /** Where the configuration wants that, a version of the usual level for each of these sessions that has none (seed 001). */
  async begin(refs: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<Aged> {
    const { store } = this.parts;
    const aged = nothingAged();
    if (!(await store.readConfig()).defaults.versionsOnRegister) return aged;
    for (const ref of refs) {
      const entry = ownValue((await store.readManifest(ref.projectId))?.sessions, ref.sessionId);
      if (entry?.compressions.length === 0 && entry.originalMessages > 0)
        await this.create(ref, undefined, { aged, isDryRun: false, until: Infinity, onProgress, signal });
    }
    return aged;
  }

  /** What is due in a project by its schedule, for hosts that call this as often as they like. */
  async tend(projectId: string, signal?: AbortSignal): Promise<Aged> {
    const { store, clock } = this.parts;
    const aged = nothingAged();
    const rules = await this.rules(projectId);
    const retention = retentionOf((await store.readConfig()).storage.compressionRetention);
    if (!rules.enabled && retention === undefined) return aged;
    const lastRun = timeOf((await store.readManifest(projectId))?.aging?.lastRunAt) ?? 0;
    if (clock.now().getTime() - lastRun < SCHEDULE_MS[rules.schedule]) return aged;
    return this.once(projectId, aged, async () => {
      const until = clock.now().getTime() + BUDGET_MS;
      const round: Round = { aged, isDryRun: false, until, signal };
      if (rules.enabled) await this.age(projectId, rules, round);
      if (retention !== undefined) await this.clearUp(projectId, { ...retention, isByHand: rules.enabled }, round);
    });
  }

  /** Moves versions to the trash that fit the request; without one, those that `storage.compressionRetention` does not keep. */
  async prune(projectId: string | undefined, request: PruneRequest = {}): Promise<Aged> {
    const { isUnused, olderThanDays, isDryRun = false } = request;
    const isAsked = isUnused === true || olderThanDays !== undefined;
    const config = await this.parts.store.readConfig();
    const wanted = isAsked ? request : retentionOf(config.storage.compressionRetention);
    const aged = nothingAged();
    if (wanted === undefined) return aged;
    for (const id of await this.projects(projectId))
      await this.clearUp(id, wanted, { aged, isDryRun, until: Infinity });
    return aged;
  }

  private async projects(projectId: string | undefined): Promise<string[]> {
    return projectId === undefined ? this.parts.store.listProjects() : [projectId];
  }

  private async rules(projectId: string): Promise<AutoDecayConfig> {
    const { store } = this.parts;
    return settingsOf(await store.readManifest(projectId), await store.readConfig()).autoDecay;
  }

  /** One process at a time; the next one goes on where one was killed. */
  private async once(projectId: string, aged: Aged, work: () => Promise<void>): Promise<Aged> {
    const { clock, hookStore } = this.parts;
    const startedMs = clock.now().getTime();
    const [created, pruned] = [aged.created.length, aged.pruned.length];
    const lock = await hookStore.takeAging(projectId);
    if (lock === undefined) {
      aged.isUnfinished = true;
      return aged;
    }
    try {
      await work();
      if (!aged.isUnfinished) await this.noteRun(projectId);
    } finally {
      // What was done stands, whether it can be told or not.
      const [made, gone] = [aged.created.slice(created), aged.pruned.slice(pruned)];
      await this.tell(projectId, startedMs, made, gone).catch(() => undefined);
      await lock.release();
    }
    return aged;
  }

  /** A line in the activity of the project's newest session. */
  private async tell(projectId: string, startedMs: number, made: Aged['created'], gone: Aged['pruned']): Promise<void> {
    const { store, clock, hookStore } = this.parts;
    if (made.length + gone.length === 0) return;
    const sessions = Object.values((await store.readManifest(projectId))?.sessions ?? {});
    const times = sessions.map(({ sessionId, lastTimestamp }) => ({ sessionId, time: timeOf(lastTimestamp) ?? 0 }));
    const newest = times.sort((a, b) => b.time - a.time)[0];
    if (newest === undefined) return;
    const note = `as sessions aged: ${made.length} versions made, ${gone.length} moved to the trash`;
    const [at, tookMs] = [new Date(startedMs).toISOString(), clock.now().getTime() - startedMs];
    await hookStore.addActivity(projectId, newest.sessionId, { at, tookMs, event: 'Aging', note });
  }

  private async noteRun(projectId: string): Promise<void> {
    const { store, clock } = this.parts;
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined) return;
    const lastRunAt = clock.now().toISOString();
    await store.updateManifest(manifest, (current) => ({ ...current, aging: { ...current.aging, lastRunAt } }));
  }

  private async age(projectId: string, { rules }: AutoDecayConfig, round: Round): Promise<void> {
    const { clock } = this.parts;
    const nowMs = clock.now().getTime();
    const manifest = await this.parts.store.readManifest(projectId);
    for (const entry of Object.values(manifest?.sessions ?? {})) {
      const days = (nowMs - (timeOf(entry.lastTimestamp) ?? nowMs)) / DAY_MS;
      const ref = { projectId, sessionId: entry.sessionId };
      const preset = days >= rules.aggressiveAfterDays ? rules.aggressivePreset : rules.createPreset;
      const isThere = entry.compressions.some((version) => isOf(version, preset) && isWhole(version, entry));
      if (!isThere && days >= Math.min(rules.createAfterDays, rules.aggressiveAfterDays)) {
        if (clock.now().getTime() >= round.until) {
          round.aged.isUnfinished = true;
          return;
        }
        if (!(await this.create(ref, preset, round))) continue;
      }
      if (days >= Math.max(rules.pruneIntermediateAfterDays, rules.aggressiveAfterDays))
        await this.pruneBetween(entry, ref, rules.aggressivePreset, round);
    }
  }

  /** What somebody asked for stays, until they let it go themselves. */
  private async pruneBetween(
    { compressions }: SessionManifestEntry,
    ref: SessionRef,
    last: Preset,
    round: Round,
  ): Promise<void> {
    const between = compressions.filter((version) => !isOf(version, last));
    const own = between.filter(({ isAutomatic = false, isRestored = false }) => isAutomatic && !isRestored);
    for (const version of between.filter((one) => !own.includes(one))) {
      const reason = version.isAutomatic === true ? 'somebody brought it back' : 'somebody made it';
      round.aged.kept.push({ ...ref, versionId: version.versionId, reason });
    }
    await this.discard(ref, own, round);
  }

  /** Whether it is there now, or would be. */
  private async create(
    ref: SessionRef,
    tierPreset: Preset | undefined,
    { aged, isDryRun, onProgress, signal }: Round,
  ): Promise<boolean> {
    if (isDryRun) {
      aged.created.push({ ...ref, preset: tierPreset ?? '' });
      return true;
    }
    try {
      const request = { tierPreset, isLevel: true, isAutomatic: true };
      const { version } = await this.parts.compressions.compress(ref, request, onProgress, signal);
      aged.created.push({ ...ref, preset: tierPreset ?? '', versionId: version.versionId });
      return true;
    } catch (error) {
      if (isAbortError(error) || !(error instanceof KeepitError)) throw error;
      aged.failed.push({ ...ref, error: errorText(error) }); // the others are done all the same
      return false;
    }
  }

  private async clearUp(projectId: string, request: PruneRequest, round: Round): Promise<void> {
    const { store, clock } = this.parts;
    const { isUnused = false, olderThanDays = 0, isByHand = false, isStanding = false } = request;
    const before = clock.now().getTime() - olderThanDays * DAY_MS;
    const manifest = await store.readManifest(projectId);
    for (const entry of Object.values(manifest?.sessions ?? {})) {
      const ref = { projectId, sessionId: entry.sessionId };
      const old = entry.compressions.filter(
        ({ createdAt, lastUsed, isAutomatic = false, isRestored = false }) =>
          (timeOf(lastUsed ?? createdAt) ?? 0) <= before &&
          !(isUnused && lastUsed !== undefined) &&
          !(isByHand && isAutomatic) &&
          !(isStanding && isRestored),
      );
      if (old.length > 0) await this.discard(ref, old, round);
    }
  }

  /** To the trash, but for what compositions use, and the last form of a session that nothing else is left of. */
  private async discard(
    ref: SessionRef,
    versions: readonly CompressionRecord[],
    { aged, isDryRun }: Round,
  ): Promise<void> {
    const { store } = this.parts;
    const entry = ownValue((await store.readManifest(ref.projectId))?.sessions, ref.sessionId);
    const isOriginalThere = (await store.sessions.path(ref.projectId, ref.sessionId)) !== undefined;
    const last = isOriginalThere ? undefined : entry?.compressions.at(-1)?.versionId;
    const ids = versions.map(({ versionId }) => versionId).filter((versionId) => versionId !== last);
    if (ids.length < versions.length && last !== undefined)
      aged.kept.push({ ...ref, versionId: last, reason: 'it is all that is left of the session' });
    if (ids.length === 0) return;
    const { deleted, refused, trash } = isDryRun
      ? await this.parts.versions.previewDelete(ref, ids)
      : await this.parts.versions.delete(ref, ids);
    aged.pruned.push(...deleted.map((versionId) => ({ ...ref, versionId })));
    for (const { versionId, usedIn } of refused)
      aged.kept.push({ ...ref, versionId, reason: `used in ${usedIn.join(', ')}` });
    if (trash !== undefined) aged.trashed.push({ ...ref, trash });
  }
}

function nothingAged(): Aged {
  return { created: [], pruned: [], kept: [], failed: [], trashed: [], isUnfinished: false };
}

type Preset = AutoDecayConfig['rules']['createPreset'];

const LEVELS: Readonly<Record<Preset, Aggressiveness>> = {
  gentle: 'minimal',
  standard: 'moderate',
  aggressive: 'aggressive',
};

/** A version of the same strength does as well, whoever made it. */
function isOf({ settings }: CompressionRecord, preset: Preset): boolean {
  return settings.tierPreset === preset || settings.aggressiveness === LEVELS[preset];
}

/** Whether it is of the whole session as it is now. */
function isWhole({ partNumber, messageRange }: CompressionRecord, { originalMessages }: SessionManifestEntry): boolean {
  return partNumber === undefined && (messageRange === undefined || messageRange[1] + 1 >= originalMessages);
}

/** What the setting lets go: `all` keeps everything, `used` what compositions have used, a number what is younger than so many days. */
function retentionOf(setting: string): PruneRequest | undefined {
  if (setting === 'used') return { isUnused: true, isStanding: true };
  return /^\d+$/.test(setting) ? { olderThanDays: Number(setting), isStanding: true } : undefined;
}
