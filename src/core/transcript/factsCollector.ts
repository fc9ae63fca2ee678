import { withoutSecrets } from '../text/secrets/cleanText';
import type { AssistantEntry, BoundaryEntry, Entry, RecordBase } from './entry';
import { uuidOf } from './entryReader';
import type { Compaction, SessionFacts } from './types';
import { UsageSum } from './usageSum';

const MAX_DISTINCT = 1000;

/** Collects what a transcript tells about its session, over all lines that were read. */
export class FactsCollector {
  private readonly sessionIds = new Set<string>();
  private sessionId: string | undefined;
  private readonly cwds = new Map<string, number>();
  private firstCwd: string | undefined;
  private gitBranch: string | undefined;
  private writtenBranch: string | undefined;
  private readonly versions = new Set<string>();
  private readonly models = new Map<string, number>();
  private first: string | undefined;
  private last: string | undefined;
  private readonly usage = new UsageSum();
  private readonly compactions: Compaction[] = [];
  private agentId: string | undefined;
  private mainLines = 0;
  private sidechainLines = 0;

  /** Whether every message line belongs to a sub-agent: the file is an agent's, not a session's. */
  get isAgentFile(): boolean {
    return this.mainLines === 0 && this.sidechainLines > 0;
  }

  /** Takes an entry that is no duplicate. */
  add(entry: Entry): void {
    this.addPlace(entry.base);
    this.addTime(entry.base);
    if (entry.kind === 'assistant') this.addAnswer(entry);
    else if (entry.kind === 'boundary') this.compactions.push(compactionOf(entry));
    if (entry.kind !== 'assistant' && entry.kind !== 'human' && entry.kind !== 'toolResult') return;
    if (!entry.base.isSidechain) this.mainLines++;
    else {
      this.sidechainLines++;
      this.agentId ??= entry.base.agentId;
    }
  }

  facts(): SessionFacts {
    const { firstCwd, gitBranch, agentId, first, last } = this;
    const commonCwd = [...this.cwds].reduce<[string, number] | undefined>(
      (best, next) => (best === undefined || next[1] > best[1] ? next : best),
      undefined,
    )?.[0];
    return {
      sessionIds: [...this.sessionIds],
      copiedFrom: [...this.sessionIds].filter((id) => id !== this.sessionId),
      ...(firstCwd !== undefined && { firstCwd }),
      ...(commonCwd !== undefined && { commonCwd }),
      cwds: Object.fromEntries(this.cwds),
      ...(gitBranch !== undefined && { gitBranch }),
      versions: [...this.versions],
      models: Object.fromEntries(this.models),
      ...(first !== undefined && { firstTimestamp: first }),
      ...(last !== undefined && { lastTimestamp: last }),
      usage: this.usage.total(),
      compactions: [...this.compactions],
      ...(this.isAgentFile && agentId !== undefined && { agentId }),
    };
  }

  private addPlace(base: RecordBase): void {
    const { sessionId, cwd, version, gitBranch } = base;
    if (sessionId !== undefined) {
      if (this.sessionIds.size < MAX_DISTINCT) this.sessionIds.add(sessionId);
      this.sessionId = sessionId;
    }
    if (cwd !== undefined) {
      this.firstCwd ??= cwd;
      const lines = this.cwds.get(cwd) ?? 0;
      if (lines > 0 || this.cwds.size < MAX_DISTINCT) this.cwds.set(cwd, lines + 1);
    }
    if (version !== undefined && this.versions.size < MAX_DISTINCT) this.versions.add(version);
    if (gitBranch !== undefined && gitBranch !== '' && gitBranch !== this.writtenBranch) {
      this.writtenBranch = gitBranch;
      this.gitBranch = withoutSecrets(gitBranch);
    }
  }

  private addTime(base: RecordBase): void {
    const time = timeOf(base);
    if (time === undefined) return;
    if (this.first === undefined || isBefore(time, this.first)) this.first = time;
    if (this.last === undefined || isBefore(this.last, time)) this.last = time;
  }

  private addAnswer({ base, messageId = uuidOf(base), model, usage }: AssistantEntry): void {
    if (model !== undefined && !this.usage.has(messageId)) this.models.set(model, (this.models.get(model) ?? 0) + 1);
    this.usage.add(messageId, usage);
  }
}

function compactionOf(entry: BoundaryEntry): Compaction {
  const { trigger, preTokens, postTokens } = entry;
  const { line } = entry.base;
  const timestamp = timeOf(entry.base);
  return {
    uuid: uuidOf(entry.base),
    line,
    ...(timestamp !== undefined && { timestamp }),
    ...(trigger !== undefined && { trigger }),
    ...(preTokens !== undefined && { preTokens }),
    ...(postTokens !== undefined && { postTokens }),
  };
}

/** Claude Code's own form is `2026-01-15T10:00:00.000Z`: earlier times are smaller texts. */
function isBefore(a: string, b: string): boolean {
  return isOwnForm(a) && isOwnForm(b) ? a < b : Date.parse(a) < Date.parse(b);
}

function isOwnForm(time: string): boolean {
  return time.length === 24 && time[10] === 'T' && time[23] === 'Z';
}

/** When a record was written, as it says; undefined when that is no date. */
export function timeOf({ timestamp }: Pick<RecordBase, 'timestamp'>): string | undefined {
  return timestamp === undefined || Number.isNaN(Date.parse(timestamp)) ? undefined : timestamp;
}
