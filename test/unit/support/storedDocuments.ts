import type { CompressionRecord } from '../../../src/core/model/compression';
import type { KeepitMarker } from '../../../src/core/model/keepit';
import {
  createManifest,
  type NewProject,
  type ProjectManifest,
  type SessionManifestEntry,
} from '../../../src/core/model/manifest';

/** Documents of the store for tests: whole, valid, and believable. */

export const NOW = '2026-01-20T10:00:00.000Z';

export const newProject: NewProject = {
  projectId: '-home-dac-github-myapp',
  originalPath: '/home/dac/github/myapp',
  displayName: 'myapp',
};

export function someMarker(markerId = 'm1'): KeepitMarker {
  return {
    markerId,
    messageUuid: 'b1c2',
    weight: 0.8,
    content: 'Use UTC everywhere.',
    position: { start: 4, end: 40 },
    context: '…',
    createdAt: NOW,
    survivedIn: ['v001'],
    summarizedIn: [],
  };
}

export function someVersion(versionId = 'v001'): CompressionRecord {
  return {
    versionId,
    file: `${versionId}_tiered-standard_10k`,
    createdAt: NOW,
    settings: { mode: 'tiered', tierPreset: 'standard', model: 'opus', skipFirstMessages: 0, keepitMode: 'decay' },
    outputTokens: 10_234,
    outputMessages: 42,
    compressionRatio: 9.8,
    keepitStats: { preserved: 5, summarized: 2, weights: { '1.00': 2, '0.80': 2 } },
  };
}

export function someEntry(sessionId: string, more: Partial<SessionManifestEntry> = {}): SessionManifestEntry {
  return {
    sessionId,
    originalFile: `/home/dac/.claude/projects/-home-dac-github-myapp/${sessionId}.jsonl`,
    originalTokens: 100_000,
    originalMessages: 450,
    firstTimestamp: '2026-01-15T10:00:00Z',
    lastTimestamp: '2026-01-15T12:00:00Z',
    registeredAt: NOW,
    lastAccessed: NOW,
    metadata: { gitBranch: 'main' },
    keepitMarkers: [someMarker()],
    compressions: [someVersion()],
    ...more,
  };
}

export function someManifest(sessionIds: readonly string[]): ProjectManifest {
  const sessions = Object.fromEntries(sessionIds.map((sessionId) => [sessionId, someEntry(sessionId)]));
  return { ...createManifest(newProject, NOW), sessions };
}
