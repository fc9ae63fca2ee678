// What searching is measured on: sessions, and questions of which it is known which sessions or messages answer them.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { saidOf, messageDocuments, type SaidMessage } from '../../../src/core/search/saidMessages';
import type { SearchDocument } from '../../../src/core/search/searchDocument';
import { readConversation } from '../../../src/core/sessions/readConversation';
import { DiskClaudeFolder } from '../../../src/node/claude/claudeFolder';
import { isTold } from '../compression/measures';
import { dialogueSchema, topicsSchema } from '../memoryCode';

/** One question, and what answers it: ids of sessions, and of messages as far as these are labelled. `anyOf`: one of its messages is enough. */
export interface SearchQuestion {
  readonly id: string;
  /** Which kind of question it is, where its set tells kinds apart. */
  readonly kind?: string | undefined;
  readonly query: string;
  /** The same in other words. */
  readonly also?: readonly string[] | undefined;
  readonly sessions: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  readonly anyOf?: boolean;
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

function documentsOf(
  sessions: readonly { id: string; day?: string | undefined; messages: readonly Said[] }[],
): SearchDocument[] {
  let minute = 0;
  return sessions.flatMap(({ id, day, messages }) => {
    if (day !== undefined) minute = (Date.parse(`${day}T09:00:00Z`) - START_MS) / MINUTE_MS;
    const said = messages.map(({ role: by, text, steps = [] }, at): SaidMessage => {
      const timestamp = new Date(START_MS + minute++ * MINUTE_MS).toISOString();
      return { uuid: `${id}#${at}`, role: by, timestamp, text, steps: [...steps], files: [], opens: by === 'user' };
    });
    return messageDocuments({ projectId: '-eval', sessionId: id }, said);
  });
}

async function json<T>(schema: z.ZodType<T>, ...parts: string[]): Promise<T> {
  return schema.parse(JSON.parse(await readFile(path.join(...parts), 'utf8')));
}

const ownSchema = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      day: z.optional(z.string()),
      messages: z.array(z.object({ role, text: z.string(), steps: z.optional(z.array(z.string())) })),
    }),
  ),
  questions: z.array(
    z.object({ id: z.string(), kind: z.optional(z.string()), query: z.string(), evidence: z.array(z.string()) }),
  ),
});

/** Written for this, before any ranking was tried on it. */
export async function ownCorpus(name: string, file: string): Promise<SearchCorpus> {
  const { sessions, questions } = await json(ownSchema, file);
  return {
    name,
    documents: documentsOf(sessions),
    questions: questions.map(({ id, kind, query, evidence }) => ({
      id,
      kind,
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
  z.object({
    questionId: z.string(),
    questionType: z.string(),
    question: z.string(),
    haystackSessionIds: z.array(z.string()),
  }),
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
      .map(({ questionId, questionType, question, haystackSessionIds }) => ({
        id: questionId,
        kind: questionType,
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

const placesSchema = z.array(z.array(z.string()));
const labelsSchema = z.object({
  questions: z.array(
    z.object({ q: z.string(), evidenceGroups: z.optional(placesSchema), evidence: z.array(z.string()) }),
  ),
  sessions: z.record(
    z.string(),
    z.object({
      remember: z.array(z.object({ what: z.string(), valid: z.boolean(), evidenceGroups: placesSchema })),
    }),
  ),
});

/** Two more for each question, as Claude would ask: written from the question and the names of the project's files alone, and tried on nothing. */
const OTHER_QUERIES = path.resolve('test/eval/search/goldQueries.json');

/** Real sessions of coding, project by project: questions about them, and what is worth remembering of them in other words than they have. */
export async function labelled(data: string): Promise<SearchCorpus[]> {
  const labels = path.join(data, 'gold', 'labels');
  const homes = [path.join(data, 'gold', 'claude-home'), path.join(data, 'claude-home')];
  const otherQueries = await json(z.record(z.string(), z.array(z.string())), OTHER_QUERIES);
  const corpora: SearchCorpus[] = [];
  for (const file of (await readdir(labels)).sort()) {
    const { questions, sessions } = await json(labelsSchema, labels, file);
    const documents: SearchDocument[] = [];
    for (const id of Object.keys(sessions)) documents.push(...(await transcriptIn(homes, id)));
    const question = (id: string, query: string, groups: readonly (readonly string[])[]): SearchQuestion => ({
      id: `${file} ${id}`,
      query,
      sessions: new Set(),
      messages: new Set(groups.flat()),
      anyOf: true,
    });
    const items = Object.values(sessions).flatMap(({ remember }) => remember);
    corpora.push(
      {
        name: 'gold questions',
        documents,
        questions: questions.map(({ q, evidence, evidenceGroups = [evidence] }) => question(q, q, evidenceGroups)),
      },
      {
        name: 'gold, three queries',
        documents,
        questions: questions.map(({ q, evidence, evidenceGroups = [evidence] }) => {
          return { ...question(q, q, evidenceGroups), also: otherQueries[q] };
        }),
      },
      {
        name: 'gold items',
        documents,
        questions: items
          .filter(({ valid }) => valid)
          .map(({ what, evidenceGroups }) => question(what, what, evidenceGroups)),
      },
    );
  }
  return corpora;
}

async function transcriptIn(homes: readonly string[], sessionId: string): Promise<SearchDocument[]> {
  for (const home of homes) {
    const files = await readdir(path.join(home, 'projects'), { recursive: true });
    const file = files.find((name) => path.basename(name) === `${sessionId}.jsonl`);
    if (file === undefined) continue;
    const { messages } = await readConversation(new DiskClaudeFolder(home), path.join(home, 'projects', file));
    return messageDocuments({ projectId: '-eval', sessionId }, messages.map(saidOf));
  }
  return [];
}
