import * as z from 'zod/mini';
import { writable } from '../text/writable';
import { joinParts, shortId } from '../text/formats';
import type { Message } from '../transcript/types';
import { messageMeant } from './messageMeant';
import { defineTool, projectField } from './memoryTool';
import { plural, timeText } from './toolTexts';

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
    const { messages } = await memory.conversation(ref, signal);
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
