import type { AbandonedBranch, Conversation, ConversationEvent, Message, Thread, Turn } from '../../transcript/types';
import { cleanLines, oneLine } from '../../text/cleanText';
import { formatCount, formatDuration, joinParts, type Formats, elapsedMs } from '../../text/formats';
import { limitsFor, type DetailLimits, type ExcerptReader } from '../../material/toolDetails';
import { DocumentWriter, MessageRenderer } from './documentWriter';
import { linePrefix, type TranscriptDocument } from './transcriptDocument';
import { sumOf } from '../../text/ownValue';

/** What a document says above its first turn, and how much of the details it shows. */
export interface TranscriptOptions {
  readonly title: string;
  readonly sessionId: string;
  readonly projectName: string;
  readonly formats: Formats;
  /** The transcript of a sub-agent: who asks there is not a person but the assistant. */
  readonly isAgent?: boolean;
  /** At most so much of each step; less where there are very many. Undefined: one line each, without details. */
  readonly details: DetailLimits | undefined;
}

const TITLE_LENGTH = 200;
const OUTLINE_NAME_LENGTH = 80;
const SHORTEST_TURN_SHOWN_MS = 1000;
const BROKEN_LINES_NAMED = 12;

const eventNames: Record<ConversationEvent['kind'], string> = {
  command: 'Command',
  commandOutput: 'Output of the command',
  bashInput: 'Shell, typed by you',
  bashOutput: 'Output of the shell',
  interrupted: 'Interrupted',
  unsentPrompt: 'Written by you, but not sent',
  apiError: 'Error of the API',
  compaction: 'Compacted',
  compactSummary: 'Summary that Claude Code put in place of the history above',
  hookContext: 'Added by a hook',
  system: 'System',
  meta: 'Written by Claude Code',
};

/**
 * Renders one conversation; an instance is for one document. Everything that changes as a session grows stands at the end
 * of what it is about: what was written above stays as it is, and so do the reader's place and folds in a live session.
 */
class TranscriptRenderer {
  private readonly writer = new DocumentWriter();
  private readonly messages: MessageRenderer;
  /** What the one who asks is called. */
  private readonly asker: string;

  constructor(
    private readonly conversation: Conversation,
    private readonly options: TranscriptOptions,
    excerpts: ExcerptReader,
  ) {
    const wanted = options.details;
    const details = wanted === undefined ? undefined : limitsFor(stepsOf(conversation), wanted);
    this.asker = options.isAgent === true ? 'Task' : 'You';
    this.messages = new MessageRenderer(this.writer, { formats: options.formats, details }, excerpts);
  }

  async render(signal?: AbortSignal): Promise<TranscriptDocument> {
    this.head();
    const events = this.conversation.events.filter((event) => event.isLive);
    events.sort((a, b) => a.beforeMessage - b.beforeMessage);
    await this.turns(this.conversation, events, signal);
    await this.branches(this.conversation.abandoned, signal);
    await this.agents(signal);
    this.figures();
    return this.writer.finish();
  }

  private head(): void {
    const { meta, account } = this.conversation;
    const { formats, title, projectName, sessionId } = this.options;
    const writer = this.writer;
    writer.line(linePrefix.title + oneLine(title, TITLE_LENGTH));
    writer.line(linePrefix.said + joinParts([projectName, formats.dateTime(meta.firstTimestamp)]));
    writer.line(`${linePrefix.said}Session ${sessionId}`);
    if (account.brokenCount > 0) writer.line(`⚠ ${this.brokenNote()}`, account.broken[0]?.line);
  }

  private brokenNote(): string {
    const { broken, brokenCount } = this.conversation.account;
    const named = broken.slice(0, BROKEN_LINES_NAMED).map(({ line }) => line);
    const more = brokenCount > named.length ? ' …' : '';
    const what = this.options.formats.plural(brokenCount, 'line');
    return `${what} of the transcript could not be read: ${named.join(', ')}${more}`;
  }

  private async turns(thread: Thread, events: readonly ConversationEvent[], signal?: AbortSignal): Promise<void> {
    let next = 0;
    let previousDay = '';
    const eventsBefore = (messageIndex: number): ConversationEvent[] => {
      const start = next;
      while ((events[next]?.beforeMessage ?? Infinity) <= messageIndex) next += 1;
      return events.slice(start, next);
    };
    for (const turn of thread.turns) {
      this.events(eventsBefore(turn.messages[0]?.index ?? 0));
      previousDay = this.turnHeading(turn, previousDay);
      signal?.throwIfAborted();
      await this.messages.prepare(turn.messages, signal);
      for (const message of turn.messages) {
        this.events(eventsBefore(message.index));
        this.messages.write(message, { isTurnOpener: message === turn.human, asker: this.asker, isLive: true });
      }
      const { tokens, took } = turnFigures(turn);
      this.writer.gap();
      this.writer.line(linePrefix.note + joinParts([`Turn ${turn.index + 1}`, tokens, took]));
    }
    this.events(events.slice(next));
  }

