import * as z from 'zod/mini';
import type { FactView } from '../knowledge/facts/factViews';
import { parseWeight, weightName } from '../keepits/weights';
import { LayersError, NotebookError } from '../knowledge/layerStore';
import { joinParts, plural } from '../text/formats';
import { leftOutNote, withoutSecrets } from '../text/secrets/cleanText';
import type { SessionRef } from '../sessions/results';
import { withoutHarnessTags } from '../transcript/harnessBlocks';
import { defineTool, projectField, type ToolContext, textField } from './memoryTool';
import { ToolError } from './toolError';
import { listingOf, placeText, timeText, type Listing } from './toolPage';
import type { ToolMemory } from './toolProject';

const USUAL_BUDGET = 4000;
const MOST_SESSIONS = 20;
const MEMORY_FILE = 'memory.md';
/** A lighter keepit is found by searching. */
const LEAST_WEIGHT = 0.75;

export const recall = defineTool({
  name: 'recall',
  title: "Recall the project's memory",
  description:
    'Where this project stands: rules and decisions of the user that hold, what was done last, pinned passages, the notes. With `about`, what past sessions say to a purpose, put together inside a token budget. Use it before work that builds on earlier work, and before you decide what the user may have rules for. `search` finds single things.',
  searchHint:
    'keepit memory overview: status of the project, where it stands, its history, what we decided, rules, conventions, preferences, facts, pinned or marked important passages, continue previous work',
  isReadOnly: true,
  input: {
    about: z.optional(textField('What the context is for, in the words of the project.', 2000)),
    budget: z.optional(
      z.int().check(z.gte(500), z.lte(100_000), z.describe('With `about`: tokens it may have; 4000 when left out.')),
    ),
    project: projectField,
  },
  async list({ about, budget = USUAL_BUDGET, project }, context) {
    const projectId = await context.project.id(project, context.signal);
    return about === undefined || about.trim() === ''
      ? overview(projectId, context)
      : composed(projectId, { about, budget }, context);
  },
});

async function overview(projectId: string, { memory, signal }: ToolContext): Promise<Listing> {
  if (!(await memory.layers.status(projectId)).isEnabled) throw new ToolError('layers-off', projectId);
  const { items } = await memory.hooks.brief(projectId, {}, signal);
  const reports = items.filter(({ kind }) => kind === 'state' || kind === 'index').map(({ text }) => `- ${text}`);
  const facts = (await memory.layers.facts(projectId)).filter(({ state }) => state === 'valid');
  const { keepits } = await memory.keepits.listProjects(projectId, undefined, signal);
  const heavy = keepits.filter(({ effectiveWeight }) => effectiveWeight >= LEAST_WEIGHT);
  const notes = (await masterNote(memory, projectId)) ?? (await rollingMemory(memory, projectId));
  const parts = [
    ...titled('Where the work stands:', reports),
    ...titled('What holds, the last first:', facts.map(factText)),
    ...titled(
      'Passages that were marked never to be lost:',
      heavy.map((keepit) => {
        const weight = `${keepit.effectiveWeight.toFixed(2)} ${weightName(keepit.effectiveWeight)}`;
        return `- ${joinParts([weight, placeText(keepit)])}\n  ${withoutSecrets(keepit.content)}`;
      }),
    ),
    ...(notes ?? []),
  ];
  if (parts.length === 0) throw new ToolError('nothing-to-recall', projectId);
  return listingOf('What is known of the project:', parts);
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines, ''];
}

function factText({ id, content, trust, isConfirmed, source }: FactView): string {
  const who = isConfirmed ? 'confirmed by the user' : trust === 'stated' ? 'said by the user' : trust;
  const head = joinParts([id, who, source === undefined ? '' : placeText(source), timeText(source?.ts)]);
  return `- ${content}\n  (${head})`;
}

async function masterNote(memory: ToolMemory, projectId: string): Promise<string[] | undefined> {
  try {
    const { text, lastSynthesized, newSources } = await memory.notebook.recall(projectId);
    const age = lastSynthesized === undefined ? '' : `, as of ${lastSynthesized}`;
    const late = newSources.length === 0 ? '' : `; ${plural(newSources.length, 'newer note')} not in it yet`;
    return [`The project's memory${age}${late}:`, withoutSecrets(text)];
  } catch (error) {
    if (error instanceof NotebookError && error.reason === 'no-master') return undefined;
    throw error;
  }
}

async function rollingMemory(memory: ToolMemory, projectId: string): Promise<string[] | undefined> {
  try {
    const text = await memory.rolling.get(projectId, MEMORY_FILE);
    return text.trim() === '' ? undefined : ["The project's rolling memory, the newest last:", withoutSecrets(text)];
  } catch (error) {
    if (error instanceof LayersError && error.reason === 'not-built') return undefined;
    throw error;
  }
}

