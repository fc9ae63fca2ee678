import type { ToolAnswer, ToolCall } from './entry';
import type { JsonCursor } from './jsonCursor';
import { previewLiteral } from './previewText';
import type { RawBlock, Span } from './rawBlock';
import type { RawRecord } from './rawRecord';
import type { ByteRange } from './types';
import type { TokenEstimator } from '../text/tokens/tokenCounter';

/** What an image costs a model when its size is not known: a picture of about one megapixel. */
export const IMAGE_TOKENS = 1500;

/** Which member of a call's input says best what it is about. */
const TARGETS = [
  'file_path',
  'notebook_path',
  'command',
  'url',
  'query',
  'pattern',
  'path',
  'description',
  'skill',
  'subject',
  'prompt',
  'taskId',
  'bash_id',
  'shell_id',
];

type Ranger = (span: Span) => ByteRange;

/** Reads tool calls and their results without decoding more of them than a line to show. */
export class ToolReader {
  constructor(
    private readonly cursor: JsonCursor,
    private readonly estimator: TokenEstimator,
    private readonly isDetailed: boolean,
  ) {}

  /** The call in a `tool_use` block. */
  call(block: RawBlock, range: Ranger, afterBlock: number, bytes: Uint8Array): ToolCall {
    const name = block.name ?? '';
    const input = block.input ?? { start: block.start, end: block.start };
    const tokens = this.estimator.estimate(name) + this.estimator.estimateBytes(bytes, input.start, input.end);
    const call = { id: this.id(block.id), name, target: '', input: range(input), tokens, afterBlock };
    if (!this.isDetailed) return call;
    const isAgent = name === 'Task' || name === 'Agent';
    const hint = (key: string): string | undefined => {
      const span = block.inputHints?.get(key);
      return span && previewLiteral(this.cursor, bytes, span);
    };
    const target = firstText(TARGETS, hint);
    return isAgent
      ? { ...call, target, prompt: hint('prompt'), description: hint('description') }
      : { ...call, target };
  }

  /** The results in a user record. */
  answers(record: RawRecord, range: Ranger, bytes: Uint8Array): ToolAnswer[] {
    const answers: ToolAnswer[] = [];
    for (const block of record.blocks) {
      if (block.type === 'tool_result') answers.push(this.answer(block, record, range, bytes));
    }
    return answers;
  }

  /** Both kinds of reading must find the same records broken; only one needs the id. */
  private id(span: Span | undefined): string {
    if (span === undefined) return '';
    if (this.isDetailed) return this.cursor.decode(span.start, span.end);
    this.cursor.check(span.start, span.end);
    return '';
  }

  private answer(block: RawBlock, record: RawRecord, range: Ranger, bytes: Uint8Array): ToolAnswer {
    let tokens = block.contentImages * IMAGE_TOKENS;
    for (const { start, end } of block.contentTexts) tokens += this.estimator.estimateBytes(bytes, start + 1, end - 1);
    const first = block.contentTexts[0];
    return {
      toolUseId: this.id(block.toolUseId),
      isError: block.isError,
      range: range(block.content ?? { start: block.end, end: block.end }),
      preview: this.isDetailed && first !== undefined ? previewLiteral(this.cursor, bytes, first) : '',
      images: block.contentImages,
      tokens,
      agentId: record.resultAgentId,
    };
  }
}

function firstText(keys: readonly string[], read: (key: string) => string | undefined): string {
  for (const key of keys) {
    const text = read(key);
    if (text !== undefined && text !== '') return text;
  }
  return '';
}
