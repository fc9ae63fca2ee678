import { AnswerReader, type SaidInResult } from './answerReader';
import { readAuthorship, readReply, type Authorship } from './authorship';
import type { AssistantEntry, Entry, RecordBase, HumanWords, Note } from './entry';
import { hashId } from './hashIndex';
import { hash64 } from '../text/hash64';
import { NO_TIME, timeText } from './isoTime';
import type { JsonCursor } from './jsonCursor';
import type { ScannedLine } from './lineScanner';
import { cut } from './previewText';
import type { RawBlock, Span } from './rawBlock';
import type { RawAttachment, RawRecord } from './rawRecord';
import { IMAGE_TOKENS, ToolReader } from './toolReader';
import type { ByteRange, MessageBlock, MessageOrigin, OpaqueBlock } from './types';
import type { TokenEstimator } from '../text/tokens/tokenCounter';

/** Longest text of an event that is not hook output. */
const EVENT_CHARS = 2000;

/** What Claude Code writes where an assistant message would be empty. */
const PLACEHOLDER = /^\s*(?:\(no content\)\s*)?$/;

const MAX_REASON_CHARS = 60;

/**
 * What Keepit names as the model of words that it writes into a transcript: they were read before, and stay as they are. Claude Code's own
 * name for its texts, `<synthetic>`, would make it leave them out.
 */
export const OWN_MODEL = 'keepit';

/** Where everything is for somebody who only counts. */
const NOWHERE: ByteRange = { offset: 0, length: 0 };

type Kind = (record: RawRecord, base: RecordBase) => Entry;

/** How much of a record is decoded: `counts` leaves out where things are, and what tool steps are about. */
export type EntryDetail = 'full' | 'counts';

/**
 * Turns raw records into entries. Uses the cursor and the line of the record that is being read, so a record must be
 * read before the next one is.
 */
