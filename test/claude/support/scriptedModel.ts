import * as z from 'zod/mini';
import { eventually } from './eventually';
import { FakeAnthropic, type FakeReply, type FakeRequest } from '../../unit/support/fakeAnthropic';

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  content: z.optional(z.unknown()),
  id: z.optional(z.string()),
  input: z.optional(z.unknown()),
  tool_use_id: z.optional(z.string()),
  tool_name: z.optional(z.string()),
});
const messageSchema = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) });
const toolSchema = z.looseObject({ name: z.string(), description: z.optional(z.string()) });

/** What the model was sent in one request, as text. */
export class Sent {
  constructor(private readonly request: FakeRequest) {}

  get sessionId(): string {
    return String(this.request.headers['x-claude-code-session-id']);
  }

  /** The texts of all messages in their order, wherever Claude Code puts what hooks say: in `system` messages, or in reminders. */
  get texts(): string[] {
    return this.request.body.messages.flatMap((message) => {
      const { content } = messageSchema.parse(message);
      return typeof content === 'string' ? [content] : content.flatMap(textsOf);
    });
  }

  get all(): string {
    return this.texts.join('\n');
  }

  /** What stands in the conversation after the last time that this was said. */
  after(words: string): string {
    const { all } = this;
    const at = all.lastIndexOf(words);
    if (at === -1) throw new Error(`nobody said ${words}`);
    return all.slice(at);
  }

  /** The last text that came with a tool's answer. */
  get lastResult(): string {
    return this.results.at(-1) ?? '';
  }

  get results(): string[] {
    return this.blocks.filter(({ type }) => type === 'tool_result').map((block) => textsOf(block).join('\n'));
  }

  /** What was asked of tools, as JSON, and what they answered: answers come as they are ready. */
  get resultsByCall(): [input: string, result: string][] {
    return this.blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => {
        const call = this.blocks.find(({ id }) => id === block.tool_use_id);
        return [JSON.stringify(call?.input), textsOf(block).join('\n')];
      });
  }

  private get blocks(): z.infer<typeof blockSchema>[] {
    return this.request.body.messages.flatMap((message) => {
      const { content } = messageSchema.parse(message);
      return typeof content === 'string' ? [] : content;
    });
  }

  /** Whether the model can call a tool: it is there, or named as one that can be loaded. */
  offers(tool: string): boolean {
    return this.tools.some(({ name }) => name === tool) || this.all.split('\n').includes(tool);
  }

  get tools(): z.infer<typeof toolSchema>[] {
    const parsed = z.array(toolSchema).safeParse(this.request.body.tools);
    return parsed.success ? parsed.data : [];
  }

  /** How often something is said. */
  count(words: string): number {
    return this.all.split(words).length - 1;
  }

  /** Whether Claude Code asks for the summary of a compaction. */
  get isCompaction(): boolean {
    return /CRITICAL: Respond with TEXT ONLY|Your task is to create a detailed summary/.test(this.all);
  }
}

/** A model of ours for Claude Code: says what it is told, in order, then the same to everything. */
export class ScriptedModel {
  private readonly script: FakeReply[] = [];
  /** For conversations beside it, by words that only they hold. */
  private readonly asides = new Map<string, FakeReply[]>();

  private constructor(private readonly server: FakeAnthropic) {
    server.otherwise = (request) => this.replyTo(request);
  }

  static async start(): Promise<ScriptedModel> {
    return new ScriptedModel(await FakeAnthropic.start());
  }

  get url(): string {
    return this.server.url;
  }

  /** What the next requests of a conversation are answered with, compactions and what Claude Code asks beside it not counted. */
  says(...replies: FakeReply[]): void {
    this.script.push(...replies);
  }

  /** What an agent is answered with, known by its task: it may work while the conversation that asked for it goes on. */
  saysToAgent(task: string, ...replies: FakeReply[]): void {
    this.asides.set(task, replies);
  }

  /** Calls a tool, then ends with a word. */
  calls(name: string, input: object, text = 'Done.'): void {
    this.says({ text: `I use ${name}.`, tools: [{ name, input }] }, { text });
  }

  /** All that was asked with tools at hand: conversations, and compactions of them. */
  get sent(): Sent[] {
    return this.server.requests.filter(({ body: { tools } }) => hasTools(tools)).map((request) => new Sent(request));
  }

  /** Waits until so many more were asked. */
  async asked(count: number): Promise<void> {
    const { length } = this.sent;
    await eventually(`${count} more requests`, () => this.sent.length >= length + count);
  }

  get last(): Sent {
    const last = this.sent.at(-1);
    if (last === undefined) throw new Error('nothing was sent to the model');
    return last;
  }

  /** How often anything was asked, with tools or without. */
  get requests(): number {
    return this.server.requests.length;
  }

  /** What one session asked in its turns, compactions not among them. */
  of(sessionId: string): Sent[] {
    return this.sent.filter((sent) => sent.sessionId === sessionId && !sent.isCompaction);
  }

  /** The last request of a conversation in which this was said. */
  with(words: string): Sent {
    const found = this.sent.findLast((sent) => !sent.isCompaction && sent.all.includes(words));
    if (found === undefined) throw new Error(`no request has: ${words}`);
    return found;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private replyTo(request: FakeRequest): FakeReply {
    if (!hasTools(request.body.tools)) return { text: 'A title' };
    if (new Sent(request).isCompaction) {
      return { text: '<analysis>It was short.</analysis>\n<summary>\nWHAT WAS SAID BEFORE.\n</summary>' };
    }
    const { all } = new Sent(request);
    const [, aside] = [...this.asides].find(([task]) => all.includes(task)) ?? [];
    return (aside ?? this.script).shift() ?? { text: 'All right.' };
  }
}

function hasTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

function textsOf(block: z.infer<typeof blockSchema>): string[] {
  if (block.text !== undefined) return [block.text];
  if (block.tool_name !== undefined) return [block.tool_name]; // found by the search for tools
  if (typeof block.content === 'string') return [block.content];
  const blocks = z.array(blockSchema).safeParse(block.content);
  return blocks.success ? blocks.data.flatMap(textsOf) : [];
}
