// The sessions that compressing is measured on: real transcripts, and dialogues turned into sessions.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { MaterialReader } from '../../../src/core/sessions/sessionMaterial';
import type { SourceMessage } from '../../../src/core/material/types';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';
import type { Role } from '../../../src/core/transcript/types';
import { DiskClaudeFolder } from '../../../src/node/claude/claudeFolder';
import { FileExcerpts } from '../../../src/node/claude/transcriptFile';
import { dialogueSchema, topicsSchema } from '../memoryCode';
import { evidenceSentences, isTold, saysSentence, wantedItem, wholeText } from './measures';

/** Something that a version should still say. */
export interface Wanted {
  readonly role?: Role;
  isHeldBy(version: string): boolean;
}

/** One session of a corpus. */
export interface EvalSession {
  readonly name: string;
  readonly messages: readonly SourceMessage[];
  readonly wanted: readonly Wanted[];
}

/** A session below this is compressed to a line or two, where chance rules. */
const FEWEST_TOKENS = 1500;

/** Half of all names, by a hash, are looked at while the compressor is made; the others only judge it. */
export function isHeldOut(name: string): boolean {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return ((hash ^ (hash >>> 15)) & 1) === 1;
}

function materialReader(folder: string): MaterialReader {
  const claude = new DiskClaudeFolder(folder);
  return new MaterialReader({ claude, openExcerpts: (file) => new FileExcerpts(file) });
}

async function transcriptsBelow(folder: string): Promise<string[]> {
  const files = await readdir(path.join(folder, 'projects'), { recursive: true });
  return files.filter((file) => file.endsWith('.jsonl')).sort();
}

/** The main threads and sub-agents of all transcripts below a folder, as the engine reads them. */
export async function realSessions(folder: string, counter: TokenCounter): Promise<EvalSession[]> {
  const reader = materialReader(folder);
  const sessions: EvalSession[] = [];
  for (const file of await transcriptsBelow(folder)) {
    const { messages } = await reader.read(path.join(folder, 'projects', file), counter);
    const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
    if (tokens >= FEWEST_TOKENS) sessions.push({ name: file, messages, wanted: [] });
  }
  return sessions;
}

const labelsSchema = z.object({
  sessions: z.record(
    z.string(),
    z.object({
      remember: z.array(
        z.object({ what: z.string(), valid: z.boolean(), evidenceGroups: z.array(z.array(z.string())) }),
      ),
    }),
  ),
});

/** Sessions in which somebody has marked what a memory should keep. */
export async function labelledSessions(data: string, counter: TokenCounter): Promise<EvalSession[]> {
  const labels = path.join(data, 'gold', 'labels');
  const homes = [path.join(data, 'gold', 'claude-home'), path.join(data, 'claude-home')];
  const found: EvalSession[] = [];
  for (const file of (await readdir(labels)).sort()) {
    const json: unknown = JSON.parse(await readFile(path.join(labels, file), 'utf8'));
    for (const [id, { remember }] of Object.entries(labelsSchema.parse(json).sessions)) {
      for (const home of homes) {
        const transcript = (await transcriptsBelow(home)).find((name) => path.basename(name) === `${id}.jsonl`);
        if (transcript === undefined) continue;
        const { messages, messageOf } = await materialReader(home).read(
          path.join(home, 'projects', transcript),
          counter,
        );
        const wanted = remember.flatMap(({ what, valid, evidenceGroups }) => {
          const at = new Set(evidenceGroups.flat().map((uuid) => messageOf.get(uuid)));
          const evidence = wholeText(messages.filter(({ index }) => at.has(index)));
          return valid ? (wantedItem(what, evidence) ?? []) : [];
        });
        found.push({ name: `${file} ${id}`, messages, wanted });
        break;
      }
    }
  }
  return found;
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

/** A dialogue in which rules are told, and later changed: wanted is what holds at the end. */
export interface Dialogue extends EvalSession {
  readonly valid: readonly string[];
  /** What held before and was replaced. */
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
    const wanted = valid.map((rule) => ({ isHeldBy: (version: string) => isTold(rule, version) }));
    found.push({ name: file, messages, wanted, valid, outdated });
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
    groundTruth: z.string(),
    haystackSessionIds: z.array(z.string()),
  }),
);

const SESSIONS_IN_ONE = 5;

/** Short coding sessions, some after another as one dialogue; wanted are the sentences that answer its questions. */
export async function haystack(folder: string, counter: TokenCounter): Promise<EvalSession[]> {
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(path.join(folder, file), 'utf8'));
  const all = sessionsSchema.parse(await read('sessions.json'));
  const questions = questionsSchema.parse(await read('questions.json'));
  const found: EvalSession[] = [];
  for (const count of [SESSIONS_IN_ONE, all.length]) {
    for (let from = 0; from < all.length; from += count) {
      const sessions = all.slice(from, from + count);
      const messages = sessions
        .flatMap((session) => session.messages)
        .map(({ role, content }, index) => spokenMessage(index, role, content, counter));
      const wanted = questions.flatMap(({ groundTruth, haystackSessionIds: ids }) => {
        const said = sessions.filter(({ sessionId }) => ids.includes(sessionId)).flatMap((one) => one.messages);
        return evidenceSentences(groundTruth, said).map(({ role, sentence }) => ({
          role,
          isHeldBy: (version: string) => saysSentence(sentence, version),
        }));
      });
      found.push({ name: sessions.map(({ sessionId }) => sessionId).join(' '), messages, wanted });
    }
  }
  return found;
}
