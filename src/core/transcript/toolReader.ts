import type { EntryDetail, ToolAnswer, ToolCall } from './entry';
import { decoded } from '../text/byteText';
import { ownValue } from '../text/ownValue';
import { rangeOf, fieldsOf, textOf, readContent, type RawBlock } from './jsonPlace';
import { preview } from '../text/secrets/cleanText';
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

/** Reads tool calls and their results without keeping more of them than a line to show. */
export class ToolReader {
  constructor(
    private readonly estimator: TokenEstimator,
    private readonly detail: EntryDetail,
  ) {}

  /** The call in a `tool_use` block. */
  call({ fields, place }: RawBlock, afterBlock: number): ToolCall {
    const name = textOf(fields['name']) ?? '';
    const tokens =
      this.estimator.estimate(name) +
      (fields['input'] === undefined ? 0 : this.estimator.sample(inputText(fields['input'])));
    const input = rangeOf(place?.member('input'));
    const call = { id: textOf(fields['id']) ?? '', name, target: '', input, tokens, afterBlock };
    if (this.detail === 'counts') return call;
    const given = fieldsOf(fields['input']);
    const told = (key: string): string | undefined => {
      const raw = ownValue(given, key);
      return typeof raw === 'string' ? previewOfRaw(raw) : undefined;
    };
    const target = firstText(TARGETS, told);
    const isAgent = name === 'Task' || name === 'Agent';
    return isAgent
      ? { ...call, target, prompt: told('prompt'), description: told('description') }
      : { ...call, target };
  }

  /** The result in a `tool_result` block; `copy` is the record's copy of it for the user interface. */
  answer({ fields, place }: RawBlock, copy: unknown): ToolAnswer {
    const parts = readContent(fields['content']);
    const images = parts.filter(({ type }) => type === 'image').length;
    let tokens = images * IMAGE_TOKENS;
    for (const { raw } of parts) if (raw !== undefined) tokens += this.estimator.sample(raw);
    return {
      toolUseId: textOf(fields['tool_use_id']) ?? '',
      isError: fields['is_error'] === true,
      range: rangeOf(place?.member('content')),
      preview: this.detail === 'full' ? previewOfRaw(parts.find(({ raw }) => raw !== undefined)?.raw ?? '') : '',
      images,
      tokens,
      agentId: textOf(fieldsOf(copy)['agentId']),
    };
  }
}

/** The first text in the content of a tool result. */
export function resultText({ content }: RawBlock['fields']): string | undefined {
  return textOf(readContent(content).find(({ raw }) => raw !== undefined)?.raw);
}

/** Of a byte text, which may have megabytes, only the beginning is decoded. */
function previewOfRaw(raw: string): string {
  return preview(decoded(raw.slice(0, PREVIEW_BYTES)));
}

const PREVIEW_BYTES = 8192;

/** What a call was given, as the model wrote it: as JSON, in which texts stand as they are. */
function inputText(input: unknown): string {
  const told = Object.entries(fieldsOf(input)).map(([key, value]) => {
    return `"${key}":${typeof value === 'string' ? `"${value}"` : jsonOf(value)}`;
  });
  return `{${told.join(',')}}`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return ''; // nested more deeply than can be written: nobody's input
  }
}

function firstText(keys: readonly string[], read: (key: string) => string | undefined): string {
  for (const key of keys) {
    const text = read(key);
    if (text !== undefined && text !== '') return text;
  }
  return '';
}