  /** Writes the heading that opens a turn, and returns its day: the next turn repeats the day only when it changes. */
  private turnHeading(turn: Turn, previousDay: string): string {
    const { formats } = this.options;
    const { tokens } = turnFigures(turn);
    const { who, words, line } = turnOpening(turn, this.asker);
    const { startedAt } = turn;
    const day = formats.date(startedAt) || previousDay;
    const time = day === previousDay ? formats.time(startedAt) : formats.dateTime(startedAt);
    const number = `${turn.index + 1}`;
    const heading = joinParts([number, oneLine(who, OUTLINE_NAME_LENGTH), time]);
    const name = joinParts([number, oneLine(words === '' ? who : words, OUTLINE_NAME_LENGTH)]);
    const entry = { kind: 'turn', name, detail: joinParts([time, tokens]) } as const;
    this.writer.section(2, linePrefix.turn + heading, entry, line);
    return day;
  }

  private events(events: readonly ConversationEvent[]): void {
    for (const event of events) {
      if (event.kind === 'compaction') this.compaction(event);
      else this.event(event);
    }
  }

  private compaction(event: ConversationEvent): void {
    const compaction = this.conversation.meta.compactions.find(({ uuid }) => uuid === event.uuid);
    const trigger = compaction?.trigger === 'manual' ? 'Compacted by you' : 'Compacted automatically';
    const before = compaction?.preTokens === undefined ? '' : formatCount(compaction.preTokens);
    const after = compaction?.postTokens === undefined ? '' : formatCount(compaction.postTokens);
    const sizes = before === '' ? '' : after === '' ? `from ${before} tokens` : `${before} → ${after} tokens`;
    const parts = [trigger, sizes, this.time(event.timestamp)];
    const detail = joinParts([sizes, this.time(event.timestamp)]);
    const heading = `${linePrefix.boundary}${joinParts(parts)} ═══`;
    this.writer.section(2, heading, { kind: 'compaction', name: trigger, detail }, event.line);
  }

  private event(event: ConversationEvent): void {
    const lines = cleanLines(event.text);
    const first = lines.length === 0 ? '' : oneLine(lines[0] ?? '', 120);
    const isShort = lines.length <= 1 && (lines[0]?.length ?? 0) <= 120;
    const summary = event.kind === 'compactSummary' ? '' : first;
    this.writer.gap();
    this.writer.line(
      linePrefix.note + joinParts([eventNames[event.kind], event.source, summary, this.time(event.timestamp)]),
      event.line,
    );
    if (!isShort && this.options.details !== undefined) this.writer.details(lines);
  }

  private time(timestamp: string | undefined): string {
    return this.options.formats.time(timestamp);
  }

  private async branches(branches: readonly AbandonedBranch[], signal?: AbortSignal): Promise<void> {
    if (branches.length === 0) return;
    const { formats } = this.options;
    this.writer.section(1, `${linePrefix.title}Left behind by rewinds`, {
      kind: 'section',
      name: 'Left behind by rewinds',
      detail: formats.plural(branches.length, 'branch', 'branches'),
    });
    for (const [index, branch] of branches.entries()) {
      const time = this.time(branch.messages[0]?.timestamp);
      const name = `Branch ${index + 1}`;
      const size = formats.plural(branch.messages.length, 'message');
      this.writer.section(2, linePrefix.turn + joinParts([name, size, time]), { kind: 'section', name, detail: size });
      await this.thread(branch.messages, this.asker, signal);
    }
  }

  private async agents(signal?: AbortSignal): Promise<void> {
    const { agents } = this.conversation;
    if (agents.length === 0) return;
    this.writer.section(1, `${linePrefix.title}Sub-agents`, { kind: 'section', name: 'Sub-agents' });
    for (const agent of agents) {
      const name = `Sub-agent ${oneLine(agent.description ?? agent.id, OUTLINE_NAME_LENGTH)}`;
      const size = this.options.formats.plural(agent.messages.length, 'message');
      this.writer.section(2, linePrefix.turn + joinParts([name, size]), { kind: 'agent', name, detail: size });
      await this.thread(agent.messages, 'Task', signal);
    }
  }

