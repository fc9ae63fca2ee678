import { EnvelopeRuns, type Envelope } from './envelopeRun';
import { fields, Interned, type FieldReader, type Fields, type JsonCursor } from './jsonCursor';

/** A piece of the line's view. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A block of `message.content`, of any kind, undecoded. */
export interface RawBlock {
  type: string | undefined;
  start: number;
  end: number;
  /** The literal of a text block, or of a bare string. */
  text: Span | undefined;
  id: Span | undefined;
  name: string | undefined;
  input: Span | undefined;
  /** String members of `input` that can say what a tool call is about. */
  inputHints: Map<string, Span> | undefined;
  toolUseId: Span | undefined;
  isError: boolean;
  /** The value of a tool result's content, the text literals in it, and the number of its images. */
  content: Span | undefined;
  contentTexts: readonly Span[];
  contentImages: number;
}

/** Token figures of `message.usage`, as they stand there. */
export interface RawUsage {
  inputTokens: number;
  outputTokens: number;
  cacheCreationTokens: number;
  cacheReadTokens: number;
}

/** What matters of an attachment. */
export interface RawAttachment {
  type: string | undefined;
  mode: string | undefined;
  event: string;
  hook: string;
  /** Blocks of `prompt` or `content`. */
  texts: readonly RawBlock[];
  /** `stdout` of a hook. */
  output: readonly RawBlock[];
}

const NO_SPANS: readonly Span[] = [];
const NO_BLOCKS: readonly RawBlock[] = [];
const NO_ATTACHMENT: RawAttachment = Object.freeze(newAttachment());

/** The strings that rarely change from record to record; lives as long as the reader. */
export class RecordMemory {
  readonly type = new Interned();
  readonly sessionId = new Interned();
  readonly cwd = new Interned();
  readonly version = new Interned();
  readonly gitBranch = new Interned();
  readonly model = new Interned();
  readonly messageId = new Interned();
  readonly agentId = new Interned();
  readonly blockType = new Interned();
  readonly toolName = new Interned();
  readonly runs = new EnvelopeRuns();
  /** Whether the inputs of tool calls are looked into; where only figures are wanted, their size is enough. */
  readonly isDetailed: boolean;
  /** A record's parent is mostly the record before it. */
  readonly lastUuid = new Interned();

  constructor(isDetailed: boolean) {
    this.isDetailed = isDetailed;
  }
}

/** One record as it stands in the line: scalars decoded, everything large still bytes. */
export class RawRecord {
  end = 0;
  type: string | undefined;
  subtype: string | undefined;
  uuid: string | undefined;
  parentUuid: string | undefined;
  logicalParentUuid: string | undefined;
  timestamp: string | undefined;
  sessionId: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  gitBranch: string | undefined;
  agentId: string | undefined;
  leafUuid: string | undefined;
  operation: string | undefined;
  originKind: string | undefined;
  isSidechain = false;
  isMeta = false;
  isCompactSummary = false;
  isApiError = false;
  /** `summary`, `customTitle` or `aiTitle`. */
  title: string | undefined;
  /** `content` of system and queue-operation records. */
  content: readonly RawBlock[] = NO_BLOCKS;
  messageId: string | undefined;
  model: string | undefined;
  stopReason: string | undefined;
  usage: RawUsage | undefined;
  blocks: readonly RawBlock[] = NO_BLOCKS;
  attachment: RawAttachment = NO_ATTACHMENT;
  resultAgentId: string | undefined;
  trigger: string | undefined;
  preTokens: number | undefined;
  postTokens: number | undefined;

  constructor(
    readonly memory: RecordMemory,
    readonly start: number,
  ) {}

  /** Takes over what an envelope says; what it does not mention stays. */
  take({ isSidechain, sessionId, cwd, version, gitBranch }: Envelope): void {
    if (isSidechain !== undefined) this.isSidechain = isSidechain;
    if (sessionId !== undefined) this.sessionId = sessionId;
    if (cwd !== undefined) this.cwd = cwd;
    if (version !== undefined) this.version = version;
    if (gitBranch !== undefined) this.gitBranch = gitBranch;
  }
}

const HINTS = [
  'file_path',
  'notebook_path',
  'path',
  'command',
  'pattern',
  'url',
  'query',
  'description',
  'subagent_type',
  'skill',
  'prompt',
  'subject',
  'taskId',
  'shell_id',
  'bash_id',
];

type InputHints = Map<string, Span>;

const INPUT: Fields<InputHints> = fields(
  Object.fromEntries(
    HINTS.map((hint) => [
      hint,
      (cursor: JsonCursor, hints: InputHints) => {
        const isString = cursor.isString();
        const start = cursor.pos;
        cursor.skip();
        if (isString) hints.set(hint, { start, end: cursor.pos });
      },
    ]),
  ),
);

interface ResultPart {
  text: Span | undefined;
  type: string | undefined;
}