export class EntryReader {
  private readonly kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
    ['user', (record, base) => this.user(record, base)],
    ['assistant', (record, base) => this.assistant(record, base)],
    ['system', (record, base) => this.system(record, base)],
    ['attachment', (record, base) => this.attachment(record, base)],
    ['summary', (record, base) => title('summary', record, base)],
    ['custom-title', (record, base) => title('custom', record, base)],
    ['ai-title', (record, base) => title('ai', record, base)],
    ['last-prompt', (record, base) => leaf(record, base)],
    ['queue-operation', (record, base) => this.queue(record, base)],
  ]);
  private readonly tools: ToolReader;
  private readonly answers: AnswerReader;
  private readonly isDetailed: boolean;
  /** Where only figures are wanted, nobody keeps an entry: one base will do for all. */
  private readonly reused: Mutable<RecordBase> = newBase();
  private readonly range: (span: Span) => ByteRange;
  private line: ScannedLine | undefined;

  constructor(
    private readonly cursor: JsonCursor,
    private readonly estimator: TokenEstimator,
    detail: EntryDetail,
  ) {
    this.isDetailed = detail === 'full';
    this.tools = new ToolReader(cursor, estimator, this.isDetailed);
    this.answers = new AnswerReader(cursor);
    this.range =
      detail === 'full'
        ? ({ start, end }) => ({
            offset: (this.line?.offset ?? 0) + start - (this.line?.start ?? 0),
            length: end - start,
          })
        : () => NOWHERE;
  }

  /** Whether the result of a call is still to come, and what the call was decides what it means. */
  get isWaiting(): boolean {
    return this.answers.isWaiting;
  }

  /** Throws `broken-record` when a text of the record cannot be decoded. */
  read(record: RawRecord, line: ScannedLine): Entry {
    this.line = line;
    const base = this.base(record, line);
    const kind = this.kinds.get(record.type ?? '');
    if (kind === undefined) return skipped(base, unknownReason(record));
    return kind(record, base);
  }

  private user(record: RawRecord, base: RecordBase): Entry {
    const results = this.tools.answers(record, this.range, this.bytes());
    if (record.isCompactSummary) return note(base, 'compactSummary', this.beginning(record.blocks));
    const isHarness = isFromHarness(record);
    if (isHarness && results.length === 0) return note(base, 'meta', this.beginning(record.blocks));
    const words = isHarness ? NO_WORDS : this.words(record.blocks, base, record);
    if (words.blocks.length > 0) {
      const { origin = 'prompt', blocks, tokens } = words;
      return { kind: 'human', base, origin, blocks, results, tokens };
    }
    if (results.length > 0) return { kind: 'toolResult', base, results, note: words.note, bare: words.bare };
    if (words.note === undefined) return skipped(base, 'empty');
    return { kind: 'note', base, note: words.note };
  }

  /** The human's own words among the blocks; when there are none, what the blocks are instead. */
  private words(raw: readonly RawBlock[], base: RecordBase, record?: RawRecord): Words {
    const words: Words = { blocks: [], origin: undefined, tokens: 0, note: undefined, bare: undefined };
    for (const block of raw) {
      if (block.type === 'text' && block.text !== undefined) this.addText(words, block.text, base);
      else if (block.type === 'tool_result' && record !== undefined) {
        const said = this.answers.said(block, record, this.bytes());
        if (said !== undefined) this.addAnswer(words, said, base);
      } else if (block.type === 'image' || block.type === 'document') {
        words.blocks.push(this.opaque(block, block.type, base));
        words.tokens += IMAGE_TOKENS;
      }
    }
    return words;
  }

  private addText(words: Words, span: Span, base: RecordBase): void {
    const author = readAuthorship(this.cursor.decode(span.start, span.end));
    if (author.kind === 'words' || (author.kind === 'command' && author.isRequest)) {
      const isStripped = author.kind === 'command' || author.isStripped;
      words.origin = author.kind === 'command' ? 'command' : 'prompt';
      words.blocks.push(this.textBlock(author.text, span, base, isStripped));
      words.tokens += this.estimator.estimate(author.text);
    } else words.note ??= noteOf(author);
  }

  private addAnswer(words: Words, { text, span, isStripped, isBare }: SaidInResult, base: RecordBase): void {
    const block = this.textBlock(text, span, base, isStripped);
    const tokens = this.estimator.estimate(text);
    if (isBare) words.bare = { blocks: [block], tokens };
    else {
      words.origin ??= 'answer';
      words.blocks.push(block);
      words.tokens += tokens;
    }
  }

  private assistant(record: RawRecord, base: RecordBase): Entry {
    if (record.isApiError || record.model === '<synthetic>') {
      return note(base, 'apiError', cut(this.text(record.blocks), EVENT_CHARS));
    }
    const blocks: MessageBlock[] = [];
    const tools: AssistantEntry['tools'][number][] = [];
    let tokens = 0;
    for (const block of record.blocks) {
      if (isToolUse(block)) {
        const tool = this.tools.call(block, this.range, blocks.length, this.bytes());
        this.answers.called(block, this.bytes());
        tokens += tool.tokens;
        tools.push(tool);
      } else if (block.type !== 'text') blocks.push(this.opaque(block, opaqueKind(block.type), base));
      else if (block.text !== undefined) {
        const said = this.said(record, block.text);
        if (said === undefined) blocks.push(this.opaque(block, 'thinking', base));
        else if (!PLACEHOLDER.test(said.text)) {
          blocks.push(this.textBlock(said.text, block.text, base, said.isStripped));
          tokens += this.estimator.estimate(said.text);
        }
      }
    }
    const { messageId, model, usage, stopReason } = record;
    return { kind: 'assistant', base, messageId, model, usage, stopReason, blocks, tools, tokens };
  }

  /** What the assistant said in a text; undefined where it only thought. */
  private said(record: RawRecord, span: Span): { readonly text: string; readonly isStripped: boolean } | undefined {
    const text = this.cursor.decode(span.start, span.end);
    if (record.model === OWN_MODEL) return { text, isStripped: false };
    const reply = readReply(text);
    return reply.kind === 'words' ? reply : undefined;
  }

  private system(record: RawRecord, base: RecordBase): Entry {
    if (record.subtype === 'compact_boundary') {
      const { trigger, preTokens, postTokens } = record;
      const parent = record.logicalParent ?? base.parent;
      return { kind: 'boundary', base: { ...base, parent }, trigger, preTokens, postTokens };
    }
    const text = this.text(record.content);
    if (text === '') return skipped(base, reason('system', record.subtype));
    const author = readAuthorship(text);
    if (author.kind === 'note' || author.kind === 'command') {
      return note(base, author.kind === 'command' ? 'command' : author.event, cut(author.text, EVENT_CHARS));
    }
    return note(base, record.subtype === 'local_command' ? 'command' : 'system', cut(text, EVENT_CHARS));
  }

  private attachment(record: RawRecord, base: RecordBase): Entry {
    const { type, mode, event, hook, texts, output } = record.attachment;
    if (type === 'queued_command' && (mode === undefined || mode === 'prompt'))
      return this.queued(record.attachment, base);
    if (type === 'hook_additional_context' || type === 'hook_success') {
      const content = this.text(texts);
      const text = content === '' ? this.text(output) : content;
      if (text === '') return skipped(base, reason('attachment', type));
      const source = `${event} ${hook}`.trim();
      return { kind: 'note', base, note: { kind: 'hookContext', text, source } };
    }
    return skipped(base, reason('attachment', type));
  }

  private queued({ texts, command, ...sender }: RawAttachment, base: RecordBase): Entry {
    if (isFromHarness(sender)) {
      return { kind: 'note', base, note: { kind: 'meta', text: this.beginning(texts) }, command };
    }
    const { blocks, tokens, note } = this.words(texts, base);
    if (blocks.length > 0) return { kind: 'human', base, origin: 'queued', blocks, results: [], tokens, command };
    return note === undefined ? skipped(base, 'empty') : { kind: 'note', base, note, command };
  }

  private queue(record: RawRecord, base: RecordBase): Entry {
    const operation = record.operation ?? '';
    const text = this.text(record.content);
    const { reason, command } = record;
    if (operation !== 'enqueue' || base.id !== undefined) {
      return { kind: 'queue', base, operation, text, reason, command };
    }
    const time = base.time === NO_TIME ? base.timestamp : timeText(base.time);
    // A weight that is changed in the transcript leaves its prompt the one that it was.
    const content = text.replace(/##keepit[\d.]{1,8}##/gi, '##keepit##');
    const uuid = `queued-${hash64(`${base.sessionId ?? ''}\0${time ?? ''}\0${content}`)}`;
    const own = { ...base, uuid, id: hashId(uuid) };
    const { blocks, tokens } = this.words(record.content, own);
    const words: HumanWords | undefined = blocks.length === 0 ? undefined : { blocks, tokens };
    return { kind: 'queue', base: words === undefined ? base : own, operation, text, words };
  }

  private textBlock(text: string, span: Span, base: RecordBase, stripped: boolean): MessageBlock {
    return {
      kind: 'text',
      text,
      uuid: this.isDetailed ? uuidOf(base) : '',
      line: base.line,
      range: this.range(span),
      stripped,
    };
  }

  private opaque(block: RawBlock, kind: OpaqueBlock['kind'], base: RecordBase): OpaqueBlock {
    return { kind, uuid: this.isDetailed ? uuidOf(base) : '', line: base.line, range: this.range(block) };
  }

  private text(blocks: readonly RawBlock[]): string {
    const texts: string[] = [];
    for (const { text } of blocks) if (text !== undefined) texts.push(this.cursor.decode(text.start, text.end));
    return texts.join('\n');
  }

  private beginning(blocks: readonly RawBlock[]): string {
    return cut(this.text(blocks.filter(({ type }) => type === 'text')), EVENT_CHARS);
  }

  private base(record: RawRecord, line: ScannedLine): RecordBase {
    const { id, time } = record;
    const isTold = this.isDetailed || record.subtype === 'compact_boundary'; // a compaction is shown with its place and time
    const base = this.isDetailed ? newBase() : this.reused;
    base.line = line.line;
    base.offset = line.offset + record.start - line.start;
    base.length = record.end - record.start;
    base.id = id;
    base.parent = record.parent;
    base.time = time;
    base.uuid = isTold && id !== undefined ? this.cursor.decode(record.uuidStart, record.uuidEnd) : undefined;
    base.timestamp = isTold && time !== NO_TIME ? timeText(time) : record.timestamp;
    base.sessionId = record.sessionId;
    base.cwd = record.cwd;
    base.version = record.version;
    base.gitBranch = record.gitBranch;
    base.agentId = record.agentId;
    base.isSidechain = record.isSidechain;
    return base;
  }

  private bytes(): Uint8Array {
    return this.line?.view.bytes ?? new Uint8Array(0);
  }
}