  private async thread(messages: readonly Message[], asker: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.messages.prepare(messages, signal);
    for (const message of messages) this.messages.write(message, { isTurnOpener: false, asker, isLive: false });
  }

  /** The figures of the whole, and the account of all lines of the file, also of those that are not shown. */
  private figures(): void {
    const { meta, turns, messages } = this.conversation;
    const { formats } = this.options;
    this.writer.section(1, `${linePrefix.title}Figures`, {
      kind: 'section',
      name: 'Figures',
      detail: formats.plural(messages.length, 'message'),
    });
    const size = [
      `${formats.plural(messages.length, 'message')} in ${formats.plural(turns.length, 'turn')}`,
      `about ${formatCount(tokensOf(messages))} tokens`,
      timeRange(meta.firstTimestamp, meta.lastTimestamp, formats),
    ];
    this.writer.line(linePrefix.said + joinParts(size));
    const branch = meta.gitBranch === undefined ? '' : `branch ${meta.gitBranch}`;
    const tools = oneLine(joinParts([...Object.keys(meta.models), branch]), TITLE_LENGTH);
    if (tools !== '') this.writer.line(linePrefix.said + tools);
    this.account();
  }

  private account(): void {
    const { lines, used, skipped, brokenCount, salvaged, broken } = this.conversation.account;
    const { formats } = this.options;
    const skippedCount = sumOf(Object.values(skipped), (count) => count);
    const parts = [`${formats.exact(used)} used`, `${formats.exact(skippedCount)} skipped`];
    const counts = `${formats.plural(lines, 'line')} = ${parts.join(' + ')} + ${formats.exact(brokenCount)} broken`;
    this.writer.line(linePrefix.note + counts);
    const reasons = Object.entries(skipped).sort((a, b) => b[1] - a[1]);
    this.writer.details([
      ...reasons.map(([reason, count]) => `skipped ${formats.exact(count)}: ${oneLine(reason, 200)}`),
      ...broken.map(({ line, error }) => `line ${line} is broken: ${oneLine(error, 200)}`),
      ...salvaged.map(({ line, error }) => `line ${line} is damaged in part: ${oneLine(error, 200)}`),
    ]);
  }
}

function timeRange(first: string | undefined, last: string | undefined, formats: Formats): string {
  const tookMs = elapsedMs(first, last);
  const range = formats.range(first, last);
  return tookMs < 60_000 ? range : `${range} (${formatDuration(tookMs)})`;
}

/** The figures of a turn's heading. */
function turnFigures(turn: Turn): { tokens: string; took: string } {
  const tookMs = elapsedMs(turn.startedAt, turn.endedAt);
  const took = tookMs < SHORTEST_TURN_SHOWN_MS ? '' : formatDuration(tookMs);
  return { tokens: `${formatCount(tokensOf(turn.messages))} tokens`, took };
}

/** Tool steps of the whole document. */
function stepsOf({ messages, abandoned, agents }: Conversation): number {
  const threads = [messages, ...abandoned.map((branch) => branch.messages), ...agents.map((agent) => agent.messages)];
  return sumOf(threads.flat(), (message) => message.tools.length);
}

function tokensOf(messages: readonly Message[]): number {
  return sumOf(messages, (message) => message.tokens + message.resultTokens);
}

/** Who opened a turn, what it began with, and the record that says so. */
function turnOpening({ human, messages }: Turn, asker: string): { who: string; words: string; line: number } {
  if (human === undefined) return { who: 'Beginning', words: messages[0]?.text ?? '', line: messages[0]?.line ?? 1 };
  // The question that is answered is quoted above the answer.
  const words = human.origin === 'answer' ? human.text.replace(/^(?:> .*\n)+/, '') : human.text;
  return { who: asker, words, line: human.line };
}

/**
 * Renders a conversation for reading: turns, what was said, tool steps in one line with their details folded under
 * them, compactions, what rewinds left behind, inline sub-agents, and the account of all lines. Linear in the size of
 * what is shown; the transcript file is read only through `excerpts`.
 */
export function renderTranscript(
  conversation: Conversation,
  options: TranscriptOptions,
  excerpts: ExcerptReader,
  signal?: AbortSignal,
): Promise<TranscriptDocument> {
  return new TranscriptRenderer(conversation, options, excerpts).render(signal);
}
