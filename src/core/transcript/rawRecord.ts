import type { Envelope } from './envelopeRun';
import { fields, type FieldReader, type Fields } from './fieldTable';
import type { IdHash } from './hashIndex';
import { NO_TIME } from './isoTime';
import type { JsonCursor } from './jsonCursor';
import { readContent, type RawBlock } from './rawBlock';
import type { RecordMemory } from './recordMemory';

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
  /** Who sent it, where that is not the human. */
  originKind: string | undefined;
  isMeta: boolean;
  /** Of a prompt that was queued: the command that it was. */
  command: IdHash | undefined;
  event: string;
  hook: string;
  /** Blocks of `prompt` or `content`. */
  texts: readonly RawBlock[];
  /** `stdout` of a hook. */
  output: readonly RawBlock[];
}

const NO_BLOCKS: readonly RawBlock[] = [];
const NO_ATTACHMENT: RawAttachment = Object.freeze(newAttachment());

/** One record as it stands in the line: scalars decoded, everything large still bytes. */
export class RawRecord {
  end = 0;
  type: string | undefined;
  subtype: string | undefined;
  id: IdHash | undefined;
  /** Where the literal of the uuid stands. */
  uuidStart = 0;
  uuidEnd = 0;
  parent: IdHash | undefined;
  logicalParent: IdHash | undefined;
  /** The time as `packedTime` gives it, and where its literal stands; one in another form is a text. */
  time = NO_TIME;
  timeStart = 0;
  timeEnd = 0;
  timestamp: string | undefined;
  sessionId: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  gitBranch: string | undefined;
  agentId: string | undefined;
  leafUuid: string | undefined;
  operation: string | undefined;
  /** Why a prompt left the queue, and the command that it was. */
  reason: string | undefined;
  command: IdHash | undefined;
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
  /** Where `toolUseResult`, the copy of a tool result for the user interface, stands; from 0 to 0 where there is none. */
  copyStart = 0;
  copyEnd = 0;
  toolDenialKind: string | undefined;
  trigger: string | undefined;
  preTokens: number | undefined;
  postTokens: number | undefined;

  constructor(
    readonly memory: RecordMemory,
    public start: number,
  ) {}

  /** Makes it a record at another place, with an envelope of its own. */
  renew(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.isSidechain = false;
    this.sessionId = undefined;
    this.cwd = undefined;
    this.version = undefined;
    this.gitBranch = undefined;
  }

  /** Takes over what an envelope says; what it does not mention stays. */
  take({ isSidechain, sessionId, cwd, version, gitBranch }: Envelope): void {
    if (isSidechain !== undefined) this.isSidechain = isSidechain;
    if (sessionId !== undefined) this.sessionId = sessionId;
    if (cwd !== undefined) this.cwd = cwd;
    if (version !== undefined) this.version = version;
    if (gitBranch !== undefined) this.gitBranch = gitBranch;
  }
}

const USAGE: Fields<RawUsage> = fields(
  {
    input_tokens: (cursor, usage) => (usage.inputTokens = cursor.number() ?? 0),
    output_tokens: (cursor, usage) => (usage.outputTokens = cursor.number() ?? 0),
    cache_creation_input_tokens: (cursor, usage) => (usage.cacheCreationTokens = cursor.number() ?? 0),
    cache_read_input_tokens: (cursor, usage) => (usage.cacheReadTokens = cursor.number() ?? 0),
  },
  { constant: ['service_tier', 'inference_geo'] },
);

const MESSAGE: Fields<RawRecord> = fields(
  {
    id: (cursor, record) => (record.messageId = cursor.interned(record.memory.messageId)),
    model: (cursor, record) => (record.model = cursor.interned(record.memory.model)),
    stop_reason: (cursor, record) => (record.stopReason = cursor.string()),
    usage: (cursor, record) => (record.usage = readUsage(cursor)),
    content: (cursor, record) => (record.blocks = readContent(cursor, record.memory)),
  },
  { constant: ['type', 'role', 'model', 'stop_reason', 'stop_sequence'], nested: ['usage', 'content'] },
);

const ORIGIN: Fields<{ originKind: string | undefined }> = fields({
  kind: (cursor, owner) => (owner.originKind = cursor.string()),
});