/** Whether something else than a person sent it, as the client says. */
function isFromHarness({ isMeta, originKind }: Pick<RawAttachment, 'isMeta' | 'originKind'>): boolean {
  return isMeta || (originKind !== undefined && originKind !== 'human');
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Words {
  readonly blocks: MessageBlock[];
  origin: MessageOrigin | undefined;
  tokens: number;
  note: Note | undefined;
  bare: HumanWords | undefined;
}

const NO_WORDS: Words = { blocks: [], origin: undefined, tokens: 0, note: undefined, bare: undefined };

/** The key of a chain record that came without a uuid: unique in the file, and stable. */
export function uuidOf(base: RecordBase): string {
  return base.uuid ?? `line-${String(base.line)}-${String(base.offset)}`;
}

function newBase(): Mutable<RecordBase> {
  return {
    line: 0,
    offset: 0,
    length: 0,
    id: undefined,
    parent: undefined,
    time: NO_TIME,
    uuid: undefined,
    timestamp: undefined,
    sessionId: undefined,
    cwd: undefined,
    version: undefined,
    gitBranch: undefined,
    agentId: undefined,
    isSidechain: false,
  };
}

function noteOf(author: Authorship): Note | undefined {
  if (author.kind === 'note') return { kind: author.event, text: cut(author.text, EVENT_CHARS) };
  if (author.kind === 'command') return { kind: 'command', text: cut(author.text, EVENT_CHARS) };
  return undefined;
}

function note(base: RecordBase, kind: Note['kind'], text: string): Entry {
  return { kind: 'note', base, note: { kind, text } };
}

function skipped(base: RecordBase, why: string): Entry {
  return { kind: 'skipped', base, reason: why };
}

function title(source: 'custom' | 'ai' | 'summary', record: RawRecord, base: RecordBase): Entry {
  const text = record.title?.trim() ?? '';
  if (text === '') return skipped(base, 'empty');
  return { kind: 'title', base, source, title: text, leafUuid: record.leafUuid };
}

function leaf(record: RawRecord, base: RecordBase): Entry {
  if (record.leafUuid === undefined) return skipped(base, 'last-prompt');
  return { kind: 'leaf', base, leafUuid: record.leafUuid };
}

function isToolUse(block: RawBlock): boolean {
  return block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}

function opaqueKind(type: string | undefined): OpaqueBlock['kind'] {
  if (type === 'thinking' || type === 'redacted_thinking') return 'thinking';
  return type === 'image' || type === 'document' ? type : 'other';
}

function reason(type: string, detail: string | undefined): string {
  return cut(detail === undefined ? type : `${type}/${detail}`, MAX_REASON_CHARS);
}

/** What Claude Code keeps for itself, up to version 2.1.327. `api-request-blob` says again what other records say. */
const KNOWN_AND_UNUSED: ReadonlySet<string> = new Set(
  `
  agent-color agent-name agent-setting api-request api-request-blob api-request-shape artifact-autoreact-ledger
  artifact-comment-monitor atis-latch attribution-snapshot bridge-session content-replacement continued-in
  cost-state data-flow-incomplete data-flow-records derived-from dev-mods ended-by-model file-history-delta
  file-history-snapshot fork-context-ref frame-link history-suppression isolation-latch memory-mode mode
  observer-ref permission-mode pr-link progress relocated repl-mode resume-head-vouch session-owner tag
  tools-used worktree-state
  `
    .trim()
    .split(/\s+/),
);

function unknownReason(record: RawRecord): string {
  if (record.type === undefined) return 'no type';
  if (KNOWN_AND_UNUSED.has(record.type)) return record.type;
  return cut(`unknown type ${record.type}`, MAX_REASON_CHARS);
}
