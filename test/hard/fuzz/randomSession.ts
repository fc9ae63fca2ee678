import type { Chance } from './chance';
import { damagedBytes, damagedValue } from './damage';
import { hostileText, hostileWord } from './hostileText';

/** A record of a transcript, as Claude Code writes them. */
type Json = Record<string, unknown>;

export interface SessionPlan {
  readonly sessionId: string;
  readonly cwd: string;
  readonly records: number;
  /** How often a line is damaged, from 0 to 1. */
  readonly damage: number;
  readonly chance: Chance;
  /** So many different words are said at its end, if any: the search index gets several pages of them. */
  readonly differentWords?: number;
}

/** Writes the lines of one session: every kind of record that is known, in any order, with texts that nobody likes to read. */
export class RandomSession {
  private readonly chance: Chance;
  private readonly uuids: string[] = [];
  private readonly openTools: { id: string; name: string; input: unknown }[] = [];
  private timeMs = Date.parse('2026-01-05T09:00:00.000Z');

  constructor(private readonly plan: SessionPlan) {
    this.chance = plan.chance;
  }

  write(): Buffer {
    const lines = Array.from({ length: this.plan.records }, () => this.line());
    const { differentWords = 0 } = this.plan;
    if (differentWords > 0) lines.push(Buffer.from(JSON.stringify(this.wordy(differentWords))));
    const newline = Buffer.from(this.chance.is(0.05) ? '\r\n' : '\n');
    return Buffer.concat(lines.flatMap((line) => [line, newline]));
  }

  private line(): Buffer {
    const record = this.record();
    if (!this.chance.is(this.plan.damage)) return Buffer.from(JSON.stringify(record));
    if (this.chance.is(0.6)) return Buffer.from(JSON.stringify(damagedValue(record, this.chance)));
    return Buffer.from(damagedBytes(Buffer.from(JSON.stringify(record)), this.chance).filter((byte) => byte !== 0x0a));
  }

  private record(): Json {
    const kinds: [number, () => Json][] = [
      [6, () => this.prompt()],
      [6, () => this.answer()],
      [6, () => this.toolCall()],
      [6, () => this.toolResult()],
      [1, () => this.compaction()],
      [1, () => this.summary()],
      [1, () => this.queued()],
      [1, () => this.attachment()],
      [1, () => this.loose()],
    ];
    let left = this.chance.below(kinds.reduce((sum, [share]) => sum + share, 0));
    for (const [share, make] of kinds) if ((left -= share) < 0) return make();
    return this.prompt();
  }

  private chained(type: string, fields: Json): Json {
    this.timeMs += this.chance.below(60_000);
    const parent = this.chance.is(0.9) ? this.uuids.at(-1) : this.uuids.at(this.chance.below(this.uuids.length + 1));
    const uuid = this.chance.is(0.03) ? (this.uuids.at(-1) ?? 'u') : randomUUIDFrom(this.chance);
    this.uuids.push(uuid);
    return {
      parentUuid: parent ?? null,
      isSidechain: this.chance.is(0.05),
      type,
      uuid,
      timestamp: this.chance.is(0.03) ? hostileWord(this.chance) : new Date(this.timeMs).toISOString(),
      cwd: this.chance.is(0.05) ? `${this.plan.cwd}/${hostileWord(this.chance)}` : this.plan.cwd,
      sessionId: this.plan.sessionId,
      version: '2.1.114',
      gitBranch: this.chance.is(0.1) ? hostileText(this.chance) : 'main',
      userType: 'external',
      ...fields,
    };
  }

  private wordy(count: number): Json {
    const first = this.chance.below(LETTERS ** 4);
    const content = Array.from({ length: count }, (_, index) => wordOf(first + index)).join(' ');
    return this.chained('user', { message: { role: 'user', content } });
  }

