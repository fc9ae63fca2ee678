import * as z from 'zod/mini';
import { SEARCH_KINDS } from '../search/searchDocument';
import { searchDate } from '../search/searchDate';
import type { SearchHit } from '../search/searchService';
import { defineTool, projectField } from './memoryTool';
import { type ToolMemory } from './toolProject';
import { listingOf } from './toolPage';
import { placeText, plural, timeText } from './toolTexts';
import { joinParts } from '../text/formats';

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
  const { length } = await memory.sessions(projectId);
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
