import { fields, type Fields } from './fieldTable';
import type { JsonCursor } from './jsonCursor';
import type { RecordMemory } from './recordMemory';

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

const NO_SPANS: readonly Span[] = [];

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

const RESULT_PART: Fields<ResultPart> = fields({
  type: (cursor, part) => (part.type = cursor.string()),
  text: (cursor, part) => (part.text = stringSpan(cursor)),
});

const BLOCK: Fields<{ block: RawBlock; memory: RecordMemory }> = fields(
  {
    type: (cursor, { block, memory }) => (block.type = cursor.interned(memory.blockType)),
    text: (cursor, { block }) => (block.text = stringSpan(cursor)),
    id: (cursor, { block }) => (block.id = stringSpan(cursor)),
    name: (cursor, { block, memory }) => (block.name = cursor.interned(memory.toolName)),
    input: (cursor, { block, memory }) => readInput(cursor, block, memory),
    tool_use_id: (cursor, { block }) => (block.toolUseId = stringSpan(cursor)),
    is_error: (cursor, { block }) => (block.isError = cursor.flag()),
    content: (cursor, { block }) => readResultContent(cursor, block),
  },
  { constant: ['type', 'is_error'] },
);

/** A string, or a list of strings and blocks; an object stands for a list of one. Anything else holds nothing. */
export function readContent(cursor: JsonCursor, memory: RecordMemory): RawBlock[] {
  const blocks: RawBlock[] = [];
  if (cursor.isList()) cursor.list(() => readBlock(cursor, blocks, memory));
  else readBlock(cursor, blocks, memory);
  return blocks;
}

function readBlock(cursor: JsonCursor, blocks: RawBlock[], memory: RecordMemory): void {
  const isString = cursor.isString();
  if (!cursor.isObject()) {
    cursor.giveUpShape();
    if (!isString) {
      cursor.skip();
      return;
    }
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
  cursor.skip();
  block.input = { start, end: cursor.pos };
  if (!memory.isDetailed) return;
  const hints: InputHints = new Map();
  cursor.lookInto(start, () => cursor.object(INPUT, hints));
  block.inputHints = hints;
}

function readResultContent(cursor: JsonCursor, block: RawBlock): void {
  const isList = cursor.isList();
  const start = cursor.pos;
  const texts: Span[] = [];
  block.contentImages = 0; // a record may be read again, with another value
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

function stringSpan(cursor: JsonCursor): Span | undefined {
  const isString = cursor.isString();
  const start = cursor.pos;
  cursor.skip();
  return isString ? { start, end: cursor.pos } : undefined;
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
