// What composing is measured on: sets of sessions as projects have them, what of them a reader must be able to tell, and questions.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { wordsOf, NEGATION } from '../../../src/core/text/words';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { isTold } from '../compression/measures';
import { dialogueSchema, topicsSchema } from '../memoryCode';

/** A transcript, and what it is called. */
export interface SetSession {
  readonly id: string;
  readonly title: string;
  readonly transcript: string;
}

/** Something that a reader should find in a context: how much of it is there, from 0 to 1. */
export interface Wanted {
  readonly id: string;
  readonly held: (context: string) => number;
}

/** A question that a purpose is made of. Each place of its evidence is a text of which enough has to be in the context. */
export interface PurposeQuestion {
  readonly id: string;
  readonly question: string;
  readonly places: readonly (readonly string[])[];
}

/** Sessions that are composed together. */
export interface CompositionSet {
  readonly corpus: 'gold' | 'devmembench' | 'memorycode' | 'samples';
  readonly name: string;
  /** The oldest first. */
  readonly sessions: readonly SetSession[];
  readonly wanted: readonly Wanted[];
  readonly questions: readonly PurposeQuestion[];
}

async function json<T>(schema: z.ZodType<T>, ...parts: string[]): Promise<T> {
  return schema.parse(JSON.parse(await readFile(path.join(...parts), 'utf8')));
}

const evidence = { evidenceGroups: z.array(z.array(z.string())) };
const labelsSchema = z.object({
  project: z.string(),
  questions: z.optional(z.array(z.object({ q: z.string(), ...evidence }))),
  sessions: z.record(
    z.string(),
    z.object({
      remember: z.array(
        z.object({ id: z.string(), what: z.string(), importance: z.number(), valid: z.boolean(), ...evidence }),
      ),
    }),
  ),
});
const lineSchema = z.looseObject({
  type: z.optional(z.string()),
  uuid: z.optional(z.string()),
  timestamp: z.optional(z.string()),
  isMeta: z.optional(z.boolean()),
  message: z.optional(
    z.looseObject({
      content: z.union([
        z.string(),
        z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()), content: z.optional(z.unknown()) })),
      ]),
    }),
  ),
});

/** The transcripts that labels may speak of, by session. */
export async function goldTranscripts(data: string): Promise<Map<string, string>> {
  const folders = [path.join(data, 'gold/claude-home/projects'), path.join(data, 'claude-home/projects')];
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const file of await readdir(folder, { recursive: true })) {
      if (file.endsWith('.jsonl')) files.set(path.basename(file, '.jsonl'), path.join(folder, file));
    }
  }
  return files;
}

/** Labelled sessions of real projects. */
export async function goldSets(data: string): Promise<CompositionSet[]> {
  const files = await goldTranscripts(data);
  const sets: CompositionSet[] = [];
  for (const file of (await readdir(path.join(data, 'gold/labels'))).sort()) {
    const labels = await json(labelsSchema, data, 'gold/labels', file);
    const told = new Map<string, string>();
    const sessions: (SetSession & { first: string })[] = [];
    for (const id of Object.keys(labels.sessions)) {
      const transcript = await readFile(files.get(id) ?? '', 'utf8');
      let first = '';
      for (const line of transcript.split('\n').filter((one) => one.startsWith('{'))) {
        const { uuid, timestamp, message, type } = lineSchema.parse(JSON.parse(line));
        if (type !== 'user' && type !== 'assistant') continue;
        first ||= timestamp ?? '';
        if (uuid !== undefined) told.set(uuid, spoken(message?.content));
      }
      sessions.push({ id, title: '', transcript, first });
    }
    sessions.sort((a, b) => (a.first < b.first ? -1 : 1));
    const places = (groups: readonly (readonly string[])[]): string[][] =>
      groups.map((group) => group.map((uuid) => told.get(uuid) ?? '').filter((text) => text.trim() !== ''));
    sets.push({
      corpus: 'gold',
      name: labels.project,
      sessions,
      wanted: Object.values(labels.sessions).flatMap(({ remember }) =>
        remember
          .filter(({ valid }) => valid)
          .flatMap(({ id, what, evidenceGroups }) => wantedOf(id, what, places(evidenceGroups))),
      ),
      questions: (labels.questions ?? []).map(({ q, evidenceGroups }, at) => ({
        id: `${labels.project}#${at}`,
        question: q,
        places: places(evidenceGroups).filter((group) => group.length > 0),
      })),
    });
  }
  return sets;
}

type Content = NonNullable<z.output<typeof lineSchema>['message']>['content'];

function spoken(content: Content | undefined): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map(({ text = '' }) => text).join('\n');
}

function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 && stem !== NEGATION ? [stem] : []));
}

/** So many of the telling words that label and evidence share make an item told: in some paragraph of the context, and the next two. */
const ENOUGH = 0.6;
const FEWEST_KEYS = 3;

function wantedOf(id: string, what: string, places: readonly (readonly string[])[]): Wanted[] {
  const said = new Set(places.flat().flatMap(stemsOf));
  const keys = new Set(stemsOf(what).filter((stem) => said.has(stem)));
  if (keys.size < FEWEST_KEYS) return [];
  const held = (context: string): number => {
    const lines = context.split(/\n+/).map((line) => new Set(stemsOf(line)));
    let best = 0;
    for (const [at, line] of lines.entries()) {
      const near = [line, lines[at + 1], lines[at + 2]];
      const found = [...keys].filter((key) => near.some((words) => words?.has(key) === true)).length;
      best = Math.max(best, found / keys.size);
    }
    return best >= ENOUGH ? 1 : 0;
  };
  return [{ id, held }];
}

