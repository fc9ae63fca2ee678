import type { Random } from './random';
import type { TextPool } from './textPool';

/** Mean sizes in characters; together they give the shares of real transcripts (see the generator's test). */
const SIZE = {
  humanPrompt: 300,
  assistantProse: 170,
  thinking: 900,
  toolInput: 420,
  toolResult: 2_100,
  toolUseResult: 3_750,
  progress: 1_050,
  image: 46_000,
};

const IMAGE_PROBABILITY = 1 / 42;
const MODELS = ['claude-sonnet-4-5-20250929', 'claude-opus-4-5-20251101', 'claude-haiku-4-5-20251001'] as const;
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Write', 'Task'] as const;
const STEP_MS = 7_000;

/** Who writes, and where; a sub-agent's file bears its parent's session id. */
export interface SessionIdentity {
  readonly sessionId: string;
  readonly cwd: string;
  readonly startMs: number;
  readonly agentId?: string;
}

/** Makes the records of one session, line by line, in the shapes of Claude Code 2.1. */
export class SessionWriter {
  private parentUuid: string | null = null;
  private timeMs: number;
  private contextTokens = 14_000;
  private readonly model: string;

  constructor(
    private readonly identity: SessionIdentity,
    private readonly random: Random,
    private readonly pool: TextPool,
  ) {
    this.timeMs = identity.startMs;
    this.model = random.pick(MODELS);
  }

  /** A human prompt and everything that follows up to the next one. */
  *turn(): Generator<string> {
    if (this.random.chance(0.3)) yield this.snapshot();
    yield this.record('user', {
      message: { role: 'user', content: this.pool.prose(this.random.length(SIZE.humanPrompt)) },
    });
    for (let step = this.random.int(3, 14); step > 0; step--) yield* this.step();
    yield this.assistant(this.messageId(), { type: 'text', text: this.prose() }, 'end_turn');
    if (this.random.chance(0.2))
      yield this.record('system', { subtype: 'turn_duration', durationMs: 48_211, isMeta: false });
  }

  /** A tool result of exactly this many characters: the lines of many megabytes that a reader has to stand. */
  hugeToolResult(characters: number): string {
    return this.toolResult(this.toolId(), this.pool.code(characters));
  }

  private *step(): Generator<string> {
    const messageId = this.messageId();
    const toolId = this.toolId();
    if (this.random.chance(0.35)) yield this.assistant(messageId, this.thinking(), null);
    if (this.random.chance(0.3)) yield this.assistant(messageId, { type: 'text', text: this.prose() }, null);
    const name = this.random.pick(TOOLS);
    const input = {
      file_path: `${this.identity.cwd}/src/orders.ts`,
      content: this.pool.code(this.random.length(SIZE.toolInput)),
    };
    yield this.assistant(messageId, { type: 'tool_use', id: toolId, name, input }, 'tool_use');
    for (let count = this.random.int(0, 4); count > 0; count--) yield this.progress(toolId);
    const isImage = this.random.chance(IMAGE_PROBABILITY);
    yield isImage
      ? this.imageResult(toolId)
      : this.toolResult(toolId, this.pool.code(this.random.length(SIZE.toolResult)));
  }

  private record(type: string, fields: Record<string, unknown>): string {
    const { sessionId, cwd, agentId } = this.identity;
    const uuid = this.random.uuid();
    this.timeMs += this.random.int(200, STEP_MS);
    const text = JSON.stringify({
      parentUuid: this.parentUuid,
      isSidechain: agentId !== undefined,
      userType: 'external',
      cwd,
      sessionId,
      version: '2.1.114',
      gitBranch: 'main',
      ...(agentId !== undefined && { agentId }),
      type,
      ...fields,
      uuid,
      timestamp: new Date(this.timeMs).toISOString(),
    });
    this.parentUuid = uuid;
    return text;
  }

  /** One line of a message of the API; all lines of a message repeat its id and its usage. */
  private assistant(id: string, block: Record<string, unknown>, stopReason: string | null): string {
    this.contextTokens += 350;
    return this.record('assistant', {
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: this.model,
        content: [block],
        stop_reason: stopReason,
        stop_sequence: null,
        usage: {
          input_tokens: 4,
          cache_creation_input_tokens: 350,
          cache_read_input_tokens: this.contextTokens,
          output_tokens: this.random.int(20, 900),
          service_tier: 'standard',
        },
      },
      requestId: `req_${id.slice(4)}`,
    });
  }

  private toolResult(toolId: string, content: string): string {
    return this.record('user', {
      message: {
        role: 'user',
        content: [{ tool_use_id: toolId, type: 'tool_result', content, is_error: this.random.chance(0.06) }],
      },
      toolUseResult: {
        stdout: this.pool.code(this.random.length(SIZE.toolUseResult)),
        stderr: '',
        interrupted: false,
        isImage: false,
      },
    });
  }

  private imageResult(toolId: string): string {
    const source = { type: 'base64', media_type: 'image/png', data: this.pool.base64(this.random.length(SIZE.image)) };
    return this.record('user', {
      message: {
        role: 'user',
        content: [{ tool_use_id: toolId, type: 'tool_result', content: [{ type: 'image', source }] }],
      },
    });
  }

  private progress(toolId: string): string {
    return this.record('progress', {
      data: { type: 'bash_progress', output: this.pool.code(this.random.length(SIZE.progress)), elapsedTimeSeconds: 3 },
      toolUseID: `bash-progress-${this.random.int(0, 99)}`,
      parentToolUseID: toolId,
    });
  }

  private snapshot(): string {
    const messageId = this.random.uuid();
    const timestamp = new Date(this.timeMs).toISOString();
    const snapshot = { messageId, trackedFileBackups: {}, timestamp };
    return JSON.stringify({ type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false });
  }

  private thinking(): Record<string, unknown> {
    const thinking = this.pool.prose(this.random.length(SIZE.thinking));
    return { type: 'thinking', thinking, signature: this.pool.base64(340) };
  }

  private prose(): string {
    return this.pool.prose(this.random.length(SIZE.assistantProse));
  }

  private messageId(): string {
    return `msg_01${this.random.hex(22)}`;
  }

  private toolId(): string {
    return `toolu_01${this.random.hex(22)}`;
  }
}
