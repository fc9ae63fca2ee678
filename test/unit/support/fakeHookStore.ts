import type { HookFile, HookStore } from '../../../src/core/hooks/hookStore';

/** What hooks left, in memory: the texts of activity by `projectId/sessionId`. */
export class FakeHookStore implements HookStore {
  readonly texts = new Map<string, string>();
  readonly logFile = '/memory/logs/hooks.log';
  log: string[] = [];

  async projectIds(): Promise<string[]> {
    return [...new Set([...this.texts.keys()].map((key) => key.slice(0, key.indexOf('/'))))].sort();
  }

  activityFolder(projectId: string): string {
    return `/memory/projects/${projectId}/activity`;
  }

  async activityFiles(projectId: string): Promise<Map<string, HookFile>> {
    const own = [...this.texts].filter(([key]) => key.startsWith(`${projectId}/`));
    return new Map(
      own.map(([key, text]) => [
        key.slice(projectId.length + 1),
        { path: `/memory/${key}`, bytes: text.length, mtimeMs: 0 },
      ]),
    );
  }

  async activity(projectId: string, sessionId: string): Promise<string | undefined> {
    return this.texts.get(`${projectId}/${sessionId}`);
  }

  async logLines(count: number): Promise<string[]> {
    return this.log.slice(-count);
  }
}
