import { isObject } from '../model/migrations';
import { AnswerReader, type SaidInResult } from './resultWords';
import { readAuthorship, readReply, type Authorship } from './authorship';
import {
  uuidOf,
  type Entry,
  type EntryDetail,
  type HumanWords,
  type Note,
  type RecordBase,
  type ToolAnswer,
  type ToolCall,
} from './entry';
import { hash64 } from '../text/hash64';
import { decoded } from '../text/byteText';
import { ownValue, sumOf } from '../text/ownValue';
import {
  JsonPlace,
  rangeOf,
  fieldsOf,
  dateOf,
  numberOf,
  textOf,
  readContent,
  textPlace,
  type JsonFields,
  type RawBlock,
} from './jsonPlace';
import type { Line } from './lineScanner';
import { cut } from '../text/secrets/cleanText';
import type { TranscriptRecord } from './recordReader';
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

/** A record with the place of what is in it, where places are asked for. */
interface PlacedRecord {
  readonly fields: JsonFields;
  readonly place?: JsonPlace | undefined;
}

type Kind = (record: PlacedRecord, base: RecordBase) => Entry;

/** Turns records into entries. What a call was decides what its result means, so records are to come in file order. */
export class EntryReader {
  private readonly kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
    ['user', (record, base) => this.user(record, base)],
    ['assistant', (record, base) => this.assistant(record, base)],
    ['system', (record, base) => this.system(record, base)],
    ['attachment', (record, base) => this.attachment(record, base)],
    ['summary', ({ fields }, base) => title('summary', fields, base)],
    ['custom-title', ({ fields }, base) => title('custom', fields, base)],
    ['ai-title', ({ fields }, base) => title('ai', fields, base)],
    ['last-prompt', ({ fields }, base) => leaf(fields, base)],
    ['queue-operation', (record, base) => this.queue(record, base)],
  ]);
  private readonly tools: ToolReader;
  private readonly answers = new AnswerReader();

  constructor(
    private readonly estimator: TokenEstimator,
    private readonly detail: EntryDetail,
  ) {
    this.tools = new ToolReader(estimator, detail);
  }

  read({ fields, start, end }: TranscriptRecord, { text, line, offset }: Line): Entry {
    const base = baseOf(fields, { line, offset: offset + start, length: end - start });
    const type = textOf(fields['type']);
    const kind = this.kinds.get(type ?? '');
    if (kind === undefined) return skipped(base, unknownReason(type));
    return kind({ fields, place: this.detail === 'full' ? new JsonPlace(text, start, offset) : undefined }, base);
  }

  private user(record: PlacedRecord, base: RecordBase): Entry {
    const { fields } = record;
    const raw = messageBlocks(record);
    const results: ToolAnswer[] = [];
    for (const block of raw) {
      if (block.type === 'tool_result') results.push(this.tools.answer(block, fields['toolUseResult']));
    }
    if (fields['isCompactSummary'] === true) return note(base, 'compactSummary', beginning(raw));
    const isHarness = isFromHarness(fields);
    if (isHarness && results.length === 0) return note(base, 'meta', beginning(raw));
    const words = isHarness ? NO_WORDS : this.words(raw, base, { fields, isAlone: results.length === 1 });
    if (words.blocks.length > 0) {
      const { origin = 'prompt', blocks, tokens } = words;
      return { kind: 'human', base, origin, blocks, results, tokens };
    }
    if (results.length > 0) return { kind: 'toolResult', base, results, note: words.note, bare: words.bare };
    if (words.note === undefined) return skipped(base, 'empty');
    return { kind: 'note', base, note: words.note };
  }

  /** The human's own words among the blocks; when there are none, what the blocks are instead. `answered` is the record of tool results. */
  private words(
    raw: readonly RawBlock[],
    base: RecordBase,
    answered?: { readonly fields: JsonFields; readonly isAlone: boolean },
  ): Words {
    const words: Words = { blocks: [], origin: undefined, tokens: 0, note: undefined, bare: undefined };
    for (const block of raw) {
      const text = block.type === 'text' ? textOf(block.raw) : undefined;
      if (text !== undefined) this.addText(words, text, textPlace(block), base);
      else if (block.type === 'tool_result' && answered !== undefined) {
        const said = this.answers.said(block, answered.fields, answered.isAlone);
        if (said !== undefined) this.addAnswer(words, said, literalOfResult(block), base);
      } else if (block.type === 'image' || block.type === 'document') {
        words.blocks.push(this.opaque(block, block.type, base));
        words.tokens += IMAGE_TOKENS;
      }
    }
    return words;
  }

  private addText(words: Words, text: string, place: JsonPlace | undefined, base: RecordBase): void {
    const author = readAuthorship(text);
    if (author.kind === 'words' || (author.kind === 'command' && author.isRequest)) {
      const isStripped = author.kind === 'command' || author.isStripped;
      words.origin = author.kind === 'command' ? 'command' : 'prompt';
      words.blocks.push(this.textBlock(author.text, place, base, isStripped));
      words.tokens += this.estimator.estimate(author.text);
    } else words.note ??= noteOf(author);
  }

  private addAnswer(words: Words, said: SaidInResult, place: JsonPlace | undefined, base: RecordBase): void {
    const { text, isStripped, isBare } = said;
    const block = this.textBlock(text, place, base, isStripped);
    const tokens = this.estimator.estimate(text);
    if (isBare) words.bare = { blocks: [block], tokens };
    else {
      words.origin ??= 'answer';
      words.blocks.push(block);
      words.tokens += tokens;
    }
  }

  private assistant(record: PlacedRecord, base: RecordBase): Entry {
    const raw = messageBlocks(record);
    const message = fieldsOf(record.fields['message']);
    const model = textOf(message['model']);
    if (record.fields['isApiErrorMessage'] === true || model === '<synthetic>') {
      return note(base, 'apiError', cut(textIn(raw), EVENT_CHARS));
    }
    const blocks: MessageBlock[] = [];
    const tools: ToolCall[] = [];
    let tokens = 0;
    for (const block of raw) {
      if (isToolUse(block)) {
        const tool = this.tools.call(block, blocks.length);
        this.answers.called(tool);
        tokens += tool.tokens;
        tools.push(tool);
      } else if (block.type !== 'text') blocks.push(this.opaque(block, opaqueKind(block.type), base));
      else if (block.raw !== undefined) {
        const said = saidBy(model, decoded(block.raw));
        if (said === undefined) blocks.push(this.opaque(block, 'thinking', base));
        else if (!PLACEHOLDER.test(said.text)) {
          blocks.push(this.textBlock(said.text, textPlace(block), base, said.isStripped));
          tokens += this.estimator.estimate(said.text);
        }
      }
    }
    const messageId = textOf(message['id']);
    const stopReason = textOf(message['stop_reason']);
    const contextTokens = contextTokensOf(message);
    return { kind: 'assistant', base, messageId, model, contextTokens, stopReason, blocks, tools, tokens };
  }

  private system(record: PlacedRecord, base: RecordBase): Entry {
    const { fields } = record;
    const subtype = textOf(fields['subtype']);
    if (subtype === 'compact_boundary') {
      const metadata = fieldsOf(fields['compactMetadata']);
      const parent = textOf(fields['logicalParentUuid']) ?? base.parent;
      return {
        kind: 'boundary',
        base: { ...base, parent },
        trigger: textOf(metadata['trigger']),
        preTokens: numberOf(metadata['preTokens']),
        postTokens: numberOf(metadata['postTokens']),
      };
    }
    const text = textIn(contentBlocks(record));
    if (text === '') return skipped(base, reason('system', subtype));
    const author = readAuthorship(text);
    if (author.kind === 'note' || author.kind === 'command') {
      return note(base, author.kind === 'command' ? 'command' : author.event, cut(author.text, EVENT_CHARS));
    }
    return note(base, subtype === 'local_command' ? 'command' : 'system', cut(text, EVENT_CHARS));
  }

  private attachment(record: PlacedRecord, base: RecordBase): Entry {
    const attachment = fieldsOf(record.fields['attachment']);
    const type = textOf(attachment['type']);
    const mode = textOf(attachment['commandMode']);
    const texts = (key: string): RawBlock[] => {
      return readContent(ownValue(attachment, key), record.place?.member('attachment')?.member(key));
    };
    if (type === 'queued_command' && (mode === undefined || mode === 'prompt')) {
      return this.queued(attachment, attachment['prompt'] === undefined ? texts('content') : texts('prompt'), base);
    }
    if (type === 'hook_additional_context' || type === 'hook_success') {
      const content = textIn(texts('content'));
      const text = content === '' ? textIn(texts('stdout')) : content;
      if (text === '') return skipped(base, reason('attachment', type));
      const source = `${textOf(attachment['hookEvent']) ?? ''} ${textOf(attachment['hookName']) ?? ''}`.trim();
      return { kind: 'note', base, note: { kind: 'hookContext', text, source } };
    }
    return skipped(base, reason('attachment', type));
  }

  private queued(attachment: JsonFields, texts: readonly RawBlock[], base: RecordBase): Entry {
    const command = textOf(attachment['source_uuid']);
    if (isFromHarness(attachment)) {
      return { kind: 'note', base, note: { kind: 'meta', text: beginning(texts) }, command };
    }
    const { blocks, tokens, note } = this.words(texts, base);
    if (blocks.length > 0) return { kind: 'human', base, origin: 'queued', blocks, results: [], tokens, command };
    return note === undefined ? skipped(base, 'empty') : { kind: 'note', base, note, command };
  }

  private queue(record: PlacedRecord, base: RecordBase): Entry {
    const { fields } = record;
    const operation = textOf(fields['operation']) ?? '';
    const content = contentBlocks(record);
    const text = textIn(content);
    if (operation !== 'enqueue' || base.uuid !== undefined) {
      const command = textOf(fields['commandUuid']);
      return { kind: 'queue', base, operation, text, reason: textOf(fields['reason']), command };
    }
    // A weight that is changed in the transcript leaves its prompt the one that it was.
    const unweighted = text.replace(/##keepit[\d.]{1,8}##/gi, '##keepit##');
    const uuid = `queued-${hash64(`${base.sessionId ?? ''}\0${textOf(fields['timestamp']) ?? ''}\0${unweighted}`)}`;
    const own = { ...base, uuid };
    const { blocks, tokens } = this.words(content, own);
    const words: HumanWords | undefined = blocks.length === 0 ? undefined : { blocks, tokens };
    return { kind: 'queue', base: words === undefined ? base : own, operation, text, words };
  }

  private textBlock(text: string, place: JsonPlace | undefined, base: RecordBase, stripped: boolean): MessageBlock {
    return { kind: 'text', text, uuid: uuidOf(base), line: base.line, range: rangeOf(place), stripped };
  }

  private opaque({ place }: RawBlock, kind: OpaqueBlock['kind'], base: RecordBase): OpaqueBlock {
    return { kind, uuid: uuidOf(base), line: base.line, range: rangeOf(place) };
  }
}

