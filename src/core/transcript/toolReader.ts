import type { EntryDetail, ToolAnswer, ToolCall } from './entry';
import { ownValue } from '../text/ownValue';
import { fieldsOf, textOf, readContent, type RawBlock } from './jsonFields';
import type { Span } from './jsonWalker';
import { preview } from './previewText';
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

type Ranger = (span: Span | undefined) => ByteRange;

/** Reads tool calls and their results without keeping more of them than a line to show. */
export class ToolReader {
  constructor(
    private readonly estimator: TokenEstimator,
    private readonly detail: EntryDetail,
  ) {}

  /** The call in a `tool_use` block. */
  call({ fields, place }: RawBlock, range: Ranger, afterBlock: number): ToolCall {
    const name = textOf(fields['name']) ?? '';
    const tokens =
      this.estimator.estimate(name) +
      (fields['input'] === undefined ? 0 : this.estimator.sample(inputText(fields['input'])));
    const input = range(place?.members.get('input'));
    const call = { id: textOf(fields['id']) ?? '', name, target: '', input, tokens, afterBlock };
    if (this.detail === 'counts') return call;
    const given = fieldsOf(fields['input']);
    const told = (key: string): string | undefined => {
      const text = textOf(ownValue(given, key));
      return text === undefined ? undefined : preview(text);
    };
    const target = firstText(TARGETS, told);
    const isAgent = name === 'Task' || name === 'Agent';
    return isAgent
      ? { ...call, target, prompt: told('prompt'), description: told('description') }
      : { ...call, target };
  }

  /** The result in a `tool_result` block; `copy` is the record's copy of it for the user interface. */
  answer({ fields, place }: RawBlock, range: Ranger, copy: unknown): ToolAnswer {
    const parts = readContent(fields['content'], undefined);
    const images = parts.filter(({ type }) => type === 'image').length;
    let tokens = images * IMAGE_TOKENS;
    for (const { text } of parts) if (text !== undefined) tokens += this.estimator.sample(text);
    const first = this.detail === 'full' ? resultText(fields) : undefined;
    return {
      toolUseId: textOf(fields['tool_use_id']) ?? '',
      isError: fields['is_error'] === true,
      range: range(place?.members.get('content')),
      preview: first === undefined ? '' : preview(first),
      images,
      tokens,
      agentId: textOf(fieldsOf(copy)['agentId']),
    };
  }
}

/** The first text in the content of a tool result. */
export function resultText({ content }: RawBlock['fields']): string | undefined {
  return readContent(content, undefined).find(({ text }) => text !== undefined)?.text;
}

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