async function composed(
  projectId: string,
  { about, budget }: { about: string; budget: number },
  { memory, signal }: ToolContext,
): Promise<Listing> {
  const entries = (await memory.sessions.list(projectId)).slice(0, MOST_SESSIONS);
  if (entries.length === 0) throw new ToolError('no-sessions');
  const { record, markdown = '' } = await memory.compositions.previewTexts(
    projectId,
    {
      name: 'context',
      components: entries.map(({ sessionId }) => ({ sessionId })).reverse(),
      totalTokenBudget: budget,
      outputFormat: 'markdown',
      strategy: 'best',
      purpose: about,
    },
    {},
    signal,
  );
  return listingOf(`${plural(record.components.length, 'session')} in ${record.totalTokens} tokens:`, [markdown]);
}

const NOTED = {
  stated: 'Remembered as %: later sessions are told of it.',
  proposed: 'Noted as %. It waits for the user, who confirms it in VS Code or with `keepit fact confirm %`.',
  known: 'That is known already, as %. Nothing was added.',
  declined: 'The user did not want that before. Nothing was added.',
  waiting:
    'These words are not in the transcript yet. They are looked for when the session is taken in, and count only if the user said them letter by letter.',
  refused: 'Not noted: the user did not say these words, somebody else in the session did.',
} as const;

export const remember = defineTool({
  name: 'remember',
  title: 'Remember what the user said',
  description:
    'Notes what the user has just laid down, decided or corrected, so that later sessions know it. `quote` is their own words, letter by letter, in whole sentences, one statement alone; what they did not say is refused. Use it for what holds beyond this task: a rule, a preference, a decision, a fact of the project. With `weight`, it marks words of the session, also yours, never to be lost in a compression: only when the user asks.',
  searchHint:
    'remember or save a rule, preference, decision, correction, note for later; pin, mark or keep what is important',
  isReadOnly: false,
  input: {
    quote: textField('The words, letter by letter.', 600, 3),
    kind: z.optional(z.enum(['rule', 'preference', 'decision', 'fact']).check(z.describe('rule when left out.'))),
    about: z.optional(textField('What it is about, where the words do not say.', 200)),
    weight: z.optional(textField('0.00 to 1.00, or pinned, critical, important, notable.', 12)),
    session: z.optional(textField('Its id; the one at hand when left out.', 200, 4)),
    project: projectField,
  },
  async list({ quote, kind = 'rule', about, weight, session, project }, context) {
    const { memory, project: projects, signal } = context;
    const projectId = await projects.id(project, signal);
    const ref = await projects.session(projectId, session ?? 'latest', signal);
    if (weight !== undefined) return marked(ref, { quote, weight }, context);
    if (!(await memory.layers.status(projectId)).isEnabled) throw new ToolError('layers-off', projectId);
    const { outcome, id = '' } = await memory.hooks.note(
      ref,
      { quote: quote.trim(), kind, about },
      { isNamed: session !== undefined && session !== 'latest' },
      signal,
    );
    return listingOf(NOTED[outcome].replaceAll('%', id), []);
  },
});

async function marked(
  ref: SessionRef,
  { quote, weight }: { quote: string; weight: string },
  { memory, signal }: ToolContext,
): Promise<Listing> {
  const parsed = parseWeight(weight);
  if ('problem' in parsed) throw new ToolError('bad-argument', 'weight', parsed.problem);
  const entries = await memory.sessions.list(ref.projectId);
  if (!entries.some(({ sessionId }) => sessionId === ref.sessionId))
    throw new ToolError('not-registered', ref.sessionId);
  const { messages } = await memory.sessions.conversation(ref, signal);
  // As the model was shown them.
  const startIn = ({ text }: { readonly text: string }): number =>
    withoutHarnessTags(text).indexOf(withoutHarnessTags(quote));
  const meant = messages.findLast((message) => startIn(message) !== -1);
  if (meant === undefined) throw new ToolError('text-not-found', quote.slice(0, 80));
  const start = startIn(meant);
  const request = { messageUuid: meant.uuid, start, end: start + quote.length, weight: parsed.weight };
  const added = await memory.keepits.add(ref, request, signal);
  const note = leftOutNote(added.map(({ content }) => content).join('\n'));
  return listingOf(
    `Marked with ${parsed.weight.toFixed(2)} (${weightName(parsed.weight)})${note && `, ${note}`}.`,
    added.map(({ markerId, content }) => `keepit ${markerId.slice(0, 8)}\n${withoutSecrets(content)}`),
  );
}
