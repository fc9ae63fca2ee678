import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';

/** How the server answers one request for a message. */
export interface FakeReply {
  /** The text of the answer. */
  text?: string;
  /** Tools that are called, beside the text. */
  tools?: readonly { name: string; input: object }[];
  stopReason?: string;
  usage?: Record<string, number>;
  /** An error instead of an answer. */
  status?: number;
  errorType?: string;
  message?: string;
  headers?: Record<string, string>;
  /** The answer comes when this is settled. */
  after?: Promise<unknown>;
  /** `silent`: nothing comes at all. `stuck`: half of the text. `dropped`: half, and the connection is cut. `garbage`: no JSON. */
  fault?: 'silent' | 'stuck' | 'dropped' | 'garbage';
}

const block = z.looseObject({ text: z.optional(z.string()) });
const content = z.union([z.string(), z.array(block)]);
const requestSchema = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.optional(z.boolean()),
  system: z.optional(content),
  messages: z.array(z.looseObject({ role: z.string(), content })),
});

/** A request as the server got it. */
export interface FakeRequest {
  readonly body: z.infer<typeof requestSchema>;
  readonly headers: http.IncomingHttpHeaders;
  /** What the user's messages say. */
  readonly prompt: string;
}

/** Anthropic's API as far as messages go, on this machine. Answers with what it is told, in order, then with `otherwise`. */
export class FakeAnthropic {
  readonly requests: FakeRequest[] = [];
  readonly replies: FakeReply[] = [];
  otherwise: (request: FakeRequest) => FakeReply = () => ({ text: 'an answer' });
  private readonly server: http.Server;
  private answered = 0;

  private constructor() {
    this.server = http.createServer((request, response) => void this.serve(request, response));
  }

  static async start(): Promise<FakeAnthropic> {
    const fake = new FakeAnthropic();
    await new Promise<void>((resolve) => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    const { port } = addressOf(this.server);
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => request.once('end', resolve));
    if (request.method !== 'POST' || request.url?.startsWith('/v1/messages') !== true) {
      response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
      return;
    }
    const body = requestSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const seen: FakeRequest = { body, headers: request.headers, prompt: promptOf(body) };
    this.requests.push(seen);
    this.answered += 1;
    const reply = this.replies.shift() ?? this.otherwise(seen);
    await reply.after;
    if (reply.fault === 'silent') return;
    if (reply.status !== undefined) {
      const { errorType: type = 'api_error', message = 'it failed' } = reply;
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify({ type: 'error', error: { type, message } }));
      return;
    }
    this.stream(reply, body.model, response);
  }

  private stream(reply: FakeReply, model: string, response: http.ServerResponse): void {
    const { text = '', tools = [], fault } = reply;
    const { stopReason = tools.length > 0 ? 'tool_use' : 'end_turn' } = reply;
    const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...reply.usage };
    const output = reply.usage?.output_tokens ?? 50;
    const send = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
    const common = { type: 'message', role: 'assistant', model, content: [], stop_sequence: null };
    const id = `msg_${this.answered}`;
    send('message_start', { message: { ...common, id, stop_reason: null, usage: { ...usage, output_tokens: 1 } } });
    send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    const delta = (part: string) =>
      send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: part } });
    const half = Math.ceil(text.length / 2);
    delta(text.slice(0, half));
    if (fault === 'stuck') return;
    if (fault === 'dropped') {
      setTimeout(() => response.destroy(), 20); // what was written is to arrive first
      return;
    }
    if (fault === 'garbage') response.write('event: content_block_delta\ndata: {"type":\n\n');
    delta(text.slice(half));
    send('content_block_stop', { index: 0 });
    for (const [at, { name, input }] of tools.entries()) {
      const index = at + 1;
      const use = { type: 'tool_use', id: `toolu_${this.answered}_${at}`, name, input: {} };
      send('content_block_start', { index, content_block: use });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
      send('content_block_delta', { index, delta });
      send('content_block_stop', { index });
    }
    send('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: output },
    });
    send('message_stop', {});
    response.end();
  }
}

function addressOf(server: http.Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address;
}

function promptOf({ messages }: z.infer<typeof requestSchema>): string {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content: said }) => (typeof said === 'string' ? said : said.map(({ text = '' }) => text).join('\n')))
    .join('\n');
}
