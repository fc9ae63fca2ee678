/** Writes transcripts line by line, in the shape of Claude Code 2.1. */
export class TranscriptBuilder {
  readonly #lines: string[] = [];
  readonly #sessionId: string;
  readonly #cwd: string;
  #minute = 0;
  #last: string | null = null;

  constructor(sessionId: string, cwd = '/home/ada/src/app') {
    this.#sessionId = sessionId;
    this.#cwd = cwd;
  }

  /** The uuid of the last message's line. */
  get lastUuid(): string {
    return this.#last ?? '';
  }

  human(text: string, more: object = {}): this {
    return this.#message('user', { message: { role: 'user', content: text }, ...more });
  }

  assistant(text: string, more: object = {}): this {
    const id = `msg_${this.#sessionId}_${this.#lines.length}`;
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const content = [{ type: 'text', text }];
    const message = { id, type: 'message', role: 'assistant', model: 'claude-opus-4-8', content, usage };
    return this.#message('assistant', { message, ...more });
  }

  /** A tool is called, and answers. */
  result(content: unknown, tool: object = { name: 'WebFetch', input: { url: 'https://example.org' } }): this {
    const id = String(this.#lines.length);
    return this.toolCall(id, tool).toolResult(id, content);
  }

  toolCall(name: string, tool: object = { name: 'WebFetch', input: { url: 'https://example.org' } }): this {
    const id = `toolu_${name}`;
    const call = [{ type: 'tool_use', id, ...tool }];
    return this.assistant('', {
      message: { id: `msg_${id}`, role: 'assistant', model: 'claude-opus-4-8', content: call },
    });
  }

  toolResult(name: string, content: unknown): this {
    const result = { type: 'tool_result', tool_use_id: `toolu_${name}`, content };
    return this.human('', { message: { role: 'user', content: [result] } });
  }

  /** A title of this session, or of the one that owns `leafUuid`. */
  title(title: string, leafUuid?: string): this {
    return this.raw(
      JSON.stringify(
        leafUuid === undefined
          ? { type: 'ai-title', aiTitle: title, sessionId: this.#sessionId }
          : { type: 'summary', summary: title, leafUuid },
      ),
    );
  }

  /** The next message answers the line with this uuid: what came after it is a branch that was left. */
  rewindTo(uuid: string): this {
    this.#last = uuid;
    return this;
  }

  raw(line: string): this {
    this.#lines.push(line);
    return this;
  }

  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  #message(type: string, more: object): this {
    const uuid = `${this.#sessionId}-${this.#lines.length}`;
    const timestamp = new Date(Date.UTC(2026, 0, 15, 10, this.#minute++)).toISOString();
    const base = { parentUuid: this.#last, isSidechain: false, userType: 'external', cwd: this.#cwd };
    const place = { sessionId: this.#sessionId, version: '2.1.197', gitBranch: 'main' };
    this.#last = uuid;
    return this.raw(JSON.stringify({ ...base, ...place, type, uuid, timestamp, ...more }));
  }
}

/** A session of so many messages, human and assistant in turn. */
export function someTranscript(sessionId: string, messages = 4, cwd?: string): TranscriptBuilder {
  const builder = new TranscriptBuilder(sessionId, cwd);
  for (let index = 0; index < messages; index++) {
    if (index % 2 === 0) builder.human(`Question ${index} of ${sessionId}`);
    else builder.assistant(`Answer ${index}`);
  }
  return builder;
}