const ATTACHMENT: Fields<{ attachment: RawAttachment; memory: RecordMemory }> = fields({
  type: (cursor, { attachment }) => (attachment.type = cursor.string()),
  commandMode: (cursor, { attachment }) => (attachment.mode = cursor.string()),
  origin: (cursor, { attachment }) => {
    attachment.originKind = undefined; // a record may be read again, with another value
    cursor.object(ORIGIN, attachment);
  },
  isMeta: (cursor, { attachment }) => (attachment.isMeta = cursor.flag()),
  source_uuid: (cursor, { attachment }) => (attachment.command = cursor.hash()),
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

/** Everything that Keepit wants of a record; all other keys are walked over. */
export const RECORD: Fields<RawRecord> = fields(
  {
    type: (cursor, record) => (record.type = cursor.interned(record.memory.type)),
    subtype: (cursor, record) => (record.subtype = cursor.string()),
    uuid: readUuid,
    parentUuid: (cursor, record) => (record.parent = cursor.hash()),
    logicalParentUuid: (cursor, record) => (record.logicalParent = cursor.hash()),
    timestamp: readTimestamp,
    sessionId: envelopeField('sessionId', (cursor, memory) => ({ sessionId: cursor.interned(memory.sessionId) })),
    cwd: envelopeField('cwd', (cursor, memory) => ({ cwd: cursor.interned(memory.cwd) })),
    version: envelopeField('version', (cursor, memory) => ({ version: cursor.interned(memory.version) })),
    gitBranch: envelopeField('gitBranch', (cursor, memory) => ({ gitBranch: cursor.interned(memory.gitBranch) })),
    agentId: (cursor, record) => (record.agentId = cursor.interned(record.memory.agentId)),
    leafUuid: (cursor, record) => (record.leafUuid = cursor.string()),
    operation: (cursor, record) => (record.operation = cursor.string()),
    reason: (cursor, record) => (record.reason = cursor.string()),
    commandUuid: (cursor, record) => (record.command = cursor.hash()),
    origin: (cursor, record) => {
      record.originKind = undefined; // a record may be read again, with another value
      cursor.object(ORIGIN, record);
    },
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
    compactMetadata: (cursor, record) => {
      record.trigger = undefined; // a record may be read again, with another value
      record.preTokens = undefined;
      record.postTokens = undefined;
      cursor.object(COMPACT_METADATA, record);
    },
    toolUseResult: readToolUseResult,
    toolDenialKind: (cursor, record) => (record.toolDenialKind = cursor.string()),
  },
  {
    constant: ['type', 'subtype', 'isMeta', 'isCompactSummary', 'isApiErrorMessage', 'level', 'operation'],
    nested: ['message'],
    run: ['sessionId', 'cwd', 'version', 'gitBranch', 'isSidechain', 'userType', 'entrypoint'],
  },
);

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
  cursor.peek();
  const start = cursor.pos;
  record.id = cursor.hash();
  record.uuidStart = start;
  record.uuidEnd = cursor.pos;
}

function readTimestamp(cursor: JsonCursor, record: RawRecord): void {
  const isString = cursor.isString();
  const start = cursor.pos;
  cursor.skip();
  record.timeStart = start;
  record.timeEnd = cursor.pos;
  record.time = isString ? cursor.timeAt(start, cursor.pos) : NO_TIME;
  record.timestamp = isString && record.time === NO_TIME ? cursor.decode(start, cursor.pos) : undefined;
}

/** A copy of a tool result for the user interface: of most nothing is wanted but who did the work. */
function readToolUseResult(cursor: JsonCursor, record: RawRecord): void {
  cursor.peek();
  const start = cursor.pos;
  cursor.skip();
  record.copyStart = start;
  record.copyEnd = cursor.pos;
  if (record.memory.isDetailed) cursor.lookInto(start, () => cursor.object(TOOL_USE_RESULT, record));
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

function newAttachment(): RawAttachment {
  const sender = { originKind: undefined, isMeta: false, command: undefined };
  return { type: undefined, mode: undefined, ...sender, event: '', hook: '', texts: NO_BLOCKS, output: NO_BLOCKS };
}
