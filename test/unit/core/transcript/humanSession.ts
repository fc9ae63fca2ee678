import assert from 'node:assert/strict';
import type { Message } from '../../../../src/core/transcript/types';
import { jsonl, read, summarize } from './transcriptFixtures';

export type Fields = Record<string, unknown>;

/** Records that hang on each other, unless told otherwise. */
export class Session {
  readonly records: unknown[] = [];
  #last: string | null = null;

  add(type: string, content: unknown, fields: Fields = {}): this {
    const uuid = `r${String(this.records.length + 1)}`;
    const own = { uuid, parentUuid: this.#last, sessionId: 's', timestamp: this.#time(), isSidechain: false };
    this.records.push({ type, ...own, message: { content }, ...fields });
    this.#last = uuid;
    return this;
  }

  human(content: unknown, fields?: Fields): this {
    return this.add('user', content, fields);
  }

  claude(...content: unknown[]): this {
    const id = `m${String(this.records.length)}`;
    return this.add('assistant', [], { message: { id, model: 'opus', content: content.map(blockOf) } });
  }

  /** A call and its result. */
  tool(name: string, result: Fields, fields: Fields = {}): this {
    const id = `t${String(this.records.length)}`;
    this.claude({ type: 'tool_use', id, name, input: {} });
    return this.add('user', [{ type: 'tool_result', tool_use_id: id, ...result }], fields);
  }

  /** A call that came back with an error, as the client writes it. */
  error(content: string, name = 'Bash', fields: Fields = {}): this {
    return this.tool(name, { content, is_error: true }, { toolUseResult: `Error: ${content}`, ...fields });
  }

  queue(operation: string, content?: unknown, fields: Fields = {}): this {
    const record = { type: 'queue-operation', operation, timestamp: this.#time(), sessionId: 's' };
    this.records.push({ ...record, ...(content !== undefined && { content }), ...fields });
    return this;
  }

  /** A prompt of the queue leaves it, as newer clients say so. */
  absorbed(content: string | undefined, command: string, reason = 'absorbed_mid_turn'): this {
    return this.queue('remove', content, { reason, commandUuid: command, deliveryId: `d-${command}` });
  }

  /** The record that newer clients write of a prompt that entered a running turn. */
  delivered(prompt: unknown, command: string, fields: Fields = {}): this {
    const ids = { source_uuid: command, delivery_id: `d-${command}` };
    return this.add('attachment', '', { attachment: { type: 'queued_command', prompt, ...ids, ...fields } });
  }

  /** Both ways of reading agree, and every line is accounted for. */
  read(): ReturnType<typeof read> {
    const bytes = jsonl(...this.records);
    const conversation = read(bytes);
    const { messages, turns, account, titles } = conversation;
    const summary = summarize(bytes, [97]);
    assert.equal(summary.messages, messages.length);
    assert.equal(summary.turns, turns.length);
    assert.equal(
      summary.tokens - summary.resultTokens,
      messages.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    assert.deepEqual(summary.titles, titles);
    assert.equal(account.lines, this.records.length);
    const skipped = Object.values(account.skipped).reduce((sum, count) => sum + count, 0);
    assert.equal(account.used + account.brokenCount + skipped, account.lines);
    return conversation;
  }

  humans(): Message[] {
    return this.read().messages.filter(({ role }) => role === 'user');
  }

  words(): string[] {
    return this.humans().map(({ text }) => text);
  }

  #time(): string {
    return new Date(Date.UTC(2026, 0, 1) + this.records.length * 1000).toISOString();
  }
}

function blockOf(block: unknown): unknown {
  return typeof block === 'string' ? { type: 'text', text: block } : block;
}

export function asked(): Session {
  return new Session().human('Clean up the ledger.');
}