const devSessions = z.array(
  z.object({
    sessionId: z.string(),
    metadata: z.object({ date: z.string(), project: z.string() }),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })),
  }),
);
const devQuestions = z.array(
  z.object({
    questionId: z.string(),
    question: z.string(),
    groundTruth: z.string(),
    haystackSessionIds: z.array(z.string()),
  }),
);

/** A message holds an answer when it has so many of the words of it that its session has. */
const TELLS = 0.5;

/** Short coding sessions, and questions about them; all of them together, as one project has them. */
export async function devSet(folder: string): Promise<CompositionSet> {
  const sessions = await json(devSessions, folder, 'sessions.json');
  const questions = await json(devQuestions, folder, 'questions.json');
  const textOf = new Map(
    sessions.map(({ sessionId, messages }) => [sessionId, messages.map(({ content }) => content)]),
  );
  const asked = questions.filter(({ haystackSessionIds }) => haystackSessionIds.length > 0);
  return {
    corpus: 'devmembench',
    name: 'all',
    sessions: sessions.map(({ sessionId, metadata, messages }) => {
      const builder = new TranscriptBuilder(sessionId);
      for (const { role, content } of messages) {
        if (role === 'user') builder.human(content);
        else builder.assistant(content);
      }
      return { id: sessionId, title: metadata.project, transcript: builder.toString() };
    }),
    wanted: asked.map(({ questionId, groundTruth, haystackSessionIds }) => {
      const original = haystackSessionIds.flatMap((id) => textOf.get(id) ?? []).join('\n');
      return { id: questionId, held: (context) => answerRecall(groundTruth, original, context) ?? 1 };
    }),
    questions: asked.map(({ questionId, question, groundTruth, haystackSessionIds }) => ({
      id: questionId,
      question,
      places: haystackSessionIds
        .map((id) => telling(groundTruth, textOf.get(id) ?? []))
        .filter((group) => group.length > 0),
    })),
  };
}

/** The messages of a session that hold most of an answer. */
function telling(answer: string, messages: readonly string[]): string[] {
  const all = messages.join('\n');
  const shares = messages.map((text) => answerRecall(answer, all, text) ?? 0);
  const most = Math.max(0, ...shares);
  return most < TELLS ? [] : messages.filter((_, at) => (shares[at] ?? 0) >= most);
}

const FEWEST_MEETINGS = 10;

/** Dialogues of many meetings, each a session: what holds at the end has to be told. */
export async function meetingSets(folder: string): Promise<CompositionSet[]> {
  const topics = await json(topicsSchema, folder, 'topics.json');
  const families = new Map<string, number>();
  for (const [family, { text }] of [...topics.instructions, ...topics.fillers_instruction].entries()) {
    for (const rule of text) families.set(rule, family);
  }
  const sets: CompositionSet[] = [];
  for (const file of (await readdir(path.join(folder, 'dialogues'))).sort()) {
    const { context, sessions } = await json(dialogueSchema, folder, 'dialogues', file);
    if (sessions.length < FEWEST_MEETINGS) continue;
    const told = sessions.flatMap(({ topic }) => topic.filter((rule) => families.has(rule)));
    const valid = [...new Set(new Map(told.map((rule) => [families.get(rule), rule])).values())];
    sets.push({
      corpus: 'memorycode',
      name: file,
      sessions: sessions.map(({ text }, at) => {
        const id = `${path.basename(file, '.json')}-${at}`;
        const builder = new TranscriptBuilder(id);
        for (const line of text.split(/\n+/)) {
          if (line.startsWith(`${context.mentor}: `)) builder.human(line.slice(context.mentor.length + 2));
          else if (line.startsWith(`${context.mentee}: `)) builder.assistant(line.slice(context.mentee.length + 2));
        }
        return { id, title: `Meeting ${at + 1}`, transcript: builder.toString() };
      }),
      wanted: valid.map((rule) => ({ id: rule, held: (text) => (isTold(rule, text) ? 1 : 0) })),
      questions: [],
    });
  }
  return sets;
}

/** The main threads of a project's real sessions, as far as nobody has labelled them: judged by the product's own measure. */
export async function sampleSets(home: string): Promise<CompositionSet[]> {
  const sets: CompositionSet[] = [];
  for (const project of (await readdir(path.join(home, 'projects'))).sort()) {
    const folder = path.join(home, 'projects', project);
    const files = (await readdir(folder)).filter((file) => /^[0-9a-f-]{36}\.jsonl$/.test(file)).sort();
    const sessions: (SetSession & { first: string })[] = [];
    for (const file of files) {
      const transcript = await readFile(path.join(folder, file), 'utf8');
      const first = /"timestamp":"([^"]+)"/.exec(transcript)?.[1] ?? '';
      sessions.push({ id: path.basename(file, '.jsonl'), title: '', transcript, first });
    }
    sessions.sort((a, b) => (a.first < b.first ? -1 : 1));
    if (sessions.length > 0) sets.push({ corpus: 'samples', name: project, sessions, wanted: [], questions: [] });
  }
  return sets;
}

/** The share of an answer's words that a text has, of those that the original has. */
function answerRecall(answer: string, original: string, version: string): number | undefined {
  const stemsOf = (text: string): Set<string> =>
    new Set(
      wordsOf(text)
        .filter(({ weight, stem }) => weight > 0 && stem !== NEGATION)
        .map(({ stem }) => stem),
    );
  const possible = stemsOf(original);
  const wanted = [...stemsOf(answer)].filter((stem) => possible.has(stem));
  if (wanted.length === 0) return undefined;
  const there = stemsOf(version);
  return wanted.filter((stem) => there.has(stem)).length / wanted.length;
}
