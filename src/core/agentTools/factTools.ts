import * as z from 'zod/mini';
import type { FactKind, FactView } from '../knowledge/facts/factViews';
import { parseQuery } from '../search/searchQuery';
import { TermMatcher } from '../search/termMatcher';
import type { Evidence } from '../model/layers';
import { sessionField } from './getMessages';
import { messageMeant } from './messageMeant';
import { defineTool, projectField, type ToolContext } from './memoryTool';
import { ToolError } from './toolError';
import { listingOf } from './toolPage';
import { placeText, plural, timeText } from './toolTexts';
import { joinParts } from '../text/formats';

const kinds: Readonly<Record<FactKind, string>> = { rules: 'rule', solutions: 'solution', core_logic: 'core logic' };
const kindWords = ['rule', 'solution', 'core_logic'] as const;
const kindOfWord: Readonly<Record<(typeof kindWords)[number], FactKind>> = {
  rule: 'rules',
  solution: 'solutions',
  core_logic: 'core_logic',
};

export const listFacts = defineTool({
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

export const proposeFact = defineTool({
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
  const { messages } = await memory.conversation(ref, signal);
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
