import * as z from 'zod/mini';
import { oneLine } from '../text/cleanText';
import { joinParts, formatCount, shortId } from '../text/formats';
import { titleOf } from '../sessions/sessionTitle';
import type { DiscoveredSession } from '../sessions/results';
import { writable } from '../text/secrets/cleanText';
import type { Message } from '../transcript/types';
import { SEARCH_KINDS } from '../search/searchDocument';
import { searchDate } from '../search/searchFilter';
import type { SearchHit } from '../search/searchService';
import { LayersError } from '../knowledge/layersError';
import { NotebookError } from '../knowledge/notes/notebookError';
import { defineTool, projectField } from './memoryTool';
import { listingOf, type Listing, plural, timeText, placeText } from './toolPage';
import { messageMeant, type ToolMemory } from './toolProject';
import { ToolError } from './toolError';

const TITLE_LENGTH = 120;

export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List past sessions',
  description:
    "Lists this project's past Claude Code sessions, the newest first: id, title, when, how long, and whether it is kept in memory. Use it to find out what was worked on lately, or to get the id of a session.",
  searchHint: 'history of previous conversations and recent work',
  isReadOnly: true,
  input: {
    title: z.optional(z.string().check(z.maxLength(200), z.describe('Only sessions whose title holds these words.'))),
    only_in_memory: z.optional(z.boolean().check(z.describe('Only sessions that are kept in memory.'))),
    project: projectField,
  },
  async list({ title, only_in_memory: isKept, project }, { memory, project: projects, signal }) {
    const projectId = await projects.id(project, signal);
    const [found] = (await memory.sessions.discover({ projectIds: [projectId] }, signal)).projects;
    const words = (title ?? '').toLowerCase().split(/\s+/);
    const sessions = (found?.sessions ?? []).filter(
      (session) =>
        (isKept !== true || session.registered) && words.every((word) => titleOf(session).toLowerCase().includes(word)),
    );
    const folder = found?.originalPath === undefined || found.originalPath === '' ? projectId : found.originalPath;
    return listingOf(
      `${plural(sessions.length, 'session')} of ${folder}, the newest first:`,
      sessions.map(sessionText),
    );
  },
});

function sessionText(session: DiscoveredSession): string {
  const { sessionId, firstTimestamp, lastTimestamp, messages, tokens, registered, isLive, gitBranch } = session;
  const first = timeText(firstTimestamp);
  const last = timeText(lastTimestamp);
  return joinParts([
    shortId(sessionId),
    oneLine(titleOf(session), TITLE_LENGTH),
    first === last ? first : `${first} to ${last}`,
    plural(messages, 'message'),
    `${formatCount(tokens.count)} tokens`,
    gitBranch === undefined ? '' : `branch ${gitBranch}`,
    registered ? 'in memory' : 'not in memory',
    isLive ? 'in use' : '',
  ]);
}

const AROUND = 3;
const MOST_STEPS = 40;

const number = (what: string): z.ZodMiniOptional<z.ZodMiniNumber> =>
  z.optional(z.int().check(z.gte(0), z.describe(what)));

export const sessionField = z
  .string()
  .check(
    z.minLength(4),
    z.maxLength(200),
    z.describe('A session\'s id, or at least four characters of one; "latest" for the newest.'),
  );

