import fc from 'fast-check';

/**
 * Arbitrary sessions as Claude Code writes them: each record hangs on the one before, parallel tool calls beside each
 * other, and now and then something else happens: a rewind, a sub-agent, a copied line, a late parent.
 */

const step = fc.constantFrom(
  'human',
  'human',
  'answer',
  'answer',
  'answer',
  'tool',
  'tool',
  'tools',
  'progress',
  'progress',
  'note',
  'command',
  'compaction',
  'leaf',
  'marker',
  'refusal',
  'bare',
  'question',
  'enqueue',
  'enqueue',
  'remove',
  'dequeue',
  'sentAgain',
  'beside',
);
const oddity = fc.constantFrom(
  'rewind',
  'sidechain',
  'duplicate',
  'orphan',
  'lateLine',
  'farLeaf',
  'lateParent',
  'root',
);

type Step = string;

const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. a file edit). To tell you how to proceed, the user said:\n";

class Session {
  readonly lines: string[] = [];
  private next = 0;
  private last: string | null = null;
  private messages = 0;

  constructor(private readonly pick: (limit: number) => number) {}

  take(step: Step): void {
    if (step === 'human') this.say('a question');
    else if (step === 'marker') this.say('keep this ##keepit0.90##');
    else if (step === 'answer') this.answer([{ type: 'text', text: 'an answer' }]);
    else if (step === 'tool') this.tools(1);
    else if (step === 'tools') this.tools(3);
    else if (step === 'progress') this.add({ type: 'progress', data: {} });
    else if (step === 'note') this.add({ type: 'system', subtype: 'info', content: 'noted' });
    else if (step === 'command') this.say('<command-message>x</command-message><command-name>/x</command-name>');
    else if (step === 'compaction') this.compact();
    else if (step === 'leaf') this.lines.push(JSON.stringify({ type: 'last-prompt', leafUuid: this.last }));
    else if (!this.speakOtherwise(step)) this.surprise(step);
  }

  /** What a person says elsewhere than in a prompt; false for any other step. */
  private speakOtherwise(step: Step): boolean {
    if (step === 'refusal') this.result('Bash', `${REFUSED}not ##keepit0.70## yet`, { is_error: true });
    else if (step === 'bare')
      this.result(this.pick(2) === 0 ? 'Bash' : 'mcp__a__b', 'we need the tests first', { is_error: true });
    else if (step === 'question')
      this.result('AskUserQuestion', 'User has answered your questions: "Which?"="One".', {});
    else if (step === 'enqueue')
      this.queue({ operation: 'enqueue', content: `typed ##keepit0.60## ${String(this.next)}` });
    else if (step === 'remove' || step === 'dequeue') this.queue({ operation: step });
    else if (step === 'sentAgain') this.sayAgain();
    else if (step === 'beside') this.sayBeside();
    else return false;
    return true;
  }

  /** A call with its result, and, as often as not, more that was called in the same message. */
  private result(name: string, content: string, fields: Record<string, unknown>): void {
    const id = `call-${String(this.next)}`;
    this.answer([{ type: 'tool_use', id, name, input: {} }]);
    const toolUseResult = fields['is_error'] === true ? { toolUseResult: `Error: ${content}` } : {};
    const result = { type: 'tool_result', tool_use_id: id, content, ...fields };
    this.add({ type: 'user', message: { content: [result] }, ...toolUseResult });
  }

  private queue(operation: Record<string, unknown>): void {
    const timestamp = new Date(1_800_000_000_000 + this.next * 1000).toISOString();
    this.lines.push(JSON.stringify({ type: 'queue-operation', timestamp, sessionId: 's', ...operation }));
  }

  private sayAgain(): void {
    const words = `a long question ${String(this.next)}`;
    this.say(this.pick(2) === 0 ? words : words.slice(0, 12));
    if (this.pick(2) === 0) this.say('[Request interrupted by user]');
    if (this.pick(4) === 0) this.answer([{ type: 'text', text: 'an answer' }]);
    this.say(words);
  }

