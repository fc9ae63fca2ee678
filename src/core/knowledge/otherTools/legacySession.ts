import * as z from 'zod/mini';
import { isWriting, toolKind } from '../../material/toolKinds';
import type { SourceTool } from '../../material/types';
import type { Exchange, L1Entry } from '../../model/layers';
import { l1Lines, readL1 } from '../layerDocuments';
import type { LayerReading, SpokenMessage } from '../layerReader';

/** What another tool's L1 file says, as far as there is a transcript in it. */
export interface LegacySession {
  readonly reading: LayerReading;
  readonly lines: number;
  readonly firstTimestamp: string;
  /** What its people said, to know it again. */
  readonly said: ReadonlySet<string>;
}

/** Exchanges that were made of such a file, with the lines in it that they are about. */
export function withLines(exchanges: readonly Exchange[], lines: number): Exchange[] {
  const starts = exchanges.map(({ uuid = '' }) => Number(uuid.slice(uuid.lastIndexOf(':') + 1)) || 1);
  return exchanges.map((exchange, index) => {
    const [start = 1, next = lines + 1] = [starts[index], starts[index + 1]];
    return { ...exchange, l1_range: [start, Math.max(start, next - 1)] };
  });
}

/** Reads an L1 file as if it were a transcript. Its lines have no ids of their own: their places stand for them. */
export function legacySession(sessionId: string, text: string): LegacySession {
  const spoken: SpokenMessage[] = [];
  const lines = l1Lines(text);
  let firstTimestamp = '';
  for (const [index, line] of lines.entries()) {
    const [entry] = readL1(line);
    if (entry === undefined) continue;
    if (firstTimestamp === '') firstTimestamp = entry.ts;
    add(spoken, entry, { sessionId, line: index + 1 });
  }
  return {
    reading: { sessionId, live: spoken, aside: [], events: [] },
    lines: lines.length,
    firstTimestamp,
    said: humanTexts(text),
  };
}

/** What people said in an L1 file, whoever wrote it. */
export function humanTexts(text: string): Set<string> {
  const said = readL1(text).flatMap(({ role, text: words = '' }) => (role === 'user' ? [words.trim()] : []));
  return new Set(said.filter((words) => words !== ''));
}

function add(spoken: SpokenMessage[], entry: L1Entry, { sessionId, line }: { sessionId: string; line: number }): void {
  const uuid = `${sessionId}:${line}`;
  const tools = entry.role === 'tool' ? [{ ...toolOf(entry), uuid }] : [];
  const last = spoken.at(-1);
  if (entry.role === 'tool' && last?.role === 'assistant') {
    spoken[spoken.length - 1] = { ...last, tools: [...last.tools, ...tools] };
    return;
  }
  const role = entry.role === 'user' ? 'user' : 'assistant';
  const origin = role === 'user' ? 'prompt' : 'assistant';
  const text = entry.role === 'tool' ? '' : (entry.text ?? '');
  const texts = text === '' ? [] : [{ recordUuid: uuid, blockIndex: 0, text }];
  const timestamp = entry.ts === '' ? undefined : entry.ts;
  spoken.push({ index: spoken.length, uuid, role, origin, timestamp, texts, tools, line, tokens: 0 });
}

function toolOf({ name = '', target = '', diff = '', result = '' }: L1Entry): SourceTool {
  const added = diff.split('\n').flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : []));
  const { kind } = toolKind({ name });
  const input =
    kind === 'read' || isWriting({ name })
      ? { file_path: target.replace(/:\d+$/, ''), ...(added.length > 0 && { new_string: added.join('\n') }) }
      : { ...(kind === 'command' && { command: target }) };
  return { name, target, input, result, isError: /^(?:error|fail)/i.test(result), afterText: 1 };
}

const text = z._default(z.string(), '');
const theirExchangesSchema = z.array(
  z.looseObject({
    ts: text,
    summary: z.string(),
    details: text,
    files: z._default(z.array(z.string()), []),
    keywords: z._default(z.array(z.string()), []),
    l1_range: z.optional(z.tuple([z.number(), z.number()])),
  }),
);

/** The exchanges of another tool's L2 file, whose numbers are given anew; undefined where there are none that can be read. */
export function theirExchanges(
  value: unknown,
  {
    sessionId,
    lines,
    firstTimestamp,
    nextId,
  }: { sessionId: string; nextId: () => string } & Pick<LegacySession, 'lines' | 'firstTimestamp'>,
): Exchange[] | undefined {
  const framed = z.looseObject({ exchanges: z.unknown() }).safeParse(value);
  const parsed = theirExchangesSchema.safeParse(framed.success ? framed.data.exchanges : value);
  if (!parsed.success || parsed.data.length === 0) return undefined;
  return parsed.data.map(({ ts, summary, details, files, keywords, l1_range: range = [1, lines] }) => ({
    id: nextId(),
    ts: ts === '' ? firstTimestamp : ts,
    summary,
    details,
    files,
    keywords,
    l1_range: [Math.max(1, range[0]), Math.max(1, Math.min(range[1], lines))],
    uuid: `${sessionId}:${Math.max(1, range[0])}`,
  }));
}
