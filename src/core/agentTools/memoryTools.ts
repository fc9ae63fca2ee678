import * as z from 'zod/mini';
import type { FactKind, FactView } from '../knowledge/facts/factViews';
import { parseQuery } from '../search/searchQuery';
import { TermMatcher } from '../search/termMatcher';
import type { Evidence } from '../model/layers';
import { joinParts, shortId } from '../text/formats';
import type { ComposedTexts } from '../compositions/compositions';
import { compositionStrategySchema, type CompositionRequest } from '../model/composition';
import { oneLine } from '../text/cleanText';
import { sessionField, getMessages, listSessions, recall, searchMemory } from './sessionTools';
import { messageMeant } from './toolProject';
import { defineTool, projectField, type ToolContext, type MemoryTool } from './memoryTool';
import { ToolError } from './toolError';
import { listingOf, placeText, plural, timeText } from './toolPage';
import { addKeepit, listKeepits } from './keepitTools';

const kinds: Readonly<Record<FactKind, string>> = { rules: 'rule', solutions: 'solution', core_logic: 'core logic' };
const kindWords = ['rule', 'solution', 'core_logic'] as const;
const kindOfWord: Readonly<Record<(typeof kindWords)[number], FactKind>> = {
  rule: 'rules',
  solution: 'solutions',
  core_logic: 'core_logic',
};

const listFacts = defineTool({
  name: 'list_facts',
  title: 'List facts of the project',
  description:
    'Lists what is known of this project for good: rules that the user laid down, problems and how they were solved, what core features do. Each comes with its source and how sure it is. Use it before you decide how to do something that the user may have rules for.',
  searchHint: 'rules, conventions, preferences and decisions of the user, known solutions',
  isReadOnly: true,
  input: {
    kind: z.optional(z.enum(kindWords).check(z.describe('Only one kind.'))),
    query: z.optional(z.string().check(z.maxLength(500), z.describe('Only facts that hold one of these words.'))),
    project: projectField,
  },
  async list({ kind, query, project }, context) {
    const projectId = await enabledProject(project, context);
    const filter = kind === undefined ? {} : { kind: kindOfWord[kind] };
    const all = await context.memory.layers.facts(projectId, filter);
    const matcher = query === undefined || query.trim() === '' ? undefined : new TermMatcher(parseQuery(query));
    const facts = all.filter(({ content }) => matcher === undefined || matcher.match(content) !== undefined);
    return listingOf(`${plural(facts.length, 'fact')}, those stated last first:`, facts.map(factText));
  },
});

const proposeFact = defineTool({
  name: 'propose_fact',
  title: 'Propose a fact to remember',
  description:
    'Proposes something to be remembered of this project for good: a rule that the user laid down, a problem with its solution, what a core feature does. It goes into a queue that the user looks through; it is no fact before the user confirms it. Propose sparingly: what a later session cannot see in the code, in one sentence, with the message that it comes from.',
  searchHint: 'remember or save a rule, preference, decision or solution, note for later',
  isReadOnly: false,
  input: {
    kind: z
      .enum(kindWords)
      .check(z.describe('rule, solution (with the problem in `about`), core_logic (with the feature in `about`).')),
    content: z
      .string()
      .check(
        z.minLength(3),
        z.maxLength(600),
        z.describe('One sentence that stands by itself, in the words of the user.'),
      ),
    about: z.optional(
      z.string().check(z.maxLength(300), z.describe('The problem that was solved, or the name of the feature.')),
    ),
    session: z.optional(sessionField),
    message: z.optional(
      z.string().check(z.minLength(1), z.maxLength(100), z.describe('The message of that session that it comes from.')),
    ),
    project: projectField,
  },
  async list({ kind, content, about, session, message, project }, context) {
    const projectId = await enabledProject(project, context);
    if (kind !== 'rule' && about === undefined) {
      throw new ToolError('bad-argument', 'about', `a ${kind} needs it`);
    }
    const evidence = await evidenceOf(projectId, { session, message }, context);
    const proposal = {
      kind: kindOfWord[kind],
      content,
      ...(about !== undefined && { about }),
      ...(evidence !== undefined && { evidence }),
    };
    const { outcome, id } = await context.memory.layers.proposeFact(projectId, proposal);
    if (outcome === 'known') return listingOf(`That is known already, as ${id}. Nothing was added.`, []);
    if (outcome === 'declined') return listingOf('The user did not want that before. Nothing was added.', []);
    return listingOf(
      `Proposed as ${id}. It waits for the user, who confirms it in VS Code or with \`keepit fact confirm ${id}\`, and counts for nothing until then.`,
      [],
    );
  },
});