  private prompt(): Json {
    const text = hostileText(this.chance);
    const command = `<command-message>x</command-message>\n<command-name>/${hostileWord(this.chance)}</command-name>\n<command-args>${text}</command-args>`;
    const content = this.chance.pick<() => unknown>([
      () => text,
      () => text,
      () => [{ type: 'text', text }],
      () => [text, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
      () => command,
      () => `<bash-input>${text}</bash-input>`,
      () => `<user-memory-input>${text}</user-memory-input>`,
      () => `<system-reminder>\n${text}\n</system-reminder>\n${hostileText(this.chance)}`,
    ])();
    return this.chained('user', { message: { role: 'user', content }, isMeta: this.chance.is(0.05) });
  }

  private answer(): Json {
    const text = { type: 'text', text: hostileText(this.chance) };
    const thinking = { type: 'thinking', thinking: hostileText(this.chance), signature: 'x' };
    return this.assistant(this.chance.is(0.2) ? [thinking, text] : [text]);
  }

  private assistant(content: readonly unknown[]): Json {
    const usage = { input_tokens: this.chance.below(5000), output_tokens: this.chance.below(500) };
    const id = `msg_${this.chance.below(30)}`;
    const model = this.chance.is(0.05) ? '<synthetic>' : 'claude-opus-4-8';
    return this.chained('assistant', { message: { id, role: 'assistant', model, content, usage } });
  }

  private toolCall(): Json {
    const name = this.chance.pick([...TOOLS, hostileWord(this.chance)]);
    const tool = { id: `toolu_${this.chance.below(1e6)}`, name, input: this.toolInput(name) };
    this.openTools.push(tool);
    return this.assistant([{ type: 'tool_use', ...tool }]);
  }

  private toolInput(name: string): unknown {
    const text = hostileText(this.chance);
    const file = this.chance.is(0.5) ? `${this.plan.cwd}/src/${hostileWord(this.chance)}.ts` : hostileWord(this.chance);
    const todo = { content: text, status: this.chance.pick(['pending', 'in_progress', 'completed']), activeForm: text };
    const question = { question: text, header: hostileWord(this.chance), options: [{ label: 'A', description: text }] };
    const inputs = new Map<string, unknown>([
      ['Bash', { command: text, description: hostileWord(this.chance) }],
      ['Read', { file_path: file }],
      ['Edit', { file_path: file, old_string: text, new_string: hostileText(this.chance) }],
      ['Write', { file_path: file, content: text }],
      ['TodoWrite', { todos: [todo, todo] }],
      ['AskUserQuestion', { questions: [question] }],
      ['ExitPlanMode', { plan: text }],
      ['Task', { prompt: text, description: hostileWord(this.chance), subagent_type: hostileWord(this.chance) }],
    ]);
    return inputs.get(name) ?? { [hostileWord(this.chance)]: text };
  }

  private toolResult(): Json {
    const tool = this.openTools.splice(this.chance.below(this.openTools.length), 1)[0];
    const text = hostileText(this.chance);
    const refusal = `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n${text}`;
    const content = this.chance.pick<() => unknown>([
      () => text,
      () => text,
      () => [{ type: 'text', text }],
      () => refusal,
      () => `Exit code 1\n${text}`,
      () => `User has answered your questions: "${text}"="${hostileText(this.chance)}". You can now continue.`,
      () => `User has approved your plan. You can now start coding.\n\n## Approved Plan:\n${text}`,
    ])();
    const isError = content === refusal || this.chance.is(0.2);
    const block = { type: 'tool_result', tool_use_id: tool?.id ?? 'toolu_none', content, is_error: isError };
    const blocks = this.chance.is(0.1) ? [block, { type: 'text', text: hostileText(this.chance) }] : [block];
    const toolUseResult = this.chance.pick<() => unknown>([
      () => undefined,
      () => ({ stdout: text, stderr: '', interrupted: false }),
      () => `Error: ${text}`,
      () => ({ answers: { [text]: hostileText(this.chance) }, questions: [] }),
      () => ({
        filePath: text,
        structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }],
      }),
      () => ({ oldTodos: [], newTodos: [{ content: text, status: 'pending' }] }),
    ])();
    return this.chained('user', { message: { role: 'user', content: blocks }, toolUseResult });
  }

  private compaction(): Json {
    if (this.chance.is(0.5)) {
      const compactMetadata = { trigger: 'auto', preTokens: 150_000, postTokens: 3000 };
      const last = this.uuids.at(-1) ?? null;
      return this.chained('system', {
        subtype: 'compact_boundary',
        compactMetadata,
        logicalParentUuid: last,
        parentUuid: null,
      });
    }
    const content = `This session is being continued from a previous conversation.\n${hostileText(this.chance)}`;
    return this.chained('user', { message: { role: 'user', content }, isCompactSummary: true });
  }

  private summary(): Json {
    const text = hostileText(this.chance);
    const leafUuid = this.uuids.at(-1) ?? 'none';
    return this.chance.pick<Json>([
      { type: 'summary', summary: text, leafUuid },
      { type: 'custom-title', customTitle: text, sessionId: this.plan.sessionId },
      { type: 'ai-title', aiTitle: text, sessionId: this.plan.sessionId },
      { type: 'last-prompt', leafUuid, lastPrompt: text },
    ]);
  }

  private queued(): Json {
    const operation = this.chance.pick(['enqueue', 'enqueue', 'dequeue', 'remove', 'popAll']);
    const content = hostileText(this.chance);
    const timestamp = new Date(this.timeMs).toISOString();
    return { type: 'queue-operation', operation, timestamp, sessionId: this.plan.sessionId, content };
  }

  private attachment(): Json {
    const text = hostileText(this.chance);
    const attachment = this.chance.pick<Json>([
      { type: 'queued_command', prompt: text },
      {
        type: 'hook_additional_context',
        content: [text],
        hookEvent: 'SessionStart',
        hookName: hostileWord(this.chance),
      },
      { type: 'hook_success', hookEvent: 'Stop', stdout: text, content: text },
      { type: hostileWord(this.chance), content: text },
    ]);
    return this.chained('attachment', { attachment });
  }

  private loose(): Json {
    return this.chance.pick<Json>([
      { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
      { type: 'progress', data: { message: { type: 'user', uuid: 'inner' } } },
      { type: hostileWord(this.chance), text: hostileText(this.chance) },
      { type: 'permission-mode', mode: 'plan' },
      {},
    ]);
  }
}

const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'TodoWrite', 'AskUserQuestion', 'ExitPlanMode', 'Task'];

function randomUUIDFrom(chance: Chance): string {
  const digits = Array.from({ length: 32 }, () => chance.below(16).toString(16)).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const LETTERS = 26;

/** Another word for each number, without digits: no index counts it among ids. */
function wordOf(number: number): string {
  let word = '';
  for (let left = number; left > 0; left = Math.floor(left / LETTERS))
    word += String.fromCharCode(97 + (left % LETTERS));
  return `q${word}`;
}

export const newSessionId = randomUUIDFrom;
