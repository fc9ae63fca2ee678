import { withoutSecrets } from '../text/secrets/cleanText';
import type { AssistantEntry, BoundaryEntry, Entry, RecordBase } from './entry';
import { uuidOf } from './entryReader';
import { hashId, keyOf } from './hashIndex';
import { NO_TIME, packedTime, timeText } from './isoTime';
import type { FactsState } from './readingState';
import type { Compaction, SessionFacts, Usage } from './types';

/** API messages interleave with few others; one that comes back after more than these would be summed twice. */
const RECENT_MESSAGES = 32;
const MAX_DISTINCT = 1000;

/** When something was written: see {@link RecordBase}. */
type Moment = Pick<RecordBase, 'time' | 'timestamp'>;

type UsageState = FactsState['usage'];

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 };

/** Collects what a transcript tells about its session, over all lines that were read. */
export class FactsCollector {
  private readonly sessionIds: Set<string>;
  private sessionId: string | undefined;
  private readonly cwds: Map<string, number>;
  private cwd: string | undefined;
  private cwdLines = 0;
  private version: string | undefined;
  private firstCwd: string | undefined;
  private gitBranch: string | undefined;
  private writtenBranch: string | undefined;
  private readonly versions: Set<string>;
  private readonly models: Map<string, number>;
  private first: Moment | undefined;
  private last: Moment | undefined;
  private usage: Usage;
  /** The last to come is the last in the list. */
  private readonly recentUsage: FactsState['recentUsage'];
  private messageId = '';
  private messageKey = 0;
  private readonly compactions: Compaction[];
  private agentId: string | undefined;
  private mainLines: number;
  private sidechainLines: number;

  constructor(state: FactsState = emptyFacts()) {
    this.sessionIds = new Set(state.sessionIds);
    this.sessionId = state.sessionId;
    this.cwds = new Map(Object.entries(state.cwds));
    this.firstCwd = state.firstCwd;
    this.gitBranch = state.gitBranch;
    this.versions = new Set(state.versions);
    this.models = new Map(Object.entries(state.models));
    this.first = state.first === undefined ? undefined : momentOf(state.first);
    this.last = state.last === undefined ? undefined : momentOf(state.last);
    this.usage = state.usage;
    this.recentUsage = state.recentUsage.map(([group, usage]) => [group, usage]);
    this.compactions = [...state.compactions];
    this.agentId = state.agentId;
    this.mainLines = state.mainLines;
    this.sidechainLines = state.sidechainLines;
  }

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
    this.countCwd();
    const { firstCwd, gitBranch, agentId } = this;
    const [first, last] = [textOf(this.first), textOf(this.last)];
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
      usage: this.usage,
      compactions: [...this.compactions],
      ...(this.isAgentFile && agentId !== undefined && { agentId }),
    };
  }

  state(): FactsState {
    this.countCwd();
    const { sessionId, firstCwd, gitBranch, agentId } = this;
    const [first, last] = [textOf(this.first), textOf(this.last)];
    return {
      sessionIds: [...this.sessionIds],
      ...(sessionId !== undefined && { sessionId }),
      cwds: Object.fromEntries(this.cwds),
      ...(firstCwd !== undefined && { firstCwd }),
      ...(gitBranch !== undefined && { gitBranch }),
      versions: [...this.versions],
      models: Object.fromEntries(this.models),
      ...(first !== undefined && { first }),
      ...(last !== undefined && { last }),
      usage: this.usage,
      recentUsage: this.recentUsage.map(([group, usage]) => [group, usage]),
      compactions: [...this.compactions],
      ...(agentId !== undefined && { agentId }),
      mainLines: this.mainLines,
      sidechainLines: this.sidechainLines,
    };
  }

  private addPlace(base: RecordBase): void {
    const { sessionId, cwd, version, gitBranch } = base;
    // Nearly every line repeats what the line before it said.
    if (sessionId !== undefined && sessionId !== this.sessionId) {
      if (this.sessionIds.size < MAX_DISTINCT) this.sessionIds.add(sessionId);
      this.sessionId = sessionId;
    }
    if (cwd !== undefined) {
      this.firstCwd ??= cwd;
      if (cwd !== this.cwd) this.countCwd();
      this.cwd = cwd;
      this.cwdLines++;
    }
    if (version !== this.version && version !== undefined && this.versions.size < MAX_DISTINCT)
      this.versions.add(version);
    this.version = version;
    if (gitBranch !== undefined && gitBranch !== '' && gitBranch !== this.writtenBranch) {
      this.writtenBranch = gitBranch;
      this.gitBranch = withoutSecrets(gitBranch);
    }
  }

  /** The figures are copied: the record that they come from may be used again. */
  private remember(message: number, usage: Usage): void {
    if (this.recentUsage.length >= RECENT_MESSAGES) this.recentUsage.shift();
    this.recentUsage.push([message, { ...usage }]);
  }

  private keyOfMessage(id: string): number {
    if (id !== this.messageId) {
      this.messageId = id;
      this.messageKey = keyOf(hashId(id));
    }
    return this.messageKey;
  }

  private recentOf(message: number): FactsState['recentUsage'][number] | undefined {
    for (let i = this.recentUsage.length - 1; i >= 0; i--) {
      if (this.recentUsage[i]?.[0] === message) return this.recentUsage[i];
    }
    return undefined;
  }

  /** Adds the lines in the current directory to the counts. */
  private countCwd(): void {
    const { cwd } = this;
    if (cwd === undefined || this.cwdLines === 0) return;
    if (this.cwds.size < MAX_DISTINCT || this.cwds.has(cwd))
      this.cwds.set(cwd, (this.cwds.get(cwd) ?? 0) + this.cwdLines);
    this.cwdLines = 0;
  }

  private addTime(base: RecordBase): void {
    if (!isTimed(base)) return;
    const { time, timestamp } = base;
    if (this.first === undefined || isBefore(base, this.first)) this.first = { time, timestamp };
    if (this.last === undefined || isBefore(this.last, base)) this.last = { time, timestamp };
  }

  private addAnswer(entry: AssistantEntry): void {
    const message = entry.messageId === undefined ? undefined : this.keyOfMessage(entry.messageId);
    const known = message === undefined ? undefined : this.recentOf(message);
    if (known === undefined) {
      const { model } = entry;
      if (model !== undefined) this.models.set(model, (this.models.get(model) ?? 0) + 1);
      if (message !== undefined) this.remember(message, entry.usage ?? NO_USAGE);
      if (entry.usage !== undefined) this.usage = mapUsage(this.usage, entry.usage, plus);
      return;
    }
    const [, before] = known;
    if (entry.usage === undefined || !exceeds(entry.usage, before)) return;
    // Lines of one message repeat its usage; where they differ, the message was still growing.
    known[1] = mapUsage(before, entry.usage, Math.max);
    this.usage = mapUsage(this.usage, mapUsage(known[1], before, subtract), plus);
  }
}

