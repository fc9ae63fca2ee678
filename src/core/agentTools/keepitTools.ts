import * as z from 'zod/mini';
import type { EffectiveKeepit } from '../keepits/effectiveKeepits';
import { parseWeight, weightName } from '../keepits/weights';
import { leftOutNote, writable } from '../text/secrets/cleanText';
import { joinParts, shortId } from '../text/formats';
import type { SessionRef } from '../sessions/results';
import { withoutHarnessTags } from '../transcript/harnessBlocks';
import type { Message } from '../transcript/types';
import { sessionField } from './sessionTools';
import { messageMeant, type ToolMemory } from './toolProject';
import { defineTool, projectField } from './memoryTool';
import { ToolError } from './toolError';
import { listingOf, placeText, plural } from './toolPage';

const MOST_SHOWN = 2000;
const USUAL_WEIGHT = 0.75;

const weightField = z
  .union([z.number().check(z.gte(0), z.lte(1)), z.string().check(z.maxLength(12))])
  .check(
    z.describe(
      'From 0.00 to 1.00 with two decimals, or pinned (1.00), critical (0.90), important (0.75), notable (0.50), minor (0.25), hint (0.10).',
    ),
  );

export const listKeepits = defineTool({
  name: 'list_keepits',
  title: 'List keepits',
  description:
    'Lists the keepits of this project: passages of past sessions that were marked to survive, word by word, each with a weight from 0 to 1 (1.00 is never forgotten). Use it when exact wording matters: requirements, decisions, figures that the user wanted kept.',
  searchHint: 'pinned, marked, important passages',
  isReadOnly: true,
  input: {
    session: z.optional(sessionField),
    weight_min: z.optional(weightField),
    project: projectField,
  },
  async list({ session, weight_min: least, project }, { memory, project: projects, signal }) {
    const projectId = await projects.id(project, signal);
    const listing =
      session === undefined
        ? await memory.keepits.listProjects(projectId, undefined, signal)
        : await memory.keepits.list(await projects.session(projectId, session, signal), signal);
    const from = least === undefined ? 0 : weightOf(least);
    const keepits = listing.keepits.filter(({ effectiveWeight }) => effectiveWeight >= from - 1e-9);
    const unread =
      listing.failed.length === 0 ? undefined : `${plural(listing.failed.length, 'session')} not readable.`;
    return listingOf(`${plural(keepits.length, 'keepit')}:`, keepits.map(keepitText), unread);
  },
});

export const addKeepit = defineTool({
  name: 'add_keepit',
  title: 'Mark a keepit',
  description:
    'Marks words of a session so that they survive compression and come back later, byte by byte. Use it only when the user asks to keep, pin or remember something that was said. The transcript itself stays as it is.',
  searchHint: 'remember, save, pin, mark or keep what is important, note for later',
  isReadOnly: false,
  input: {
    session: sessionField,
    message: z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(100),
        z.describe('The message, by uuid, the beginning of one, or number; "last" for the assistant\'s last words.'),
      ),
    text: z.optional(
      z
        .string()
        .check(
          z.minLength(1),
          z.maxLength(20_000),
          z.describe('The words to mark, letter by letter as they stand in the message; all of it when left out.'),
        ),
    ),
    weight: z.optional(weightField),
    register: z.optional(
      z
        .boolean()
        .check(z.describe('Take the session into memory first if it is not there: only when the user wants that.')),
    ),
    project: projectField,
  },
  async list({ session, message, text, weight = USUAL_WEIGHT, register, project }, context) {
    const { memory, project: projects, signal } = context;
    const projectId = await projects.id(project, signal);
    const ref = await projects.session(projectId, session, signal);
    await inMemory(memory, ref, { mayRegister: register === true, signal });
    const { messages } = await memory.sessions.conversation(ref, signal);
    const meant = messageMeant(messages, message);
    const span = text === undefined ? {} : spanOf(meant, text);
    const request = { messageUuid: meant.uuid, ...span, weight: weightOf(weight) };
    const added = await memory.keepits.add(ref, request, signal);
    const note = leftOutNote(added.map(({ content }) => content).join('\n'));
    const head = `Marked. ${plural(added.length, 'keepit')} added${note && `, ${note}`}:`;
    return listingOf(head, added.map(keepitText));
  },
});

async function inMemory(
  memory: ToolMemory,
  ref: SessionRef,
  { mayRegister, signal }: { mayRegister: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const entries = await memory.sessions.list(ref.projectId);
  if (entries.some(({ sessionId }) => sessionId === ref.sessionId)) return;
  if (!mayRegister) throw new ToolError('not-registered', ref.sessionId);
  await memory.sessions.register([ref], undefined, signal);
}

function spanOf({ text: said }: Message, words: string): { start: number; end: number } {
  // As the model was shown them.
  const start = withoutHarnessTags(said).indexOf(withoutHarnessTags(words));
  if (start === -1) throw new ToolError('text-not-found', words.slice(0, 80));
  return { start, end: start + words.length };
}

function weightOf(weight: number | string): number {
  const parsed = parseWeight(String(weight));
  if ('problem' in parsed) throw new ToolError('bad-argument', 'weight', parsed.problem);
  return parsed.weight;
}

function keepitText(keepit: EffectiveKeepit): string {
  const { markerId, effectiveWeight, content } = keepit;
  const words = writable(content);
  const shown = words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN)}… (${words.length} characters)` : words;
  const head = [`${effectiveWeight.toFixed(2)} ${weightName(effectiveWeight)}`, `keepit ${shortId(markerId)}`];
  return `${joinParts([...head, placeText(keepit)])}\n${shown}\n`;
}
