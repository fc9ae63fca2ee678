import type { FoundRequest, HookFile, HookStore } from '../../../src/core/claude/hooks/hookStore';
import type { Taken } from '../../../src/core/model/host';
import type { HookActivity, NoteRequest } from '../../../src/core/model/hookActivity';
import type { FileNotes, PreparedBrief, ReminderIndex, SessionState } from '../../../src/core/model/preparedBrief';

/** What hooks keep, in memory: the texts of activity by `projectId/sessionId`. */
export class FakeHookStore implements HookStore {
  readonly texts = new Map<string, string>();
  readonly asked: FoundRequest[] = [];
  readonly briefs = new Map<string, PreparedBrief>();
  readonly files = new Map<string, FileNotes>();
  readonly indexes = new Map<string, ReminderIndex>();
  readonly states = new Map<string, SessionState>();
  /** By the project's path; each character is a byte. */
  readonly instructions = new Map<string, string>();
  readonly notes: NoteRequest[] = [];
  readonly ended: string[] = [];
  readonly awaited = new Set<string>();
  readonly givenTexts = new Map<string, string>();
  log: string[] = [];
  isLocked = false;
  readonly aging = new Set<string>();
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

  async takeWork(): Promise<Taken | undefined> {
    if (this.isLocked) return undefined;
    this.isLocked = true;
    return {
      release: async () => {
        this.isLocked = false;
      },
    };
  }

  async takeReading(): Promise<Taken | undefined> {
    return { release: async () => undefined };
  }

  async takeAging(projectId: string): Promise<Taken | undefined> {
    if (this.aging.has(projectId)) return undefined;
    this.aging.add(projectId);
    return {
      release: async () => {
        this.aging.delete(projectId);
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

  async saveBrief(projectId: string, brief: PreparedBrief): Promise<void> {
    this.briefs.set(projectId, brief);
  }

  async saveFileNotes(projectId: string, notes: FileNotes): Promise<void> {
    this.files.set(projectId, notes);
  }

  async saveReminders(projectId: string, index: ReminderIndex): Promise<void> {
    this.indexes.set(projectId, index);
  }

  async sessionStates(_projectId: string, most: number, sessionId?: string): Promise<SessionState[]> {
    return [...this.states.values()]
      .filter((one) => sessionId === undefined || one.sessionId === sessionId)
      .slice(0, most);
  }

  async saveSessionState(_projectId: string, state: SessionState): Promise<void> {
    this.states.set(state.sessionId, state);
  }

  async addNote(_projectId: string, note: NoteRequest): Promise<void> {
    this.notes.push(note);
  }

  async takeNotes(_projectId: string, work: (notes: readonly NoteRequest[]) => Promise<void>): Promise<void> {
    const taken = this.notes.splice(0);
    if (taken.length > 0) await work(taken);
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

  async contextTexts(_projectId: string, projectPath: string): Promise<{ file: string; text: string }[]> {
    const text = this.instructions.get(projectPath);
    return text === undefined ? [] : [{ file: `${projectPath}/CLAUDE.md`, text }];
  }

  async readInstructions(projectPath: string, name = 'CLAUDE.md'): Promise<string | undefined> {
    return this.instructions.get(keyOf(projectPath, name));
  }

  async writeInstructions(projectPath: string, bytes: string | undefined, name = 'CLAUDE.md'): Promise<void> {
    if (bytes === undefined) this.instructions.delete(keyOf(projectPath, name));
    else this.instructions.set(keyOf(projectPath, name), bytes);
  }
}

/** Where a file of instructions is; `CLAUDE.md` by its folder alone. */
function keyOf(projectPath: string, name: string): string {
  return name === 'CLAUDE.md' ? projectPath : `${projectPath}/${name}`;
}