export const getMessages = defineTool({
  name: 'get_messages',
  title: 'Read messages of a past session',
  description:
    'Gives what the user and the assistant said in a past session, word by word, with the tools that were used in one line each. Use it after search_memory or list_sessions, to read the words around an answer, or a session from message to message.',
  searchHint: 'read a previous conversation, its history word by word',
  isReadOnly: true,
  input: {
    session: sessionField,
    around: z.optional(
      z
        .string()
        .check(
          z.minLength(1),
          z.maxLength(100),
          z.describe('A message, by its uuid, the beginning of one, or its number: it and the three on both sides.'),
        ),
    ),
    from: number('The number of the first message; 0 is the beginning of the session.'),
    to: number('The number of the last message.'),
    project: projectField,
  },
  async list({ session, around, from = 0, to, project }, { memory, project: projects, signal }) {
    const projectId = await projects.id(project, signal);
    const ref = await projects.session(projectId, session, signal);
    const { messages } = await memory.sessions.conversation(ref, signal);
    const middle = around === undefined ? undefined : messageMeant(messages, around).index;
    const first = middle === undefined ? from : Math.max(0, middle - AROUND);
    const last = middle === undefined ? (to ?? messages.length - 1) : middle + AROUND;
    const wanted = messages.slice(first, last + 1);
    const of = `of ${plural(messages.length, 'message')} of session ${ref.sessionId}`;
    const heading =
      wanted.length === 0
        ? `There is no message ${first}–${last} ${of}.`
        : `${first}–${first + wanted.length - 1} ${of}:`;
    const item = (index: number): string => messageText(wanted[index]);
    return { heading, length: wanted.length, item };
  },
});

function messageText(message: Message | undefined): string {
  if (message === undefined) return '';
  const { index, uuid, role, timestamp, text, tools } = message;
  const head = joinParts([`#${index} ${role}`, timeText(timestamp), `message ${shortId(uuid)}`]);
  const steps = tools
    .slice(0, MOST_STEPS)
    .map(({ name, target, result }) => `  > ${name} ${target}${result?.isError === true ? ' (failed)' : ''}`);
  const more = tools.length > MOST_STEPS ? [`  > ${tools.length - MOST_STEPS} more tool calls`] : [];
  return `${[head, ...(text === '' ? [] : [writable(text)]), ...steps.map(writable), ...more].join('\n')}\n`;
}

const MOST_HITS = 100;
const SNIPPET_LENGTH = 500;
const MOST_FILES = 6;

const names = (what: string): z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString>> =>
  z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(300))).check(z.maxLength(20), z.describe(what)));
const date = (what: string): z.ZodMiniOptional<z.ZodMiniString> =>
  z.optional(z.string().check(z.maxLength(40), z.describe(what)));

export const searchMemory = defineTool({
  name: 'search_memory',
  title: 'Search memory',
  description:
    "Finds words in what is kept of this project's past sessions: facts and rules, marked passages (keepits), notes, topics, requests and what came of them, and every message. Use it before you ask the user about something that was discussed, decided, tried or fixed before, and when the user refers to earlier work. Answers are ranked; get_messages gives the whole words.",
  searchHint:
    'keepit memory: search the history of previous conversations, what we discussed, decided, tried, fixed or remember',
  isReadOnly: true,
  input: {
    query: z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(2000),
        z.describe(
          'A few telling words in any language, such as names, errors or decisions; "words in quotation marks" must be there as they are.',
        ),
      ),
    kinds: z.optional(
      z.array(z.enum(SEARCH_KINDS)).check(z.maxLength(SEARCH_KINDS.length), z.describe('Only these kinds of memory.')),
    ),
    files: names('Only what touched such a file or folder: "src/auth/**", "login.ts".'),
    topics: names('Only what is about all of these as well.'),
    since: date('Not before: "2026-01-31", or how long ago: "7d", "12h", "4w".'),
    until: date('Not after, in the same way.'),
    project: projectField,
  },
  async list({ query, kinds, files, topics, since, until, project }, { memory, project: projects, now, signal }) {
    const projectId = await projects.id(project, signal);
    const request = {
      query,
      projectIds: [projectId],
      limit: MOST_HITS,
      snippetLength: SNIPPET_LENGTH,
      kinds,
      files,
      topics,
      since: since === undefined ? undefined : searchDate(since, 'since', now),
      until: until === undefined ? undefined : searchDate(until, 'until', now),
    };
    const { results, total, unread } = await memory.search.search(request, undefined, signal);
    const shown = total > results.length ? `, the best ${results.length} of them` : '';
    const heading =
      total === 0 ? await nothing(projectId, memory) : `${plural(total, 'answer')}${shown}, the best first:`;
    const late =
      unread === 0 ? '' : ` ${plural(unread, 'old session')} not read yet: searching again goes on with them.`;
    const how =
      total === 0 ? '' : 'get_messages with "session" and "around": <message> gives the words around an answer.';
    return listingOf(heading, results.map(hitText), `${how}${late}`.trim());
  },
});

