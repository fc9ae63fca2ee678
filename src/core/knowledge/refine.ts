import { outcomeOf, resultLines, type Outcome } from '../material/toolOutcome';
import type { SourceMessage, SourceTool } from '../material/types';
import type { L1Entry } from '../model/layers';
import type { ConversationEvent } from '../transcript/types';
import { writable } from '../text/secrets/cleanText';
import type { SpokenMessage } from './spokenMessage';

const MAX_TARGET = 300;
const MAX_DIFF_LINES = 12;
const MAX_DIFF_LINE = 160;
const MAX_RESULT = 240;

/** An entry, and the line of the transcript that it comes from: what it is put in order by. */
export interface PlacedEntry {
  readonly line: number;
  readonly entry: L1Entry;
}

/**
 * L1 of messages (seed 003): every word that the human and the assistant said, and one line for each tool call; no thinking, no
 * harness. In the order of the transcript. Secrets and what is private are left out.
 */
export function refine(spoken: readonly SpokenMessage[], events: readonly ConversationEvent[]): PlacedEntry[] {
  const placed = [...spoken.flatMap(messageEntries), ...events.flatMap(eventEntries)];
  // Stable: entries of one message stay as they are told, whatever lines their records have.
  return placed.sort((a, b) => a.line - b.line);
}

function messageEntries({ message, source, via }: SpokenMessage): PlacedEntry[] {
  const entries: PlacedEntry[] = [];
  const texts = textsOf(source);
  const mark = via === undefined ? {} : { via };
  let ts = message.timestamp ?? '';
  let said = 0;
  const sayUpTo = (end: number): void => {
    for (; said < end && said < texts.length; said++) {
      const text = texts[said];
      if (text !== undefined && text.text !== '')
        entries.push({ line: message.line, entry: { ts, role: message.role, ...text, ...mark } });
    }
  };
  for (const [at, step] of message.tools.entries()) {
    const tool = source.tools[at];
    if (tool === undefined) continue;
    sayUpTo(tool.afterText);
    ts = step.timestamp ?? ts;
    const entry = toolEntry(tool, { ts, uuid: step.uuid });
    entries.push({ line: message.line, entry: { ...entry, ...mark } });
    ts = step.result?.timestamp ?? ts;
  }
  sayUpTo(texts.length);
  return entries;
}

/** Records hold several text blocks now and then: from the second on they are numbered. */
function textsOf(source: SourceMessage): { text: string; uuid: string; part?: number }[] {
  return source.texts.map(({ text, recordUuid, blockIndex }) => ({
    text: writable(text),
    uuid: recordUuid,
    ...(blockIndex > 0 && { part: blockIndex }),
  }));
}

function toolEntry(tool: SourceTool, { ts, uuid }: { ts: string; uuid: string }): L1Entry {
  const lines = resultLines(tool);
  const outcome = outcomeOf(tool, lines);
  const range = linesOf(tool, lines);
  const diff = diffOf(tool);
  return {
    ts,
    role: 'tool',
    name: tool.name,
    target: writable(tool.target).slice(0, MAX_TARGET),
    ...(range !== '' && { lines: range }),
    ...(diff !== '' && { diff: writable(diff) }),
    result: writable(resultOf(outcome)).slice(0, MAX_RESULT),
    uuid,
  };
}

function resultOf({ isError, isRefused, isAnswered, line }: Outcome): string {
  if (isRefused) return 'refused';
  if (isAnswered) return 'answered';
  if (isError) return line === '' ? 'error' : `error: ${line}`;
  return line === '' ? 'ok' : `ok: ${line}`;
}

/** Which lines of a file were read. */
function linesOf(tool: SourceTool, lines: readonly string[]): string {
  if (!/^(?:Read|NotebookRead|View)$/.test(tool.name) || tool.isError) return '';
  const { offset, limit } = tool.input;
  const from = typeof offset === 'number' ? offset : 1;
  if (typeof limit === 'number') return `${from}-${from + limit - 1}`;
  const numbers = [...tool.result.matchAll(/^[^\S\n]{0,20}(\d{1,9})(?:→|\t)/gm)].map(([, number]) => Number(number));
  const last = numbers.at(-1) ?? from + lines.length - 1;
  return last >= from ? `${from}-${last}` : '';
}

/** What an edit took out and put in, shortened. */
function diffOf({ input }: SourceTool): string {
  const edits = [input, ...listOf(input['edits'])];
  const lines = edits.flatMap((edit) => [
    ...changedLines('-', textField(edit, 'old_string')),
    ...changedLines('+', textField(edit, 'new_string')),
  ]);
  if (lines.length === 0) return '';
  return lines.length > MAX_DIFF_LINES
    ? [...lines.slice(0, MAX_DIFF_LINES), `… ${lines.length - MAX_DIFF_LINES} more lines`].join('\n')
    : lines.join('\n');
}

function changedLines(sign: '-' | '+', text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => `${sign}${line.slice(0, MAX_DIFF_LINE)}`);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field of an object, '' when it is no text. */
function textField(value: unknown, field: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = new Map<string, unknown>(Object.entries(value)).get(field);
  return typeof found === 'string' ? found : '';
}

/** What a person typed that became no message. */
function eventEntries(event: ConversationEvent): PlacedEntry[] {
  const via = event.kind === 'unsentPrompt' ? 'unsent' : 'command';
  if (event.kind !== 'command' && event.kind !== 'bashInput' && event.kind !== 'unsentPrompt') return [];
  const typed = event.kind === 'bashInput' ? `!${event.text}` : event.text;
  const text = writable(typed);
  if (text.trim() === '') return [];
  return [{ line: event.line, entry: { ts: event.timestamp ?? '', role: 'user', text, uuid: event.uuid, via } }];
}
