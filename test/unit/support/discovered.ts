import type { DiscoveredProject, DiscoveredSession } from '../../../src/core/sessions/results';

/** A session as discovery would find it: not in memory, 40 days from being deleted. */
export function discoveredSession(fields: Partial<DiscoveredSession> = {}): DiscoveredSession {
  const sessionId = fields.sessionId ?? 'abc12345-0000-4000-8000-000000000000';
  return {
    projectId: '-home-dac-my-app',
    sessionId,
    file: `/home/dac/.claude/projects/-home-dac-my-app/${sessionId}.jsonl`,
    bytes: 1024,
    mtimeMs: Date.parse('2026-01-15T18:30:00Z'),
    firstTimestamp: '2026-01-15T10:00:00Z',
    lastTimestamp: '2026-01-15T18:30:00Z',
    messages: 450,
    tokens: { count: 100_234, kind: 'exact' },
    title: 'Fix the login loop',
    cwd: '/home/dac/my-app',
    subAgents: 0,
    registered: false,
    newMessages: 0,
    isOriginalGone: false,
    isLive: false,
    expiresInDays: 40,
    brokenLines: 0,
    markers: 0,
    ...fields,
  };
}

export function discoveredProject(
  sessions: readonly DiscoveredSession[],
  fields: Partial<DiscoveredProject> = {},
): DiscoveredProject {
  return {
    projectId: '-home-dac-my-app',
    originalPath: '/home/dac/my-app',
    displayName: 'my-app',
    sessions: [...sessions],
    ...fields,
  };
}