  /** Parallel calls: words beside the result of the first, and the session goes on after the second. */
  private sayBeside(): void {
    const message = `msg-${String(this.messages++)}`;
    const results = ['a', 'b'].map((name) => {
      const id = `${message}-${name}`;
      this.answer([{ type: 'tool_use', id, name: 'Read', input: {} }], message);
      return { call: this.last, result: { type: 'tool_result', tool_use_id: id, content: 'x' } };
    });
    for (const [at, { call, result }] of results.entries()) {
      const words = at === 0 ? [{ type: 'text', text: 'mind the dates' }] : [];
      this.add({ type: 'user', message: { content: [result, ...words] } }, call);
    }
  }

  private say(content: string): void {
    this.add({ type: 'user', message: { content } });
  }

  private answer(content: readonly unknown[], message = `msg-${String(this.messages++)}`): void {
    const usage = { input_tokens: 3, output_tokens: this.messages };
    this.add({ type: 'assistant', message: { id: message, model: 'opus', usage, content } });
  }

  /** Calls that are chained to each other, and results that hang on their calls: not on the record before them. */
  private tools(count: number): void {
    const message = `msg-${String(this.messages++)}`;
    const from = this.next;
    const calls: (string | null)[] = [];
    for (let i = 0; i < count; i++) {
      this.answer([{ type: 'tool_use', id: `${message}-${String(i)}`, name: 'Bash', input: { i } }], message);
      calls.push(this.last);
      if (this.pick(3) === 0) this.add({ type: 'progress', data: {} });
    }
    calls.forEach((call, i) => {
      const result = { type: 'tool_result', tool_use_id: `${message}-${String(i)}`, content: 'done' };
      const parents = [this.last, call, call, `u${String(from + this.pick(this.next - from))}`];
      this.add({ type: 'user', message: { content: [result] } }, parents[this.pick(parents.length)] ?? call);
    });
  }

  private compact(): void {
    const logicalParentUuid = this.last;
    this.add({ type: 'system', subtype: 'compact_boundary', logicalParentUuid }, null);
    this.add({ type: 'user', isCompactSummary: true, message: { content: 'what was' } });
  }

  private surprise(step: Step): void {
    const some = `u${String(this.pick(this.next + 1))}`;
    if (step === 'rewind') this.last = some;
    else if (step === 'sidechain') this.add({ type: 'user', isSidechain: true, message: { content: 'a task' } }, null);
    else if (step === 'duplicate') this.lines.push(this.lines[this.pick(this.lines.length)] ?? '');
    else if (step === 'orphan') this.add({ type: 'user', message: { content: 'from elsewhere' } }, 'elsewhere');
    else if (step === 'lateParent') this.lateParent(some);
    else if (step === 'root') this.add({ type: 'user', message: { content: 'anew' } }, null);
    else if (step === 'farLeaf') this.lines.push(JSON.stringify({ type: 'last-prompt', leafUuid: some }));
    else this.answer([{ type: 'text', text: 'late' }], `msg-${String(this.pick(this.messages + 1))}`);
  }

  /** A record whose parent is written after it, and hangs on some other. */
  private lateParent(some: string): void {
    const parent = `p${String(this.next)}`;
    this.add({ type: 'user', message: { content: 'the child' } }, parent);
    const record = { type: 'progress', uuid: parent, parentUuid: some, sessionId: 's', data: {} };
    this.lines.push(JSON.stringify(record));
  }

  private add(record: Record<string, unknown>, parentUuid: string | null = this.last): void {
    const uuid = `u${String(this.next++)}`;
    const timestamp = new Date(1_800_000_000_000 + this.next * 1000).toISOString();
    this.lines.push(JSON.stringify({ parentUuid, isSidechain: false, sessionId: 's', ...record, uuid, timestamp }));
    this.last = uuid;
  }
}

/** The lines of a session; one step in sixteen is an oddity. */
export const growingLines: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 30, arbitrary: step }, { weight: 2, arbitrary: oddity }), {
      minLength: 5,
      maxLength: 120,
      size: 'max',
    }),
    fc.oneof(step, oddity),
    fc.array(fc.nat(1000), { minLength: 7, maxLength: 7 }),
  )
  .map(([steps, lastStep, choices]) => {
    let asked = 0;
    const session = new Session((limit) => (choices[asked++ % choices.length] ?? 0) % Math.max(1, limit));
    for (const one of [...steps, lastStep]) session.take(one);
    return session.lines;
  });