function emptyFacts(): FactsState {
  return {
    sessionIds: [],
    cwds: {},
    versions: [],
    models: {},
    usage: NO_USAGE,
    recentUsage: [],
    compactions: [],
    mainLines: 0,
    sidechainLines: 0,
  };
}

/** Combines two usages field by field. */
export function mapUsage(a: Usage, b: Usage, combine: (a: number, b: number) => number): UsageState {
  return {
    inputTokens: combine(a.inputTokens, b.inputTokens),
    outputTokens: combine(a.outputTokens, b.outputTokens),
    cacheCreationTokens: combine(a.cacheCreationTokens, b.cacheCreationTokens),
    cacheReadTokens: combine(a.cacheReadTokens, b.cacheReadTokens),
  };
}

/** For {@link mapUsage}. */
export function plus(a: number, b: number): number {
  return a + b;
}

function exceeds(a: Usage, b: Usage): boolean {
  return (
    a.inputTokens > b.inputTokens ||
    a.outputTokens > b.outputTokens ||
    a.cacheCreationTokens > b.cacheCreationTokens ||
    a.cacheReadTokens > b.cacheReadTokens
  );
}

function subtract(a: number, b: number): number {
  return a - b;
}

function compactionOf(entry: BoundaryEntry): Compaction {
  const { trigger, preTokens, postTokens } = entry;
  const { line } = entry.base;
  const timestamp = textOf(entry.base);
  return {
    uuid: uuidOf(entry.base),
    line,
    ...(timestamp !== undefined && { timestamp }),
    ...(trigger !== undefined && { trigger }),
    ...(preTokens !== undefined && { preTokens }),
    ...(postTokens !== undefined && { postTokens }),
  };
}

/** Times in Claude Code's own form compare as numbers; others as dates. */
function isBefore(a: Moment, b: Moment): boolean {
  if (a.time !== NO_TIME && b.time !== NO_TIME) return a.time < b.time;
  return !(Date.parse(textOf(a) ?? '') >= Date.parse(textOf(b) ?? ''));
}

/** Whether a record says when it was written. */
export function isTimed({ time, timestamp }: Moment): boolean {
  return time !== NO_TIME || (timestamp !== undefined && !Number.isNaN(Date.parse(timestamp)));
}

function momentOf(text: string): Moment {
  const bytes = new TextEncoder().encode(text);
  return { time: packedTime(bytes, 0, bytes.length), timestamp: text };
}

function textOf(moment: Moment | undefined): string | undefined {
  if (moment === undefined || moment.time === NO_TIME) return moment?.timestamp;
  return moment.timestamp ?? timeText(moment.time);
}
