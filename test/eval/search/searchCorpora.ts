// What searching is measured on: sessions, and questions of which it is known which sessions or messages answer them.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { SearchDocument } from '../../../src/core/search/searchDocument';
import { isTold } from '../compression/measures';
import { dialogueSchema, topicsSchema } from '../memoryCode';

/** One question, and what answers it: ids of sessions, and of messages as far as these are labelled. */
export interface SearchQuestion {
  readonly id: string;
  readonly query: string;
  readonly sessions: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

/** Sessions that are searched together, as those of a project are. */
export interface SearchCorpus {
  readonly name: string;
  readonly documents: readonly SearchDocument[];
  readonly questions: readonly SearchQuestion[];
}

interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly steps?: readonly string[] | undefined;
}

const role = z.enum(['user', 'assistant']);
const START_MS = Date.UTC(2026, 0, 5, 9);
const MINUTE_MS = 60_000;

function documentsOf(sessions: readonly { id: string; messages: readonly Said[] }[]): SearchDocument[] {
  let minute = 0;
  return sessions.flatMap(({ id, messages }) =>
    messages.map(({ role: by, text, steps = [] }, at): SearchDocument => {
      const messageUuid = `${id}#${at}`;
      const timestamp = new Date(START_MS + minute++ * MINUTE_MS).toISOString();
      const place = { projectId: '-eval', id: messageUuid, messageUuid, sessionId: id, timestamp };
      return { kind: 'message', ...place, role: by, text, aside: steps.join('\n'), files: [], topics: [] };
    }),
  );
}

async function json<T>(schema: z.ZodType<T>, ...parts: string[]): Promise<T> {
  return schema.parse(JSON.parse(await readFile(path.join(...parts), 'utf8')));
}

const ownSchema = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      messages: z.array(z.object({ role, text: z.string(), steps: z.optional(z.array(z.string())) })),
    }),
  ),
  questions: z.array(z.object({ id: z.string(), query: z.string(), evidence: z.array(z.string()) })),
});

/** Written for this: inflected words, identifiers, paths, errors, and ten languages. */
export async function ownCorpus(file: string): Promise<SearchCorpus> {
  const { sessions, questions } = await json(ownSchema, file);
  return {
    name: 'own questions',
    documents: documentsOf(sessions),
    questions: questions.map(({ id, query, evidence }) => ({
      id,
      query,
      sessions: new Set(evidence.map((message) => message.replace(/#\d+$/, ''))),
      messages: new Set(evidence),
    })),
  };
}

const sessionsSchema = z.array(
  z.object({ sessionId: z.string(), messages: z.array(z.object({ role, content: z.string() })) }),
);
const questionsSchema = z.array(
  z.object({ questionId: z.string(), question: z.string(), haystackSessionIds: z.array(z.string()) }),
);

/** Questions as people ask them, about coding sessions; which sessions answer them is labelled. */
export async function devMemory(folder: string): Promise<SearchCorpus> {
  const sessions = await json(sessionsSchema, folder, 'sessions.json');
  const questions = await json(questionsSchema, folder, 'questions.json');
  return {
    name: 'devmembench',
    documents: documentsOf(
      sessions.map(({ sessionId, messages }) => ({
        id: sessionId,
        messages: messages.map(({ role: by, content }) => ({ role: by, text: content })),
      })),
    ),
    questions: questions
      .filter(({ haystackSessionIds }) => haystackSessionIds.length > 0)
      .map(({ questionId, question, haystackSessionIds }) => ({
        id: questionId,
        query: question,
        sessions: new Set(haystackSessionIds),
        messages: new Set<string>(),
      })),
  };
}

/** In fewer meetings anything is found. */
const FEWEST_MEETINGS = 10;

/**
 * Dialogues of many meetings, each a session. What is looked for is a rule in the words of its label; found are the meetings in which it
 * was told, and the messages that tell it.
 */
export async function meetings(folder: string): Promise<SearchCorpus[]> {
  const topics = await json(topicsSchema, folder, 'topics.json');
  const rules = new Set([...topics.instructions, ...topics.fillers_instruction].flatMap(({ text }) => text));
  const corpora: SearchCorpus[] = [];
  for (const file of (await readdir(path.join(folder, 'dialogues'))).sort()) {
    const { context, sessions } = await json(dialogueSchema, folder, 'dialogues', file);
    if (sessions.length < FEWEST_MEETINGS) continue;
    const named = sessions.map(({ text, topic }, at) => ({ id: `m${at}`, messages: saidIn(text, context), topic }));
    const told = [...new Set(sessions.flatMap(({ topic }) => topic))].filter((rule) => rules.has(rule));
    const questions = told.map((rule): SearchQuestion => {
      const own = named.filter(({ topic }) => topic.includes(rule));
      const messages = own.flatMap(({ id, messages: said }) =>
        said.flatMap(({ text }, at) => (isTold(rule, text) ? [`${id}#${at}`] : [])),
      );
      return { id: file, query: rule, sessions: new Set(own.map(({ id }) => id)), messages: new Set(messages) };
    });
    corpora.push({ name: 'memorycode', documents: documentsOf(named), questions });
  }
  return corpora;
}

function saidIn(text: string, { mentor, mentee }: { mentor: string; mentee: string }): Said[] {
  return text.split(/\n+/).flatMap((line): Said[] => {
    const speaker = [mentor, mentee].find((name) => line.startsWith(`${name}: `));
    if (speaker === undefined) return [];
    return [{ role: speaker === mentor ? 'user' : 'assistant', text: line.slice(speaker.length + 2) }];
  });
}