function baseOf(fields: JsonFields, place: ByteRange & { readonly line: number }): RecordBase {
  return {
    line: place.line,
    offset: place.offset,
    length: place.length,
    uuid: textOf(fields['uuid']),
    parent: textOf(fields['parentUuid']),
    timestamp: dateOf(fields['timestamp']),
    sessionId: textOf(fields['sessionId']),
    cwd: textOf(fields['cwd']),
    version: textOf(fields['version']),
    gitBranch: textOf(fields['gitBranch']),
    agentId: textOf(fields['agentId']),
    isSidechain: fields['isSidechain'] === true,
  };
}

/** The blocks of a record's message. */
export function messageBlocks({ fields, place }: PlacedRecord): RawBlock[] {
  return readContent(fieldsOf(fields['message'])['content'], place?.member('message')?.member('content'));
}

function contentBlocks({ fields, place }: PlacedRecord): RawBlock[] {
  return readContent(fields['content'], place?.member('content'));
}

/** Where the literal of a result's first text stands. */
function literalOfResult({ fields, place }: RawBlock): JsonPlace | undefined {
  const first = readContent(fields['content'], place?.member('content')).find(({ raw }) => raw !== undefined);
  return first && textPlace(first);
}

function textIn(blocks: readonly RawBlock[]): string {
  return blocks.flatMap(({ raw }) => textOf(raw) ?? []).join('\n');
}

