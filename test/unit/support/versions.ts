import type { ListedVersion, VersionListing } from '../../../src/core/versions/versionEntries';

/** Seed 000, 3.4: the second of its versions, as this product records it. */
export function listedVersion(fields: Partial<ListedVersion> = {}): ListedVersion {
  return {
    versionId: 'v002',
    file: 'v002_uniform-aggressive_3k',
    createdAt: '2026-01-20T14:00:00Z',
    settings: {
      mode: 'uniform',
      compactionRatio: 30,
      aggressiveness: 'aggressive',
      model: 'local',
      skipFirstMessages: 0,
      keepitMode: 'decay',
      sessionDistance: 5,
    },
    outputTokens: 3012,
    outputMessages: 15,
    compressionRatio: 33.2,
    keepitStats: { preserved: 2, summarized: 5, weights: { '1.00': 2, '0.50': 0 } },
    messageRange: [0, 449],
    inputTokens: 100_234,
    fidelity: {
      score: 0.812,
      keepits: 1,
      instructions: 0.9,
      artifacts: 0.7,
      decisions: 0.8,
      paths: 0.75,
      commands: 0.5,
      errors: 0.999,
      identifiers: 0.4,
    },
    receipt: [
      { markerId: 'm1', weight: 0.5, threshold: 0.65, kept: false, reason: '0.50 < 0.65' },
      { markerId: 'm2', weight: 0.8, threshold: 0.65, kept: true, reason: '0.80 ≥ 0.65' },
    ],
    provider: 'local',
    engine: 'local 1',
    cost: { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 },
    usedIn: [],
    ...fields,
  };
}

/** A session of 450 messages. */
export function versionListing(fields: Partial<VersionListing> = {}): VersionListing {
  return {
    original: { tokens: 100_234, messages: 450 },
    versions: [],
    parts: [],
    delta: { newMessages: 450, newTokens: 100_234, nextPart: 1, messageRange: [0, 449] },
    ...fields,
  };
}
