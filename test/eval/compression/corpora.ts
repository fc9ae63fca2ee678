// The sessions that compressing is measured on: real transcripts, and dialogues turned into sessions.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { MaterialReader } from '../../../src/core/sessions/sessionMaterial';
import type { SourceMessage } from '../../../src/core/material/types';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';
import type { Role } from '../../../src/core/transcript/types';
import { DiskClaudeFolder } from '../../../src/node/claude/claudeFolder';
import { FileExcerpts } from '../../../src/node/claude/fileExcerpts';
import { dialogueSchema, topicsSchema } from '../memoryCode';

/** One session of a corpus. */
export interface EvalSession {
  readonly name: string;
  readonly messages: readonly SourceMessage[];
}

/** A session below this is compressed to a line or two, where chance rules. */
const FEWEST_TOKENS = 1500;

/** Half of all names, by a hash, are looked at while the compressor is made; the others only judge it. */
export function isHeldOut(name: string): boolean {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return ((hash ^ (hash >>> 15)) & 1) === 1;
}

/** The main threads and sub-agents of all transcripts below a folder, as the engine reads them. */
export async function realSessions(folder: string, counter: TokenCounter): Promise<EvalSession[]> {
  const claude = new DiskClaudeFolder(folder);
  const reader = new MaterialReader({
    claude,
    openExcerpts: (file) => new FileExcerpts(file),
  });
  const sessions: EvalSession[] = [];
  const projects = path.join(folder, 'projects');
  for (const file of (await readdir(projects, { recursive: true })).sort()) {
    if (!file.endsWith('.jsonl')) continue;
    const { messages } = await reader.read(path.join(projects, file), counter);
    const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
    if (tokens >= FEWEST_TOKENS) sessions.push({ name: file, messages });
  }
  return sessions;
}

/** A message that is nothing but words. */
export function spokenMessage(index: number, role: Role, text: string, counter: TokenCounter): SourceMessage {
  const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return {
    index,
    uuid,
    role,
    origin: role === 'user' ? 'prompt' : 'assistant',
    texts: [{ recordUuid: uuid, blockIndex: 0, text }],
    tools: [],
    tokens: counter.count(text),
  };
}

/** A dialogue in which rules are told, and later changed. */
export interface Dialogue extends EvalSession {
  /** What holds at the end, and what held before and was replaced. */
  readonly valid: readonly string[];
  readonly outdated: readonly string[];
}

/** All meetings of each dialogue as one session: the mentor is the human, the mentee the assistant. */
export async function dialogues(folder: string, counter: TokenCounter): Promise<Dialogue[]> {
  const topics = topicsSchema.parse(JSON.parse(await readFile(path.join(folder, 'topics.json'), 'utf8')));
  const families = new Map<string, number>();
  for (const [family, { text }] of [...topics.instructions, ...topics.fillers_instruction].entries()) {
    for (const rule of text) families.set(rule, family);
  }
  const files = (await readdir(path.join(folder, 'dialogues'))).sort();
  const found: Dialogue[] = [];
  for (const file of files) {
    const json: unknown = JSON.parse(await readFile(path.join(folder, 'dialogues', file), 'utf8'));
    const { context, sessions } = dialogueSchema.parse(json);
    const told = sessions.flatMap(({ topic }) => topic.filter((rule) => families.has(rule)));
    const last = new Map(told.map((rule) => [families.get(rule), rule]));
    const valid = [...new Set(last.values())];
    const outdated = [...new Set(told)].filter((rule) => !valid.includes(rule));
    const messages = sessions
      .flatMap(({ text }) => utterances(text, context))
      .map(({ role, text }, index) => spokenMessage(index, role, text, counter));
    found.push({ name: file, messages, valid, outdated });
  }
  return found;
}

function utterances(
  text: string,
  { mentor, mentee }: { mentor: string; mentee: string },
): { role: Role; text: string }[] {
  const said: { role: Role; text: string }[] = [];
  for (const line of text.split(/\n+/)) {
    const [speaker = '', ...rest] = line.split(': ');
    const last = said.at(-1);
    if (speaker === mentor) said.push({ role: 'user', text: rest.join(': ') });
    else if (speaker === mentee) said.push({ role: 'assistant', text: rest.join(': ') });
    else if (last !== undefined) last.text += `\n${line}`;
  }
  return said;
}

const sessionsSchema = z.array(
  z.object({
    sessionId: z.string(),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })),
  }),
);
const questionsSchema = z.array(
  z.object({
    questionId: z.string(),
    questionType: z.string(),
    groundTruth: z.string(),
    haystackSessionIds: z.array(z.string()),
  }),
);

export interface Question {
  readonly id: string;
  readonly answer: string;
  readonly sessions: readonly string[];
}

/** Coding sessions, and questions whose answers are in some of them. */
export async function haystack(
  folder: string,
  counter: TokenCounter,
): Promise<{ sessions: EvalSession[]; questions: Question[] }> {
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(path.join(folder, file), 'utf8'));
  const sessions = sessionsSchema.parse(await read('sessions.json')).map(({ sessionId, messages }) => ({
    name: sessionId,
    messages: messages.map(({ role, content }, index) => spokenMessage(index, role, content, counter)),
  }));
  const questions = questionsSchema
    .parse(await read('questions.json'))
    .filter(({ haystackSessionIds }) => haystackSessionIds.length > 0)
    .map(({ questionId, groundTruth, haystackSessionIds }) => ({
      id: questionId,
      answer: groundTruth,
      sessions: haystackSessionIds,
    }));
  return { sessions, questions };
}
