import { storedKeepits } from '../keepits/effectiveKeepits';
import type { CompressionRecord } from '../model/compression';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { calibrateFromCache } from './discoveredSession';
import type { MemoryStats } from './results';
import type { StatsCache } from './statsCache';
import { type Clock, manifestsIn, type MemoryStore, type TrashItem } from '../model/host';
import { sumOf } from '../text/ownValue';

/** What waits in the trash of one project. */
export interface ProjectTrash {
  readonly projectId: string;
  /** The oldest first. */
  readonly items: readonly TrashItem[];
  readonly bytes: number;
}

/** What was taken out of memory and can still be brought back, and its end. */
export class TrashService {
  constructor(private readonly parts: { readonly store: MemoryStore; readonly clock: Clock }) {}

  /** Of all projects, or of one; those whose trash is empty are left out. */
  async list(projectId?: string): Promise<ProjectTrash[]> {
    const { store } = this.parts;
    const found: ProjectTrash[] = [];
    for (const id of projectId === undefined ? await store.listProjects() : [projectId])
      found.push(trashOf(id, await store.trashed(id)));
    return found.filter(({ items }) => items.length > 0);
  }

  /** Deletes for good what was discarded so many days ago or longer, everything when `days` is absent; tells what that was. Nothing brings it back. */
  async empty(projectId?: string, days = 0): Promise<ProjectTrash[]> {
    const { store, clock } = this.parts;
    const before = daysBefore(clock.now(), days);
    const emptied: ProjectTrash[] = [];
    for (const { projectId: id } of await this.list(projectId)) {
      emptied.push(trashOf(id, await store.emptyTrash(id, before)));
    }
    return emptied.filter(({ items }) => items.length > 0);
  }
}

/** How much there is, over all projects. */
export function trashTotals(trash: readonly ProjectTrash[]): { items: number; bytes: number } {
  return {
    items: sumOf(trash, ({ items }) => items.length),
    bytes: sumOf(trash, ({ bytes }) => bytes),
  };
}

function trashOf(projectId: string, items: readonly TrashItem[]): ProjectTrash {
  return { projectId, items, bytes: sumOf(items, ({ bytes }) => bytes) };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The ISO time so many days before `now`; the beginning of time as computers have it where that is longer ago. */
export function daysBefore(now: Date, days: number): string {
  return new Date(Math.max(0, now.getTime() - days * DAY_MS)).toISOString();
}

/** How much is in memory, in one project or in all of them, and what it takes. */
export async function measureMemory(
  ports: { claude: ClaudeFolder; store: MemoryStore; cache: StatsCache },
  projectId?: string,
): Promise<MemoryStats> {
  const stats: MemoryStats = {
    projects: 0,
    sessions: 0,
    versions: 0,
    compositions: 0,
    keepits: 0,
    originalTokens: 0,
    originalBytes: 0,
    versionTokens: 0,
    ratio: 1,
    savedTokens: 0,
    storeBytes: 0,
    linkedBytes: 0,
    trash: { items: 0, bytes: 0 },
    savedSessions: 0,
    calibration: await calibrateFromCache(ports, projectId),
    byProject: [],
  };
  let tokensBeforeCompression = 0;
  for (const manifest of await manifestsIn(ports.store, projectId)) {
    const { projectId: id } = manifest;
    const entries = Object.values(manifest.sessions);
    addProject(stats, manifest, entries);
    for (const { compressions } of entries) {
      stats.savedTokens += savedBy(compressions);
      for (const { outputTokens, compressionRatio } of compressions) {
        stats.versionTokens += outputTokens;
        tokensBeforeCompression += outputTokens * compressionRatio;
      }
    }
    for (const entry of entries) if (await isSaved(ports.claude, entry)) stats.savedSessions++;
    const { bytes, linkedBytes } = await ports.store.measure(id);
    stats.storeBytes += bytes;
    stats.linkedBytes += linkedBytes;
    const trashed = await ports.store.trashed(id);
    stats.trash.items += trashed.length;
    stats.trash.bytes += sumOf(trashed, (item) => item.bytes);
  }
  if (stats.versionTokens > 0) stats.ratio = tokensBeforeCompression / stats.versionTokens;
  return stats;
}

/** What the smallest versions of a session leave out, of the whole or of all its parts: other versions leave out the same. */
function savedBy(compressions: readonly CompressionRecord[]): number {
  const best = new Map<number | undefined, number>();
  for (const { partNumber, outputTokens, compressionRatio } of compressions) {
    const saved = Math.round(outputTokens * (compressionRatio - 1));
    best.set(partNumber, Math.max(saved, best.get(partNumber) ?? 0));
  }
  const whole = best.get(undefined) ?? 0;
  return Math.max(whole, sumOf([...best.values()], (saved) => saved) - whole);
}

function addProject(stats: MemoryStats, manifest: ProjectManifest, entries: readonly SessionManifestEntry[]): void {
  const tokens = sumOf(entries, ({ originalTokens }) => originalTokens);
  const bytes = sumOf(entries, ({ kept }) => kept?.bytes ?? 0);
  if (entries.length > 0) stats.projects++;
  stats.sessions += entries.length;
  stats.versions += sumOf(entries, ({ compressions }) => compressions.length);
  stats.compositions += Object.keys(manifest.compositions).length;
  stats.keepits += sumOf(entries, (entry) => storedKeepits(entry).length);
  stats.originalTokens += tokens;
  stats.originalBytes += bytes;
  const { projectId, displayName } = manifest;
  stats.byProject.push({ projectId, displayName, sessions: entries.length, tokens, bytes });
}

/** Claude Code has deleted the transcript, and the store still has it. */
async function isSaved(claude: ClaudeFolder, { originalFile, kept }: SessionManifestEntry): Promise<boolean> {
  return kept !== undefined && (originalFile === '' || (await claude.stat(originalFile)) === undefined);
}
