import type { ExcerptReader } from '../../../src/core/material/toolDetails';
import type {
  ByteRange,
  Conversation,
  ConversationEvent,
  Message,
  MessageBlock,
  TextBlock,
  ToolResult,
  ToolStep,
  Turn,
} from '../../../src/core/transcript/types';

/** A transcript file in memory: what is written to it gets a range, which can be read back. */
export class FakeTranscriptFile implements ExcerptReader {
  readonly reads: { ranges: readonly ByteRange[]; maxBytes: number }[] = [];
  private text = '';

  write(json: unknown): ByteRange {
    const piece = JSON.stringify(json);
    const range = { offset: this.text.length, length: piece.length };
    this.text += `${piece}\n`;
    return range;
  }

  read(ranges: readonly ByteRange[], maxBytes: number): Promise<readonly string[]> {
    this.reads.push({ ranges, maxBytes });
    return Promise.resolve(
      ranges.map(({ offset, length }) => this.text.slice(offset, offset + Math.min(length, maxBytes))),
    );
  }
}

let lines = 0;

/** Every record of a test gets a line of its own. */
function nextLine(): number {
  lines += 1;
  return lines;
}

const nowhere: ByteRange = { offset: 0, length: 0 };

export function textBlock(text: string): TextBlock {
  const line = nextLine();
  return { kind: 'text', text, uuid: `block-${line}`, line, range: nowhere, stripped: false };
}

export function message(fields: Partial<Message> & { blocks?: readonly MessageBlock[] }): Message {
  const blocks = fields.blocks ?? [];
  const line = blocks[0]?.line ?? nextLine();
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  return {
    index: 0,
    uuid: `message-${line}`,
    lineUuids: [],
    role: 'assistant',
    origin: fields.role === 'user' ? 'prompt' : 'assistant',
    timestamp: '2026-01-15T10:00:00Z',
    blocks,
    text: texts.join('\n\n'),
    tools: [],
    line,
    offset: 0,
    tokens: 10,
    resultTokens: 0,
    ...fields,
  };
}

export function toolStep(file: FakeTranscriptFile, fields: ToolFields): ToolStep {
  const { input = {}, result, ...rest } = fields;
  const line = nextLine();
  return {
    id: `tool-${line}`,
    name: 'Bash',
    target: '',
    input: file.write(input),
    tokens: 5,
    uuid: `tool-${line}`,
    line,
    timestamp: '2026-01-15T10:00:00Z',
    afterBlock: 0,
    ...(result !== undefined && { result: toolResult(file, result) }),
    ...rest,
  };
}

type ToolFields = Omit<Partial<ToolStep>, 'input' | 'result'> & {
  input?: unknown;
  result?: Partial<ToolResult> & { content: unknown };
};

function toolResult(
  file: FakeTranscriptFile,
  { content, ...fields }: Partial<ToolResult> & { content: unknown },
): ToolResult {
  const range = file.write(content);
  const line = nextLine();
  return {
    isError: false,
    bytes: range.length,
    range,
    preview: '',
    images: 0,
    tokens: 3,
    uuid: `result-${line}`,
    line,
    timestamp: '2026-01-15T10:00:05Z',
    ...fields,
  };
}

export function event(fields: Partial<ConversationEvent>): ConversationEvent {
  const line = nextLine();
  return {
    kind: 'system',
    text: '',
    uuid: `event-${line}`,
    line,
    offset: 0,
    length: 0,
    timestamp: '2026-01-15T10:00:00Z',
    beforeMessage: 0,
    isLive: true,
    ...fields,
  };
}

/** A turn for each human message; the indices are given here. */
export function conversation(messages: readonly Message[], fields: Partial<Conversation> = {}): Conversation {
  const numbered = messages.map((one, index) => ({ ...one, index }));
  const turns: Turn[] = [];
  for (const one of numbered) {
    const last = turns.at(-1);
    const times = { startedAt: '2026-01-15T10:00:00Z', endedAt: '2026-01-15T10:02:00Z' };
    if (one.role === 'user') turns.push({ index: turns.length, human: one, messages: [one], ...times });
    else if (last === undefined) turns.push({ index: 0, messages: [one], ...times });
    else turns[turns.length - 1] = { ...last, messages: [...last.messages, one] };
  }
  return {
    messages: numbered,
    turns,
    abandoned: [],
    events: [],
    agents: [],
    titles: { foreign: [] },
    meta: {
      sessionIds: [],
      copiedFrom: [],
      cwds: {},
      versions: [],
      models: { 'claude-test': 1 },
      compactions: [],
      firstTimestamp: '2026-01-15T10:00:00Z',
      lastTimestamp: '2026-01-15T18:30:00Z',
    },
    account: { lines: 10, used: 8, skipped: { progress: 2 }, brokenCount: 0, broken: [], salvaged: [] },
    end: { offset: 0, line: 0 },
    ...fields,
  };
}
