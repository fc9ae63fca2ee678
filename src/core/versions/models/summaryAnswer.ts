import { parsedJson } from '../../text/ownValue';
import * as z from 'zod/mini';
import { findCodeRanges } from '../../keepits/codeRanges';
import { withoutMarkers } from '../keepitBlock';
import { type SummaryBlock, joinBlocks } from '../types';
import type { TokenCounter } from '../../text/tokens/tokenCounter';
import { schemaProblem } from '../../model/fields';
import type { Chunk } from './chunks';

const blockSchema = z.object({
  kind: z.enum(['heading', 'note']),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  messages: z.array(z.int()),
});
const answerSchema = z.object({ blocks: z.array(blockSchema) });
type AnsweredBlock = z.infer<typeof blockSchema>;

/** The same as a JSON schema, for providers that hold a model to one. */
export const answerJsonSchema = {
  type: 'object',
  properties: {
    blocks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: ['heading', 'note'] },
          role: { type: 'string', enum: ['user', 'assistant'] },
          text: { type: 'string' },
          messages: { type: 'array', items: { type: 'integer' } },
        },
        required: ['kind', 'role', 'text', 'messages'],
        additionalProperties: false,
      },
    },
  },
  required: ['blocks'],
  additionalProperties: false,
} as const;

/** What an answer turned out to be: usable, or what is wrong with it in words that the model can act on. */
type AnswerReading =
  | { readonly isUsable: true; readonly blocks: readonly SummaryBlock[]; readonly tokens: number }
  | { readonly isUsable: false; readonly problem: string };

/** Reads a model's answer to the question about a chunk. Nothing of it is believed that can be checked. */
export function readAnswer(text: string, chunk: Chunk, counter: TokenCounter): AnswerReading {
  const parsed = parseObject(text);
  if (parsed === undefined) return unusable('it was not one JSON object');
  const answer = answerSchema.safeParse(parsed);
  if (!answer.success) {
    const { key, allowed } = schemaProblem(answer.error);
    return unusable(key === '' ? `it must be ${allowed}` : `"${key}" must be ${allowed}`);
  }
  const blocks = answer.data.blocks.flatMap((block) => usableBlock(block, chunk));
  if (blocks.length === 0) return unusable('it had no block with text and with messages of the transcript');
  if (blocks.length < answer.data.blocks.length / 2) {
    return unusable('most of its blocks name no message of the transcript in "messages"');
  }
  const ordered = [...blocks].sort((a, b) => firstOf(a) - firstOf(b));
  if (!ordered.some(({ kind }) => kind === 'note')) return unusable('it had headings only');
  return { isUsable: true, blocks: ordered, tokens: counter.count(joinBlocks(ordered)) };
}

function unusable(problem: string): AnswerReading {
  return { isUsable: false, problem };
}

/** The JSON object in an answer; models put a fence, or a word, around what they were asked for. Undefined when there is none. */
export function parseObject(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return start < 0 ? undefined : parsedJson(text.slice(start, end + 1)); // one that is cut off is asked for again
}

function usableBlock({ kind, role, text, messages }: AnsweredBlock, chunk: Chunk): SummaryBlock[] {
  const known = [...new Set(messages.filter((index) => isIn(index, chunk)))].sort((a, b) => a - b);
  const clean = kind === 'heading' ? headingText(text) : noteText(text);
  return clean === '' || known.length === 0 ? [] : [{ kind, role, text: clean, messages: known }];
}

function isIn(index: number, { parts }: Chunk): boolean {
  return parts.some(({ from, to }) => index >= from && index <= to);
}

function firstOf({ messages }: SummaryBlock): number {
  return messages[0] ?? 0;
}

function headingText(text: string): string {
  return withoutMarkers(text)
    .replace(/\s+/g, ' ')
    .replace(/^[#\s*]+|(?<![\s*#])[\s*#]+$/g, '');
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/gm;

/** Only a heading of ours opens an episode, and a comment would hide what comes after it. Code stays as it is. */
function noteText(text: string): string {
  const clean = withoutMarkers(text.replace(/\r\n?/g, '\n').trim());
  let plain = '';
  let position = 0;
  for (const { start, end } of findCodeRanges(clean)) {
    plain += plainWords(clean.slice(position, start)) + clean.slice(start, end);
    position = end;
  }
  return plain + plainWords(clean.slice(position));
}

function plainWords(text: string): string {
  return text.replace(HEADING, '**$1**').replaceAll('<!--', '&lt;!--');
}

/**
 * The name of a tag that a text cannot close, because it does not hold it: the first number that is free. It follows from the
 * texts alone, so that the same request is asked in the same words.
 */
export function fenceFor(texts: readonly string[]): string {
  const taken = new Set<number>();
  for (const text of texts) {
    for (const [, digits] of text.matchAll(/transcript-(\d{1,9})/gi)) taken.add(Number(digits));
  }
  let free = 1;
  while (taken.has(free)) free += 1;
  return `transcript-${free}`;
}