const NO_FIELDS: Fields<undefined> = fields({});

const RESULT_PART: Fields<ResultPart> = fields({
  type: (cursor, part) => (part.type = cursor.string()),
  text: (cursor, part) => (part.text = stringSpan(cursor)),
});

const BLOCK: Fields<{ block: RawBlock; memory: RecordMemory }> = fields({
  type: (cursor, { block, memory }) => (block.type = cursor.interned(memory.blockType)),
  text: (cursor, { block }) => (block.text = stringSpan(cursor)),
  id: (cursor, { block }) => (block.id = stringSpan(cursor)),
  name: (cursor, { block, memory }) => (block.name = cursor.interned(memory.toolName)),
  input: (cursor, { block, memory }) => readInput(cursor, block, memory),
  tool_use_id: (cursor, { block }) => (block.toolUseId = stringSpan(cursor)),
  is_error: (cursor, { block }) => (block.isError = cursor.flag()),
  content: (cursor, { block }) => readResultContent(cursor, block),
});

const USAGE: Fields<RawUsage> = fields({
  input_tokens: (cursor, usage) => (usage.inputTokens = cursor.number() ?? 0),
  output_tokens: (cursor, usage) => (usage.outputTokens = cursor.number() ?? 0),
  cache_creation_input_tokens: (cursor, usage) => (usage.cacheCreationTokens = cursor.number() ?? 0),
  cache_read_input_tokens: (cursor, usage) => (usage.cacheReadTokens = cursor.number() ?? 0),
});

const MESSAGE: Fields<RawRecord> = fields({
  id: (cursor, record) => (record.messageId = cursor.interned(record.memory.messageId)),
  model: (cursor, record) => (record.model = cursor.interned(record.memory.model)),
  stop_reason: (cursor, record) => (record.stopReason = cursor.string()),
  usage: (cursor, record) => (record.usage = readUsage(cursor)),
  content: (cursor, record) => (record.blocks = readContent(cursor, record.memory)),
});

const ATTACHMENT: Fields<{ attachment: RawAttachment; memory: RecordMemory }> = fields({
  type: (cursor, { attachment }) => (attachment.type = cursor.string()),
  commandMode: (cursor, { attachment }) => (attachment.mode = cursor.string()),
  hookEvent: (cursor, { attachment }) => (attachment.event = cursor.string() ?? ''),
  hookName: (cursor, { attachment }) => (attachment.hook = cursor.string() ?? ''),
  prompt: (cursor, { attachment, memory }) => (attachment.texts = readContent(cursor, memory)),
  content: (cursor, { attachment, memory }) => (attachment.texts = readContent(cursor, memory)),
  stdout: (cursor, { attachment, memory }) => (attachment.output = readContent(cursor, memory)),
});

const COMPACT_METADATA: Fields<RawRecord> = fields({
  trigger: (cursor, record) => (record.trigger = cursor.string()),
  preTokens: (cursor, record) => (record.preTokens = cursor.number()),
  postTokens: (cursor, record) => (record.postTokens = cursor.number()),
});

const TOOL_USE_RESULT: Fields<RawRecord> = fields({
  agentId: (cursor, record) => (record.resultAgentId = cursor.string()),
});

const ORIGIN: Fields<RawRecord> = fields({ kind: (cursor, record) => (record.originKind = cursor.string()) });

/** Everything that Keepit wants of a record; `toolUseResult` and all other keys are walked over. */
export const RECORD: Fields<RawRecord> = fields({
  type: (cursor, record) => (record.type = cursor.interned(record.memory.type)),
  subtype: (cursor, record) => (record.subtype = cursor.string()),
  uuid: readUuid,
  parentUuid: (cursor, record) => (record.parentUuid = cursor.interned(record.memory.lastUuid, true)),
  logicalParentUuid: (cursor, record) => (record.logicalParentUuid = cursor.string()),
  timestamp: (cursor, record) => (record.timestamp = cursor.string()),
  sessionId: envelopeField('sessionId', (cursor, memory) => ({ sessionId: cursor.interned(memory.sessionId) })),
  cwd: envelopeField('cwd', (cursor, memory) => ({ cwd: cursor.interned(memory.cwd) })),
  version: envelopeField('version', (cursor, memory) => ({ version: cursor.interned(memory.version) })),
  gitBranch: envelopeField('gitBranch', (cursor, memory) => ({ gitBranch: cursor.interned(memory.gitBranch) })),
  agentId: (cursor, record) => (record.agentId = cursor.interned(record.memory.agentId)),
  leafUuid: (cursor, record) => (record.leafUuid = cursor.string()),
  operation: (cursor, record) => (record.operation = cursor.string()),
  origin: (cursor, record) => cursor.object(ORIGIN, record),
  isSidechain: envelopeField('isSidechain', (cursor) => ({ isSidechain: cursor.flag() })),
  userType: envelopeField('userType', skipped),
  entrypoint: envelopeField('entrypoint', skipped),
  isMeta: (cursor, record) => (record.isMeta = cursor.flag()),
  isCompactSummary: (cursor, record) => (record.isCompactSummary = cursor.flag()),
  isApiErrorMessage: (cursor, record) => (record.isApiError = cursor.flag()),
  summary: (cursor, record) => (record.title = cursor.string()),
  customTitle: (cursor, record) => (record.title = cursor.string()),
  aiTitle: (cursor, record) => (record.title = cursor.string()),
  content: (cursor, record) => (record.content = readContent(cursor, record.memory)),
  message: (cursor, record) => cursor.object(MESSAGE, record),
  attachment: (cursor, record) => {
    record.attachment = newAttachment();
    cursor.object(ATTACHMENT, { attachment: record.attachment, memory: record.memory });
  },
  compactMetadata: (cursor, record) => cursor.object(COMPACT_METADATA, record),
  toolUseResult: (cursor, record) => cursor.object(TOOL_USE_RESULT, record),
});

