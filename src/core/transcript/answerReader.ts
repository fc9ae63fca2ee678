import * as z from 'zod/mini';
import { maySpeak } from './bareRefusal';
import { hashBytes, hashId, keyOf } from './hashIndex';
import type { JsonCursor } from './jsonCursor';
import type { RawBlock, Span } from './rawBlock';
import type { RawRecord } from './rawRecord';
import { answeredText, answerWords, isNoAnswer, refusalWords } from './resultWords';

/** What Claude Code calls the tool that asks a person. */
const ASKING_TOOL = 'AskUserQuestion';
/** Tools of servers: what their results say, they wrote themselves, a refusal in the client's words included. */
const SERVER_TOOL = 'mcp__';
/** How newer clients mark a call that a person refused; other marks are of rules, hooks and the like. */
const REFUSED_BY_PERSON = 'user-rejected';

/** A person's words are short. */
const MAX_RESULT_BYTES = 256 * 1024;

const givenSchema = z.object({
  answers: z.record(z.string(), z.catch(z.union([z.string(), z.array(z.string())]), '')),
  annotations: z.catch(
    z.optional(z.record(z.string(), z.object({ notes: z.catch(z.optional(z.string()), undefined) }))),
    undefined,
  ),
  response: z.catch(z.optional(z.string()), undefined),
});
type Given = z.infer<typeof givenSchema>;

/** What a person said in a tool result. */
export interface SaidInResult {
  readonly text: string;
  /** The literal of the result's text. */
  readonly span: Span;
  readonly isStripped: boolean;
  /** Whether only what Claude says next can tell that a person said it. */
  readonly isBare: boolean;
}

/** Finds what a person said in the results of tool calls: why they refused one, and what they answered to questions. */
export class AnswerReader {
  /** Calls without a result whose tool makes a difference, by the key of their id. */
  private readonly calls = new Map<number, 'question' | 'server'>();

  constructor(private readonly cursor: JsonCursor) {}

  /** Whether a result is still to come whose call decides what it means. */
  get isWaiting(): boolean {
    return this.calls.size > 0;
  }

  /** Takes note of a call. */
  called(block: RawBlock, bytes: Uint8Array): void {
    const { name, id } = block;
    if (name === undefined || id === undefined) return;
    if (name === ASKING_TOOL) this.calls.set(this.key(id, bytes), 'question');
    else if (name.startsWith(SERVER_TOOL)) this.calls.set(this.key(id, bytes), 'server');
  }

  /** What a person said in a result; undefined when it is the tool's alone. */
  said(block: RawBlock, record: RawRecord, bytes: Uint8Array): SaidInResult | undefined {
    const call = this.answered(block.toolUseId, bytes);
    const mayAnswer = call === 'question' || (call === undefined && isAnswers(bytes, record.copyStart));
    if (!block.isError && !mayAnswer) return undefined;
    const span = block.contentTexts[0];
    if (span === undefined || span.end - span.start > MAX_RESULT_BYTES) return undefined;
    const isAlone = record.blocks.filter(({ type }) => type === 'tool_result').length === 1;
    if (block.isError) return this.refusal(span, record, { isServers: call === 'server', isAlone });
    if (isAlone && record.copyEnd > 0) return composed(span, this.given(record, bytes));
    return call === 'question'
      ? composed(span, answerWords(this.cursor.decode(span.start, span.end))?.text)
      : undefined;
  }

  private refusal(
    span: Span,
    { toolDenialKind: mark, copyStart, copyEnd }: RawRecord,
    { isServers, isAlone }: { readonly isServers: boolean; readonly isAlone: boolean },
  ): SaidInResult | undefined {
    if (mark === undefined ? isServers : mark !== REFUSED_BY_PERSON) return undefined;
    const text = this.cursor.decode(span.start, span.end);
    const words = refusalWords(text);
    if (words !== undefined) return composed(span, words.text);
    if (!isAlone || !maySpeak(text)) return undefined;
    if (this.cursor.raw(copyStart, copyEnd) !== `"Error: ${this.cursor.raw(span.start + 1, span.end)}`)
      return undefined;
    return { text, span, isStripped: false, isBare: true };
  }

  /** What the copy of a result for the user interface says of answers. Looks at nothing but an object that begins with them. */
  private given({ copyStart, copyEnd }: RawRecord, bytes: Uint8Array): string | undefined {
    if (!isAnswers(bytes, copyStart) || copyEnd - copyStart > MAX_RESULT_BYTES) return undefined;
    const parsed = givenSchema.safeParse(parsedJson(this.cursor.raw(copyStart, copyEnd)));
    return parsed.success ? textOf(parsed.data) : undefined;
  }

  private answered(id: Span | undefined, bytes: Uint8Array): 'question' | 'server' | undefined {
    if (this.calls.size === 0 || id === undefined) return undefined;
    const key = this.key(id, bytes);
    const call = this.calls.get(key);
    this.calls.delete(key);
    return call;
  }

  private key({ start, end }: Span, bytes: Uint8Array): number {
    return keyOf(hashBytes(bytes, start + 1, end - 1) ?? hashId(this.cursor.decode(start, end)));
  }
}

function composed(span: Span, text: string | undefined): SaidInResult | undefined {
  return text === undefined || text.trim() === '' ? undefined : { text, span, isStripped: true, isBare: false };
}

function textOf({ answers, annotations, response }: Given): string {
  const notes = new Map(Object.entries(annotations ?? {}));
  const answered = Object.entries(answers).flatMap(([question, given]) => {
    const answer = typeof given === 'string' ? given : given.join(', ');
    const parts = [isNoAnswer(answer) ? '' : answer.trim(), notes.get(question)?.notes?.trim() ?? ''];
    const said = parts.filter((part) => part !== '').join('\n');
    return said === '' ? [] : [{ question, answer: said }];
  });
  const free = response?.trim() ?? '';
  return answeredText(free === '' ? answered : [...answered, { question: '', answer: free }]);
}

const BEGINNINGS = ['{"questions":', '{"answers":'].map((text) => new TextEncoder().encode(text));

function isAnswers(bytes: Uint8Array, start: number): boolean {
  return BEGINNINGS.some((beginning) => beginning.every((byte, at) => bytes[start + at] === byte));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Walked over, not checked: what is damaged there tells nothing, and is none of the record's damage.
    return undefined;
  }
}
