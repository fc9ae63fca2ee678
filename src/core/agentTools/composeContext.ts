import * as z from 'zod/mini';
import type { ComposedTexts } from '../compositions/compositions';
import { compositionStrategySchema, type CompositionRequest } from '../model/composition';
import { oneLine } from '../text/cleanText';
import { shortId } from '../text/formats';
import { defineTool, projectField, type ToolContext } from './memoryTool';
import { ToolError } from './toolError';
import { listingOf } from './toolPage';
import { plural } from './toolTexts';

const USUAL_BUDGET = 6000;
const USUAL_LAST = 5;
const MOST_OMITTED = 10;
const REASON_LENGTH = 120;

export const composeContext = defineTool({
  name: 'compose_context',
  title: 'Compose a context from past sessions',
  description:
    'Puts several past sessions of this project together to one text inside a token budget: new sessions in detail, older ones compressed, pinned passages always. Use it when the user wants to go on with earlier work and one search is not enough. With a name it is also saved, so that the user can use it again.',
  searchHint: 'continue previous work, combine or load several conversations',
  isReadOnly: false,
  input: {
    sessions: z.optional(
      z
        .array(z.string().check(z.minLength(4), z.maxLength(200)))
        .check(
          z.minLength(1),
          z.maxLength(50),
          z.describe('Ids of sessions that are in memory; the last ones when left out.'),
        ),
    ),
    last: z.optional(
      z
        .int()
        .check(z.gte(1), z.lte(50), z.describe('Without sessions: how many of the newest in memory; 5 when left out.')),
    ),
    budget: z.optional(
      z.int().check(z.gte(500), z.lte(200_000), z.describe('Tokens that the text may have; 6000 when left out.')),
    ),
    strategy: z.optional(
      compositionStrategySchema.check(
        z.describe('How the budget is shared; age when left out, best for what holds the most of all together.'),
      ),
    ),
    name: z.optional(
      z
        .string()
        .check(z.minLength(1), z.maxLength(100), z.describe('Save it under this name; only when the user wants it.')),
    ),
    project: projectField,
  },
  async list({ sessions, last = USUAL_LAST, budget = USUAL_BUDGET, strategy = 'age', name, project }, context) {
    const { memory, project: projects, signal } = context;
    const projectId = await projects.id(project, signal);
    const ids =
      sessions === undefined ? await newest(projectId, last, context) : await named(projectId, sessions, context);
    const request: CompositionRequest = {
      name: name ?? 'context',
      components: ids.map((sessionId) => ({ sessionId })),
      totalTokenBudget: budget,
      outputFormat: 'markdown',
      strategy,
    };
    const { saved } = memory.compositions;
    if (name !== undefined) await saved.compose(projectId, request, signal === undefined ? {} : { signal });
    const composed: Pick<ComposedTexts, 'record' | 'markdown'> =
      name === undefined
        ? await saved.previewTexts(projectId, request, {}, signal)
        : {
            record: (await saved.get(projectId, name)).record,
            markdown: await saved.text(projectId, name, 'markdown'),
          };
    return listingOf(headingOf(composed, name), [composed.markdown ?? '']);
  },
});

/** In the order in which they were held. */
async function newest(projectId: string, count: number, { memory }: ToolContext): Promise<string[]> {
  const entries = (await memory.sessions(projectId)).slice(0, count);
  if (entries.length === 0) throw new ToolError('no-sessions');
  return entries.map(({ sessionId }) => sessionId).reverse();
}

async function named(projectId: string, words: readonly string[], { project, signal }: ToolContext): Promise<string[]> {
  const ids: string[] = [];
  for (const word of words) ids.push((await project.session(projectId, word, signal)).sessionId);
  return [...new Set(ids)];
}

function headingOf({ record }: Pick<ComposedTexts, 'record'>, name: string | undefined): string {
  const { components, totalTokens, omitted = [] } = record;
  const sessions = new Set(components.map(({ sessionId }) => sessionId)).size;
  const saved = name === undefined ? '' : `, saved as ${JSON.stringify(name)}`;
  const left = omitted
    .slice(0, MOST_OMITTED)
    .map(({ sessionId, reason }) => `left out: session ${shortId(sessionId)}, ${oneLine(reason, REASON_LENGTH)}`);
  return [`${plural(sessions, 'session')} in ${totalTokens} tokens${saved}.`, ...left].join('\n');
}