/** A field that is read in one go with its neighbours when they all say what they said before. */
function envelopeField(
  key: string,
  read: (cursor: JsonCursor, memory: RecordMemory) => Envelope,
): FieldReader<RawRecord> {
  return (cursor, record) => {
    const { runs } = record.memory;
    let envelope = runs.recall(key, cursor);
    if (envelope === undefined) {
      const start = cursor.pos;
      envelope = read(cursor, record.memory);
      runs.extend(key, start, cursor.pos, envelope);
    }
    record.take(envelope);
  };
}

function skipped(cursor: JsonCursor): Envelope {
  cursor.skip();
  return {};
}

function readUuid(cursor: JsonCursor, record: RawRecord): void {
  record.uuid = cursor.interned(record.memory.lastUuid);
}

function readUsage(cursor: JsonCursor): RawUsage | undefined {
  if (!cursor.isObject()) {
    cursor.skip();
    return undefined;
  }
  const usage = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 };
  cursor.object(USAGE, usage);
  return usage;
}

function stringSpan(cursor: JsonCursor): Span | undefined {
  const isString = cursor.isString();
  const start = cursor.pos;
  cursor.skip();
  return isString ? { start, end: cursor.pos } : undefined;
}

function newAttachment(): RawAttachment {
  return { type: undefined, mode: undefined, event: '', hook: '', texts: NO_BLOCKS, output: NO_BLOCKS };
}

function newBlock(start: number): RawBlock {
  return {
    type: undefined,
    start,
    end: start,
    text: undefined,
    id: undefined,
    name: undefined,
    input: undefined,
    inputHints: undefined,
    toolUseId: undefined,
    isError: false,
    content: undefined,
    contentTexts: NO_SPANS,
    contentImages: 0,
  };
}

/** A string, or a list of strings and blocks; an object stands for a list of one. Anything else holds nothing. */
function readContent(cursor: JsonCursor, memory: RecordMemory): RawBlock[] {
  const blocks: RawBlock[] = [];
  if (cursor.isList()) cursor.list(() => readBlock(cursor, blocks, memory));
  else readBlock(cursor, blocks, memory);
  return blocks;
}

function readBlock(cursor: JsonCursor, blocks: RawBlock[], memory: RecordMemory): void {
  const isString = cursor.isString();
  if (!isString && !cursor.isObject()) {
    cursor.skip();
    return;
  }
  const block = newBlock(cursor.pos);
  if (isString) {
    block.type = 'text';
    block.text = stringSpan(cursor);
  } else {
    cursor.object(BLOCK, { block, memory });
  }
  block.end = cursor.pos;
  blocks.push(block);
}

function readInput(cursor: JsonCursor, block: RawBlock, memory: RecordMemory): void {
  cursor.peek();
  const start = cursor.pos;
  if (memory.isDetailed) {
    const hints: InputHints = new Map();
    cursor.object(INPUT, hints);
    block.inputHints = hints;
  } else cursor.object(NO_FIELDS, undefined); // as strict as above: both readings find the same lines broken
  block.input = { start, end: cursor.pos };
}

function readResultContent(cursor: JsonCursor, block: RawBlock): void {
  const isList = cursor.isList();
  const start = cursor.pos;
  const texts: Span[] = [];
  if (isList) cursor.list(() => readResultPart(cursor, block, texts));
  else addText(stringSpan(cursor), texts);
  block.content = { start, end: cursor.pos };
  block.contentTexts = texts;
}

function readResultPart(cursor: JsonCursor, block: RawBlock, texts: Span[]): void {
  if (cursor.isString()) {
    addText(stringSpan(cursor), texts);
    return;
  }
  const part: ResultPart = { text: undefined, type: undefined };
  cursor.object(RESULT_PART, part);
  addText(part.text, texts);
  if (part.type === 'image') block.contentImages++;
}

function addText(text: Span | undefined, texts: Span[]): void {
  if (text !== undefined) texts.push(text);
}
