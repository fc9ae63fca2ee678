import { isForeign, type FactKind, type FactView } from '../../core/knowledge/facts/factViews';
import { oneLine } from '../../core/text/cleanText';
import { shortId } from '../../core/text/formats';
import type { Answer, ArgumentSpec, Command, CommandContext, Page } from '../command';
import type { CommandInput } from '../commandInput';
import { projectOf } from '../projectOf';
import type { Tone } from '../style';
import { renderTable, type Cell, type Column } from '../table';

const CONTENT_LENGTH = 300;

const id: ArgumentSpec = { name: 'id', help: 'the fact, as `facts` lists it', arity: 'one' };

const columns: readonly Column[] = [
  { title: 'Fact' },
  { title: 'Kind' },
  { title: 'Says', isFlexible: true },
  { title: 'Sure', align: 'right' },
  { title: 'Against', align: 'right' },
  { title: 'State' },
  { title: 'Session' },
  { title: 'Day' },
];

const kinds: Record<FactKind, string> = { rules: 'rule', solutions: 'solution', core_logic: 'core logic' };
const tones: Record<FactView['state'], Tone> = {
  valid: 'plain',
  review: 'warning',
  superseded: 'quiet',
  rejected: 'quiet',
  heard: 'quiet',
};

export const facts: Command = {
  name: 'facts',
  group: 'Knowledge',
  summary: 'List what is known of a project: rules, solutions, core logic',
  details: [
    'What was found in the project and this memory did not write is listed apart: no session is told of it before you confirm it.',
    'Rules come from the human alone; the latest statement on a subject is the one that holds. --all also lists what was replaced or rejected, and what tools and pages told their reader to do, which makes no rule.',
  ],
  args: [],
  options: {
    kind: { type: 'string', value: 'KIND', help: 'rules, solutions or core_logic' },
    review: {
      type: 'boolean',
      help: 'Only what has to be looked at: what was often acted against, and what a model proposed',
    },
    all: { type: 'boolean', help: 'Also what does not hold' },
  },
  examples: ['facts', 'facts --kind rules', 'facts --review', 'facts --all --json'],
  async run(input, { scope, memory }): Promise<Answer> {
    const kind = kindOf(input);
    const filter = { kind, review: input.has('review'), all: input.has('all'), foreign: true };
    const found = await memory.layers.facts(await projectOf(scope), filter);
    return { json: { facts: found }, text: (page) => listingText(found, page) };
  },
};

export const factConfirm = changing('confirm', 'Say that a fact holds', (context, projectId, input) =>
  context.memory.layers.confirmFact(projectId, input.required(0)),
);
export const factReject = changing(
  'reject',
  'Say that a fact is wrong; it stays to be seen, and counts no more',
  (context, projectId, input) => context.memory.layers.rejectFact(projectId, input.required(0)),
);
export const factForget = changing('forget', 'Take a fact out; it does not come back', (context, projectId, input) =>
  context.memory.layers.forgetFact(projectId, input.required(0)),
);

export const factEdit: Command = {
  ...changing('edit', 'Put a fact in other words', (context, projectId, input) =>
    context.memory.layers.editFact(projectId, input.required(0), input.args.slice(1).join(' ')),
  ),
  args: [id, { name: 'words', help: 'what it is to say', arity: 'any' }],
  examples: ['fact edit r003 "Commit messages are in Chinese"'],
};

function changing(
  verb: 'confirm' | 'reject' | 'forget' | 'edit',
  summary: string,
  change: (context: CommandContext, projectId: string, input: CommandInput) => Promise<FactView>,
): Command {
  return {
    name: `fact ${verb}`,
    group: 'Knowledge',
    summary,
    details: [],
    args: [id],
    options: {},
    examples: [`fact ${verb} r003`],
    async run(input, context): Promise<Answer> {
      const fact = await change(context, await projectOf(context.scope), input);
      return { json: { fact }, text: (page) => factsText([fact], page) };
    },
  };
}

function kindOf(input: CommandInput): FactKind | undefined {
  const kind = input.text('kind');
  if (kind === undefined || kind === 'rules' || kind === 'solutions' || kind === 'core_logic') return kind;
  throw input.wrong('--kind is rules, solutions or core_logic.');
}

function listingText(found: readonly FactView[], page: Page): string {
  const foreign = found.filter(isForeign);
  if (foreign.length === 0) return factsText(found, page);
  const own = found.filter((fact) => !isForeign(fact));
  return [
    ...(own.length === 0 ? [] : [factsText(own, page), '']),
    `${page.style.paint('warning', 'Found in this project, not from you')}: no session is told of it. \`keepit fact confirm ID\` accepts, \`keepit fact reject ID\` rejects.`,
    factsText(foreign, page),
  ].join('\n');
}

function factsText(found: readonly FactView[], { style, width }: Page): string {
  if (found.length === 0) return 'There are no such facts.';
  return renderTable(columns, found.map(cells), { style, width }).join('\n');
}

function cells(fact: FactView): Cell[] {
  const { content, kind, confidence, contradictions, state, source } = fact;
  const note = stateNote(fact);
  return [
    { text: fact.id, tone: 'accent' },
    { text: kinds[kind] },
    { text: oneLine(content, CONTENT_LENGTH), tone: state === 'heard' ? 'quiet' : 'plain' },
    { text: confidence.toFixed(2) },
    { text: contradictions === 0 ? '' : String(contradictions) },
    { text: note === 'valid' ? '' : note, tone: tones[state] },
    { text: source === undefined ? '' : shortId(source.sessionId), tone: 'quiet' },
    { text: fact.lastValidated, tone: 'quiet' },
  ];
}

function stateNote({ state, supersededBy = '', isConfirmed, isProposed, origin }: FactView): string {
  if (state === 'review' && origin === 'foreign') return 'not from you';
  if (state === 'superseded') return `replaced by ${supersededBy}`;
  if (state === 'review' && isProposed === true) return 'proposed';
  return isConfirmed ? 'confirmed' : state;
}
