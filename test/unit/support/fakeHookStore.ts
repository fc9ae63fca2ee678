import type { FoundRequest, HookFile, HookStore } from '../../../src/core/claude/hooks/hookStore';
import type { HookActivity } from '../../../src/core/model/hookActivity';
import type { HookCard, KeptSession, ReminderIndex } from '../../../src/core/model/hookCard';

/** What hooks keep, in memory: the texts of activity by `projectId/sessionId`. */
export class FakeHookStore implements HookStore {
  readonly texts = new Map<string, string>();
  readonly asked: FoundRequest[] = [];
  readonly cards = new Map<string, HookCard>();
  readonly indexes = new Map<string, ReminderIndex>();
  readonly kept = new Map<string, KeptSession>();
  /** By the project's path; each character is a byte. */
  readonly instructions = new Map<string, string>();
  readonly ended: string[] = [];
  readonly awaited = new Set<string>();
  readonly givenTexts = new Map<string, string>();
  log: string[] = [];
  isLocked = false;
  slept = 0;

  async projectIds(): Promise<string[]> {
    return [...new Set([...this.texts.keys()].map((key) => key.slice(0, key.indexOf('/'))))].sort();
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

  async given(_projectId: string, sessionId: string): Promise<string | undefined> {
    return this.givenTexts.get(sessionId);
  }

  async addActivity(projectId: string, sessionId: string, activity: HookActivity): Promise<void> {
    const key = `${projectId}/${sessionId}`;
    this.texts.set(key, `${this.texts.get(key) ?? ''}${JSON.stringify(activity)}\n`);
  }

  async logLines(count: number): Promise<string[]> {
    return this.log.slice(-count);
  }

  async addLogLine(problem: string): Promise<void> {
    this.log.push(problem);
  }

  async takeWork(): Promise<{ release(): Promise<void> } | undefined> {
    if (this.isLocked) return undefined;
    this.isLocked = true;
    return {
      release: async () => {
        this.isLocked = false;
      },
    };
  }

  async sleep(ms: number): Promise<void> {
    this.slept += ms;
  }

  async requests(): Promise<FoundRequest[]> {
    return [...this.asked];
  }

  async finish(_projectId: string, request: FoundRequest): Promise<void> {
    this.asked.splice(0, this.asked.length, ...this.asked.filter((one) => one.mark !== request.mark));
  }

  async postpone(_projectId: string, request: FoundRequest): Promise<void> {
    const at = this.asked.findIndex((one) => one.mark === request.mark);
    if (at >= 0) this.asked[at] = { ...request, failures: (request.failures ?? 0) + 1, mark: `${request.mark}+` };
  }

  async card(projectId: string): Promise<HookCard | undefined> {
    return this.cards.get(projectId);
  }

  async saveCard(projectId: string, card: HookCard): Promise<void> {
    this.cards.set(projectId, card);
  }

  async saveReminders(projectId: string, index: ReminderIndex): Promise<void> {
    this.indexes.set(projectId, index);
  }

  async keptSessions(_projectId: string, most: number, sessionId?: string): Promise<KeptSession[]> {
    return [...this.kept.values()]
      .filter((one) => sessionId === undefined || one.sessionId === sessionId)
      .slice(0, most);
  }

  async saveKept(_projectId: string, kept: KeptSession): Promise<void> {
    this.kept.set(kept.sessionId, kept);
  }

  async expect(_projectId: string, sessionId: string): Promise<void> {
    this.awaited.add(sessionId);
  }

  async expected(): Promise<string[]> {
    return [...this.awaited];
  }

  async endExpecting(_projectId: string, sessionId: string): Promise<void> {
    this.awaited.delete(sessionId);
  }

  async endSession(_projectId: string, sessionId: string): Promise<void> {
    this.ended.push(sessionId);
  }

  async sweep(): Promise<void> {
    // Nothing here grows old.
  }

  async stamps(_projectId: string, files: readonly string[]): Promise<Record<string, string>> {
    return Object.fromEntries(files.map((file) => [file, '1 1']));
  }

  async readInstructions(projectPath: string): Promise<string | undefined> {
    return this.instructions.get(projectPath);
  }

  async writeInstructions(projectPath: string, bytes: string | undefined): Promise<void> {
    if (bytes === undefined) this.instructions.delete(projectPath);
    else this.instructions.set(projectPath, bytes);
  }
}
