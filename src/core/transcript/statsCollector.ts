import { bareText } from '../text/words';
import { withoutSecrets, previewOf } from '../text/secrets/cleanText';
import type { ChainNode } from './threads';
import { uuidOf, type AssistantEntry, type Entry, type RecordBase, type TitleEntry } from './entry';
import type { ReadingAccount, SessionMeta, SessionTitles } from './sessionStats';
import { countUp } from '../text/ownValue';

const MAX_PROBLEMS = 1000;
const MAX_REASONS = 100;
const OTHER_REASON = 'other';
const MAX_DISTINCT = 1000;

/** A file rarely has more; beyond it the oldest are dropped. */
const MAX_SUMMARIES = 1000;

/** The first human message of the live conversation is nearly always among the first in the file. */
const MAX_FIRST_WORDS = 16;

/** How much of a message is cleaned for its first line: keys and tokens that begin in that line are mostly shorter, and are then known as a whole. */
const CLEANED_CHARS = 16_384;

/** Collects what a transcript tells about its session and its lines, over all that was read. What it knows of names is free of secrets. */
export class StatsCollector {
  private readonly account: ReadingAccount = {
    lines: 0,
    used: 0,
    skipped: {},
    brokenCount: 0,
    broken: [],
    salvaged: [],
  };
  private readonly skippedLines = new Map<string, number>();
  private readonly sessionIds = new Set<string>();
  private sessionId: string | undefined;
  private readonly cwds = new Map<string, number>();
  private firstCwd: string | undefined;
  private gitBranch: string | undefined;
  private readonly versions = new Set<string>();
  private readonly models = new Map<string, number>();
  private readonly answers = new Set<string>();
  private first: string | undefined;
  private last: string | undefined;
  private readonly compactions: SessionMeta['compactions'] = [];
  private agentId: string | undefined;
  private mainLines = 0;
  private sidechainLines = 0;
  private custom: string | undefined;
  private ai: string | undefined;
  private readonly summaries = new Map<string, string>();
  /** The first of the conversation, by node. */
  private readonly firstWords = new Map<ChainNode, string>();

  /** Whether every message line belongs to a sub-agent: the file is an agent's, not a session's. */
  get isAgentFile(): boolean {
    return this.mainLines === 0 && this.sidechainLines > 0;
  }

  used(): void {
    this.account.lines++;
    this.account.used++;
  }

  skipped(reason: string): void {
    this.account.lines++;
    const { skippedLines } = this;
    const key = skippedLines.has(reason) || skippedLines.size < MAX_REASONS ? reason : OTHER_REASON;
    countUp(skippedLines, key);
  }

  broken(line: number, error: string): void {
    this.account.lines++;
    this.account.brokenCount++;
    if (this.account.broken.length < MAX_PROBLEMS) this.account.broken.push({ line, error });
  }

  /** A line that was counted otherwise, but had a part that could not be read. */
  salvaged(line: number, error: string): void {
    if (this.account.salvaged.length < MAX_PROBLEMS) this.account.salvaged.push({ line, error });
  }

  /** Takes an entry that is no duplicate. */
  add(entry: Entry): void {
    const { base } = entry;
    this.addPlace(base);
    this.addTime(base);
    if (entry.kind === 'assistant') this.addAnswer(entry);
    else if (entry.kind === 'title') this.addTitle(entry);
    else if (entry.kind === 'boundary') {
      const { trigger, preTokens, postTokens } = entry;
      const { line, timestamp } = base;
      this.compactions.push({ uuid: uuidOf(base), line, timestamp, trigger, preTokens, postTokens });
    }
    if (entry.kind !== 'assistant' && entry.kind !== 'human' && entry.kind !== 'toolResult') return;
    if (!base.isSidechain) this.mainLines++;
    else {
      this.sidechainLines++;
      this.agentId ??= base.agentId;
    }
  }

  /** The words of a human message of the session's own thread, in file order. */
  addWords(node: ChainNode, text: string): void {
    if (this.firstWords.size < MAX_FIRST_WORDS && text.trim() !== '') {
      this.firstWords.set(node, text.slice(0, CLEANED_CHARS));
    }
  }

  /** Words that are a record of their own are not words twice. */
  dropWords(node: ChainNode): void {
    this.firstWords.delete(node);
  }