/** What is not in memory is not found: a model is to know that. */
async function nothing(projectId: string, memory: ToolMemory): Promise<string> {
  const { length } = await memory.sessions.list(projectId);
  if (length > 0) return `Nothing was found in ${plural(length, 'session')} in memory. Try fewer or other words.`;
  return 'Nothing was found: no session of this project is in memory. list_sessions tells which there are, and get_messages reads them all the same; the user adds them with `keepit register --all`, or in VS Code.';
}

function hitText(hit: SearchHit, index: number): string {
  const { kind, id, title = '', role, weight, timestamp, files, snippet } = hit;
  const isMessage = kind === 'message' || kind === 'keepit';
  const head = joinParts([
    `${index + 1}. ${kind}${isMessage ? '' : ` ${id}`}${role === undefined ? '' : ` (${role})`}`,
    title,
    weight === undefined ? '' : `weight ${weight.toFixed(2)}`,
    placeText(hit),
    timeText(timestamp),
  ]);
  const touched = files.length === 0 ? '' : `\n   files: ${files.slice(0, MOST_FILES).join(', ')}`;
  return `${head}\n   ${snippet}${touched}`;
}

const MEMORY_FILE = 'memory.md';

export const recall = defineTool({
  name: 'recall',
  title: "Recall the project's memory",
  description:
    "Gives what the project's past sessions say together: where things stand, decisions and their reasons, what was learned, open questions. Use it at the beginning of work that builds on earlier work, or when the user asks where things stand. Takes no search words; search_memory finds single things.",
  searchHint:
    'keepit memory overview: status of the project, where it stands, its history, what we decided, what to remember',
  isReadOnly: true,
  input: { project: projectField },
  async list({ project }, { memory, project: projects, signal }) {
    const projectId = await projects.id(project, signal);
    const { isEnabled } = await memory.layers.status(projectId);
    if (!isEnabled) throw new ToolError('layers-off', projectId);
    const found = (await masterNote(memory, projectId)) ?? (await rollingMemory(memory, projectId));
    if (found !== undefined) return found;
    const facts = await memory.layers.facts(projectId);
    if (facts.length === 0) throw new ToolError('nothing-to-recall', projectId);
    return listingOf(
      `There is no synthesis of the project yet. ${plural(facts.length, 'fact')} that its sessions say:`,
      facts.map((fact) => `- ${fact.content}`),
    );
  },
});

async function masterNote(memory: ToolMemory, projectId: string): Promise<Listing | undefined> {
  try {
    const { text, lastSynthesized, newSources } = await memory.notebook.recall(projectId);
    const age = lastSynthesized === undefined ? '' : `, as of ${lastSynthesized}`;
    const late = newSources.length === 0 ? '' : `; ${plural(newSources.length, 'newer note')} not in it yet`;
    return listingOf(`The project's memory${age}${late}:`, [writable(text)]);
  } catch (error) {
    if (error instanceof NotebookError && error.reason === 'no-master') return undefined;
    throw error;
  }
}

async function rollingMemory(memory: ToolMemory, projectId: string): Promise<Listing | undefined> {
  try {
    const text = await memory.rolling.get(projectId, MEMORY_FILE);
    return text.trim() === ''
      ? undefined
      : listingOf("The project's rolling memory, the newest last:", [writable(text)]);
  } catch (error) {
    if (error instanceof LayersError && error.reason === 'not-built') return undefined;
    throw error;
  }
}
