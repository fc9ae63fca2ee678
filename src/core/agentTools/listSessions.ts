import * as z from 'zod/mini';
import { oneLine } from '../text/cleanText';
import { joinParts, formatCount, shortId } from '../text/formats';
import { titleOf } from '../sessions/sessionTitle';
import type { DiscoveredSession } from '../sessions/results';
import { defineTool, projectField } from './memoryTool';
import { listingOf } from './toolPage';
import { plural, timeText } from './toolTexts';

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
    const [found] = (await memory.discover({ projectIds: [projectId] }, signal)).projects;
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
