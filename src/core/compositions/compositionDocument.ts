import type { StoredComposition } from './compositions';

/** A composition as scripts get it. */
export function compositionDocument({ projectId, record, files, freshness }: StoredComposition): object {
  const { components } = record;
  const allocations = components.map(({ sessionId, versionId, allocation, tokenContribution }) => ({
    sessionId,
    versionId,
    allocation,
    tokens: tokenContribution,
  }));
  return { projectId, ...record, files, allocations, omitted: record.omitted ?? [], freshness };
}