function beginning(blocks: readonly RawBlock[]): string {
  return cut(textIn(blocks.filter(({ type }) => type === 'text')), EVENT_CHARS);
}

/** What the assistant said in a text; undefined where it only thought. */
function saidBy(
  model: string | undefined,
  text: string,
): Pick<Authorship & { kind: 'words' }, 'text' | 'isStripped'> | undefined {
  if (model === OWN_MODEL) return { text, isStripped: false };
  const reply = readReply(text);
  return reply.kind === 'words' ? reply : undefined;
}

/** What the model read for an answer, as the API reported it. */
function contextTokensOf({ usage }: JsonFields): number | undefined {
  if (!isObject(usage)) return undefined;
  const told = [usage['input_tokens'], usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']];
  return sumOf(told, (figure) => numberOf(figure) ?? 0);
}

/** Whether something else than a person sent it, as the client says. */
function isFromHarness({ isMeta, origin }: JsonFields): boolean {
  const sender = textOf(fieldsOf(origin)['kind']);
  return isMeta === true || (sender !== undefined && sender !== 'human');
}

interface Words {
  readonly blocks: MessageBlock[];
  origin: MessageOrigin | undefined;
  tokens: number;
  note: Note | undefined;
  bare: HumanWords | undefined;
}

const NO_WORDS: Words = { blocks: [], origin: undefined, tokens: 0, note: undefined, bare: undefined };

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

const TITLE_KEYS = { custom: 'customTitle', ai: 'aiTitle', summary: 'summary' } as const;

function title(source: keyof typeof TITLE_KEYS, fields: JsonFields, base: RecordBase): Entry {
  const text = textOf(fields[TITLE_KEYS[source]])?.trim() ?? '';
  if (text === '') return skipped(base, 'empty');
  return { kind: 'title', base, source, title: text, leafUuid: textOf(fields['leafUuid']) };
}

function leaf(fields: JsonFields, base: RecordBase): Entry {
  const leafUuid = textOf(fields['leafUuid']);
  return leafUuid === undefined ? skipped(base, 'last-prompt') : { kind: 'leaf', base, leafUuid };
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

function unknownReason(type: string | undefined): string {
  if (type === undefined) return 'no type';
  return KNOWN_AND_UNUSED.has(type) ? type : cut(`unknown type ${type}`, MAX_REASON_CHARS);
}
