import { storedKeepits } from '../keepits/effectiveKeepits';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { MemoryStore } from '../model/memoryStore';
import type { SummaryCache } from './summaryCache';
import { calibrateFromCache } from './projectCalibration';
import type { MemoryStats } from './results';

/** How much is in memory, in one project or in all of them, and what it takes. */
export async function measureMemory(
  ports: { claude: ClaudeFolder; store: MemoryStore; cache: SummaryCache },
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
  for (const id of projectId === undefined ? await ports.store.listProjects() : [projectId]) {
    const manifest = await ports.store.readManifest(id);
    if (manifest === undefined) continue;
    const entries = Object.values(manifest.sessions);
    addProject(stats, manifest, entries);
    for (const { compressions } of entries) {
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
    stats.trash.bytes += sum(trashed, (item) => item.bytes);
  }
  if (stats.versionTokens > 0) stats.ratio = tokensBeforeCompression / stats.versionTokens;
  stats.savedTokens = Math.max(0, Math.round(tokensBeforeCompression - stats.versionTokens));
  return stats;
}

function addProject(stats: MemoryStats, manifest: ProjectManifest, entries: readonly SessionManifestEntry[]): void {
  const tokens = sum(entries, ({ originalTokens }) => originalTokens);
  const bytes = sum(entries, ({ kept }) => kept?.bytes ?? 0);
  if (entries.length > 0) stats.projects++;
  stats.sessions += entries.length;
  stats.versions += sum(entries, ({ compressions }) => compressions.length);
  stats.compositions += Object.keys(manifest.compositions).length;
  stats.keepits += sum(entries, (entry) => storedKeepits(entry).length);
  stats.originalTokens += tokens;
  stats.originalBytes += bytes;
  const { projectId, displayName } = manifest;
  stats.byProject.push({ projectId, displayName, sessions: entries.length, tokens, bytes });
}

/** Claude Code has deleted the transcript, and the store still has it. */
async function isSaved(claude: ClaudeFolder, { originalFile, kept }: SessionManifestEntry): Promise<boolean> {
  return kept !== undefined && (originalFile === '' || (await claude.stat(originalFile)) === undefined);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
