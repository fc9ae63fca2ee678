import * as z from 'zod/mini';
import { oneLine } from '../text/cleanText';
import { joinParts, formatCount, shortId, titleOf, plural } from '../text/formats';
import type { DiscoveredSession } from '../sessions/results';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { Message } from '../transcript/types';
import { SEARCH_KINDS } from '../search/searchDocument';
import { searchDate } from '../search/askedDates';
import type { SearchHit } from '../search/answers';
import { defineTool, projectField, textField } from './memoryTool';
import { listingOf, timeText, placeText } from './toolPage';
import { messageMeant, type ToolMemory } from './toolProject';

const TITLE_LENGTH = 120;

export const listSessions = defineTool({
  name: 'sessions',
  title: 'List past sessions',
  description:
    "Lists the project's past sessions, the newest first: id, title, when, how long, whether it is in memory.",
  searchHint: 'history of previous conversations and recent work',
  isReadOnly: true,
  input: {
    title: z.optional(textField('Only sessions whose title holds these words.', 200)),
    project: projectField,
  },
  async list({ title, project }, { memory, project: projects, signal }) {
    const projectId = await projects.id(project, signal);
    const [found] = (await memory.sessions.discover({ projectIds: [projectId] }, signal)).projects;
    const words = (title ?? '').toLowerCase().split(/\s+/);
    const sessions = (found?.sessions ?? []).filter((session) =>
      words.every((word) => titleOf(session).toLowerCase().includes(word)),
    );
    const folder = found?.originalPath || projectId;
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
    gitBranch !== undefined && `branch ${gitBranch}`,
    registered ? 'in memory' : 'not in memory',
    isLive && 'in use',
  ]);
}

const AROUND = 3;
const MOST_STEPS = 40;

const number = (what: string): z.ZodMiniOptional<z.ZodMiniNumber> =>
  z.optional(z.int().check(z.gte(0), z.describe(what)));

const sessionField = textField('A session\'s id, or at least four characters of one; "latest" for the newest.', 200, 4);

export const readMessages = defineTool({
  name: 'read',
  title: 'Read messages of a past session',
  description:
    'Gives what was said in a past session word by word, with each tool call in a line: around an answer of `search`, or from message to message.',
  searchHint: 'read a previous conversation, its history word by word',
  isReadOnly: true,
  input: {
    session: sessionField,
    around: z.optional(textField('A message by uuid or number: it, and three on both sides.', 100, 1)),
    from: number('Number of the first message, from 0.'),
    to: number('Number of the last one.'),
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
  return `${[head, ...(text === '' ? [] : [withoutSecrets(text)]), ...steps.map(withoutSecrets), ...more].join('\n')}\n`;
}

const MOST_HITS = 100;
const SNIPPET_LENGTH = 500;
const MOST_FILES = 6;

const names = (what: string): z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString>> =>
  z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(300))).check(z.maxLength(20), z.describe(what)));
const date = (what: string): z.ZodMiniOptional<z.ZodMiniString> => z.optional(textField(what, 40));

export const searchMemory = defineTool({
  name: 'search',
  title: 'Search memory',
  description:
    "Finds what past sessions of this project said, decided, tried or fixed, with rules, notes and marked passages. Use it before you ask the user about earlier work, or decide what may have been decided. Ask in the project's words: names as the code has them, commands, error words, synonyms; two to four `queries` put in different words find most.",
  searchHint:
    'keepit memory: search the history of previous conversations, what we discussed, decided, tried, fixed or remember',
  isReadOnly: true,
  input: {
    queries: z
      .array(z.string().check(z.minLength(1), z.maxLength(500)))
      .check(
        z.minLength(1),
        z.maxLength(4),
        z.describe('The same question in one to four ways; "in quotation marks": as it is.'),
      ),
    kinds: z.optional(z.array(z.enum(SEARCH_KINDS)).check(z.maxLength(SEARCH_KINDS.length), z.describe('Only these.'))),
    files: names('Only what touched such files: "src/auth/**".'),
    since: date('"2026-01-31", or how long ago: "7d".'),
    until: date('In the same way.'),
    project: projectField,
  },
  async list({ queries, kinds, files, since, until, project }, { memory, project: projects, now, signal }) {
    const projectId = await projects.id(project, signal);
    const [query = '', ...others] = queries;
    const request = {
      query,
      queries: others,
      projectIds: [projectId],
      limit: MOST_HITS,
      snippetLength: SNIPPET_LENGTH,
      kinds,
      files,
      since: since === undefined ? undefined : searchDate(since, 'since', now),
      until: until === undefined ? undefined : searchDate(until, 'until', now),
    };
    const { results, total, unread } = await memory.search.search(request, undefined, signal);
    const shown = total > results.length ? `, the best ${results.length} of them` : '';
    const heading =
      total === 0 ? await nothing(projectId, memory) : `${plural(total, 'answer')}${shown}, the best first:`;
    const late =
      unread === 0 ? '' : ` ${plural(unread, 'old session')} not read yet: searching again goes on with them.`;
    const how = total === 0 ? '' : '`read` with "session" and "around": <message> gives the words around an answer.';
    const hint = total === 0 || results.length > FEW || queries.length > 1 ? '' : ` ${ASK_ANEW}`;
    return listingOf(heading, results.map(hitText), `${how}${hint}${late}`.trim());
  },
});

/** So few answers may be the wrong ones. */
const FEW = 3;
const ASK_ANEW =
  'Ask again with other `queries` at once: names as the code has them, commands, words of the error, synonyms; two or three words each.';
/** What is not in memory is not found: a model is to know that. */
async function nothing(projectId: string, memory: ToolMemory): Promise<string> {
  const { length } = await memory.sessions.list(projectId);
  if (length > 0) return `Nothing was found in ${plural(length, 'session')} in memory. ${ASK_ANEW}`;
  return 'Nothing was found: no session of this project is in memory. `sessions` tells which there are, and `read` reads them all the same; the user adds them with `keepit register --all`, or in VS Code.';
}

function hitText(hit: SearchHit, index: number): string {
  const { kind, id, title = '', role, weight, timestamp, files, snippet, why } = hit;
  const isMessage = role !== undefined || kind === 'keepit';
  const head = joinParts([
    `${index + 1}. ${kind}${isMessage ? '' : ` ${id}`}${role === undefined ? '' : ` (${role})`}`,
    title,
    weight !== undefined && `weight ${weight.toFixed(2)}`,
    placeText(hit),
    timeText(timestamp),
  ]);
  const touched = files.length > 0 && `files: ${files.slice(0, MOST_FILES).join(', ')}`;
  return joinParts([head, snippet, `why: ${why}`, touched], '\n   ');
}