  /** `owns` tells whether a uuid is in this file. */
  found(owns: (uuid: string) => boolean): { titles: SessionTitles; meta: SessionMeta; account: ReadingAccount } {
    const account = { ...this.account, skipped: Object.fromEntries(this.skippedLines) };
    return { titles: this.titles(owns), meta: this.meta(), account };
  }

  private titles(owns: (uuid: string) => boolean): SessionTitles {
    const { custom, ai } = this;
    const isOwn = ({ isSidechain }: ChainNode): boolean => !isSidechain || this.isAgentFile;
    const own = [...this.summaries].filter(([leafUuid]) => owns(leafUuid));
    const others = [...this.summaries].filter(([leafUuid]) => !owns(leafUuid));
    return {
      custom,
      ai,
      summary: own.at(-1)?.[1],
      firstWords: this.firstLine((node) => node.isLive && isOwn(node)) ?? this.firstLine(() => true),
      foreign: others.map(([leafUuid, title]) => ({ leafUuid, title })),
    };
  }

  private meta(): SessionMeta {
    const { firstCwd, gitBranch } = this;
    return {
      sessionIds: [...this.sessionIds],
      copiedFrom: [...this.sessionIds].filter((id) => id !== this.sessionId),
      firstCwd,
      cwds: Object.fromEntries(this.cwds),
      gitBranch: gitBranch === undefined ? undefined : withoutSecrets(gitBranch),
      versions: [...this.versions],
      models: Object.fromEntries(this.models),
      firstTimestamp: this.first,
      lastTimestamp: this.last,
      compactions: this.compactions,
      agentId: this.isAgentFile ? this.agentId : undefined,
    };
  }

  /** The first line that says something; words that are all private or secret say nothing. */
  private firstLine(isWanted: (node: ChainNode) => boolean): string | undefined {
    for (const [node, text] of this.firstWords) {
      const line = isWanted(node) ? previewOf(withoutSecrets(bareText(text))) : '';
      if (line !== '') return line;
    }
    return undefined;
  }

  private addTitle({ source, title, leafUuid }: TitleEntry): void {
    const clean = withoutSecrets(title);
    if (source === 'custom') this.custom = clean;
    else if (source === 'ai') this.ai = clean;
    else if (leafUuid !== undefined) {
      this.summaries.delete(leafUuid);
      this.summaries.set(leafUuid, clean);
      const [oldest] = this.summaries.keys();
      if (this.summaries.size > MAX_SUMMARIES && oldest !== undefined) this.summaries.delete(oldest);
    }
  }

  /** Most lines repeat what the one before them said. */
  private addPlace({ sessionId, cwd, version, gitBranch }: RecordBase): void {
    if (sessionId !== undefined && sessionId !== this.sessionId) {
      if (this.sessionIds.size < MAX_DISTINCT) this.sessionIds.add(sessionId);
      this.sessionId = sessionId;
    }
    if (cwd !== undefined) {
      this.firstCwd ??= cwd;
      const { cwds } = this;
      if (cwds.has(cwd) || cwds.size < MAX_DISTINCT) countUp(cwds, cwd);
    }
    if (version !== undefined && this.versions.size < MAX_DISTINCT) this.versions.add(version);
    if (gitBranch !== undefined && gitBranch !== '') this.gitBranch = gitBranch;
  }

  private addTime({ timestamp: time }: RecordBase): void {
    if (time === undefined) return;
    if (this.first === undefined || isBefore(time, this.first)) this.first = time;
    if (this.last === undefined || isBefore(this.last, time)) this.last = time;
  }

  private addAnswer({ base, messageId = uuidOf(base), model }: AssistantEntry): void {
    if (model === undefined || this.answers.has(messageId)) return;
    this.answers.add(messageId);
    countUp(this.models, model);
  }
}

/** Claude Code's own form is `2026-01-15T10:00:00.000Z`: earlier times are smaller texts. */
function isBefore(a: string, b: string): boolean {
  return isOwnForm(a) && isOwnForm(b) ? a < b : Date.parse(a) < Date.parse(b);
}

function isOwnForm(time: string): boolean {
  return time.length === 24 && time[10] === 'T' && time[23] === 'Z';
}