async function enabledProject(name: string | undefined, { memory, project, signal }: ToolContext): Promise<string> {
  const projectId = await project.id(name, signal);
  if (!(await memory.layers.status(projectId)).isEnabled) throw new ToolError('layers-off', projectId);
  return projectId;
}

/** A source has to be there: what a model makes up is none. */
async function evidenceOf(
  projectId: string,
  { session, message }: { session: string | undefined; message: string | undefined },
  { memory, project, signal }: ToolContext,
): Promise<Evidence | undefined> {
  if (session === undefined) return undefined;
  const ref = await project.session(projectId, session, signal);
  if (message === undefined)
    throw new ToolError('bad-argument', 'message', 'with a session it has to be named as well');
  const { messages } = await memory.sessions.conversation(ref, signal);
  const { uuid, text, timestamp } = messageMeant(messages, message);
  const { sessionId } = ref;
  return { sessionId, messageUuid: uuid, excerpt: text, ...(timestamp !== undefined && { ts: timestamp }) };
}

function factText(fact: FactView): string {
  const { id, kind, content, confidence, contradictions, isConfirmed, state, source } = fact;
  const said = source === undefined ? '' : source.by === 'user' ? 'said by the user' : 'seen in a session';
  const head = joinParts([
    `${id} ${kinds[kind]}`,
    isConfirmed ? 'confirmed by the user' : `confidence ${confidence.toFixed(2)}`,
    state === 'review' ? `often acted against (${contradictions}), to be reviewed` : '',
    said,
    source === undefined ? '' : placeText(source),
    timeText(source?.ts),
  ]);
  return `${head}\n   ${content}`;
}

const USUAL_BUDGET = 6000;
const USUAL_LAST = 5;
const MOST_OMITTED = 10;
const REASON_LENGTH = 120;

const composeContext = defineTool({
  name: 'compose_context',
  title: 'Compose a context from past sessions',
  description:
    'Puts several past sessions of this project together to one text inside a token budget: what was asked and what came of it, in their own words, pinned passages always. With a purpose, what says most to it comes in. Use it when the user wants to go on with earlier work and one search is not enough. With a name it is also saved, so that the user can use it again.',
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
    purpose: z.optional(
      z
        .string()
        .check(z.maxLength(2000), z.describe('What the context is for; passages compete by what they say to it.')),
    ),
    strategy: z.optional(compositionStrategySchema.check(z.describe('How the budget is shared; best when left out.'))),
    name: z.optional(
      z
        .string()
        .check(z.minLength(1), z.maxLength(100), z.describe('Save it under this name; only when the user wants it.')),
    ),
    project: projectField,
  },
  async list(
    { sessions, last = USUAL_LAST, budget = USUAL_BUDGET, strategy = 'best', purpose, name, project },
    context,
  ) {
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
      purpose,
    };
    const saved = memory.compositions;
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
  const entries = (await memory.sessions.list(projectId)).slice(0, count);
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

/** Everything that models can do with memory, in the order in which it is offered. */
export const memoryTools: readonly MemoryTool[] = [
  searchMemory,
  getMessages,
  recall,
  listSessions,
  composeContext,
  listKeepits,
  addKeepit,
  listFacts,
  proposeFact,
];
