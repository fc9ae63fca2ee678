import { isForeign, type FactKind, type FactView } from '../../core/knowledge/facts/factViews';
import { oneLine } from '../../core/text/cleanText';
import { shortId, formatAge, joinParts } from '../../core/text/formats';
import { type ArgumentSpec, type Command, type CommandContext, type Page, flag, valued } from '../command';
import type { CommandInput } from '../commandInput';
import { projectOf } from '../projectOf';
import { type Tone, renderTable, type Cell, type Column } from '../terminal';
import { kindNames, SEARCH_KINDS, type SearchKind } from '../../core/search/searchDocument';
import { searchDate } from '../../core/search/searchFilter';
import type { SearchHit } from '../../core/search/answers';
import type { SearchRequest, SearchResult } from '../../core/search/searchService';

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

const factKinds = ['rules', 'solutions', 'core_logic'] as const satisfies readonly FactKind[];
const kinds: Record<FactKind, string> = { rules: 'rule', solutions: 'solution', core_logic: 'core logic' };
const tones: Record<FactView['state'], Tone> = {
  valid: 'plain',
  review: 'warning',
  superseded: 'quiet',
  rejected: 'quiet',
};

export const facts: Command = {
  name: 'facts',
  group: 'Knowledge',
  summary: 'List what is known of a project: rules, solutions, core logic',
  details: [
    'What was found in the project and this memory did not write is listed apart: no session is told of it before you confirm it.',
    'Rules come from the human alone; the latest statement on a subject is the one that holds. --all also lists what was replaced or rejected.',
  ],
  options: {
    kind: valued('KIND', 'rules, solutions or core_logic'),
    review: flag('Only what has to be looked at: what was often acted against, and what a model proposed'),
    all: flag('Also what does not hold'),
  },
  examples: ['facts', 'facts --kind rules', 'facts --review', 'facts --all --json'],
  async run(input, { scope, memory }) {
    const kind = input.oneOf('kind', factKinds);
    const filter = { kind, review: input.has('review'), all: input.has('all'), foreign: true, reported: true };
    const found = await memory.layers.facts(await projectOf(scope), filter);
    return { json: { facts: found }, text: (page) => listingText(found, page) };
  },
};

export const brief: Command = {
  name: 'brief',
  group: 'Knowledge',
  summary: 'Show what the next session would be given',
  details: [
    'Where the work stands, the rules and decisions that hold, the heads of the project’s own notes, and earlier sessions to fetch from: nothing that CLAUDE.md or MEMORY.md says already. `hooks.briefTokens` says how long it may be.',
  ],
  options: { file: valued('F', 'What the session is about: decisions on this file come first; repeatable') },
  examples: ['brief', 'brief --file src/auth/login.ts', 'brief --json'],
  async run(input, { scope, memory, signal }) {
    const json = await memory.hooks.brief(await projectOf(scope), { files: input.all('file') }, signal);
    return {
      json,
      text: ({ formats, style }) =>
        json.text === ''
          ? 'There is nothing to tell a session yet.'
          : `${json.text}\n\n${style.paint('quiet', formats.plural(json.tokens, 'token'))}`,
    };
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

export const factWhy: Command = {
  name: 'fact why',
  group: 'Knowledge',
  summary: 'Say why a fact is told: the words, their message, and what it replaced',
  args: [id],
  examples: ['fact why r003'],
  async run(input, { scope, memory }) {
    const json = await memory.layers.why(await projectOf(scope), input.required(0));
    return {
      json,
      text: ({ style }) =>
        [
          json.fact.content,
          ...json.messages.map(
            ({ sessionId, text }) => `${style.paint('accent', sessionId)}  ${oneLine(text, CONTENT_LENGTH)}`,
          ),
          ...json.replaced.map(({ content }) => style.paint('quiet', `replaced: ${content}`)),
        ].join('\n'),
    };
  },
};

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
    args: [id],
    examples: [`fact ${verb} r003`],
    async run(input, context) {
      const fact = await change(context, await projectOf(context.scope), input);
      return { json: { fact }, text: (page) => factsText([fact], page) };
    },
  };
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
    { text: oneLine(content, CONTENT_LENGTH), tone: 'plain' },
    { text: confidence.toFixed(2) },
    { text: contradictions === 0 ? '' : String(contradictions) },
    { text: note === 'valid' ? '' : note, tone: tones[state] },
    { text: source === undefined ? '' : shortId(source.sessionId), tone: 'quiet' },
    { text: fact.lastValidated, tone: 'quiet' },
  ];
}

function stateNote({ state, supersededBy = '', isConfirmed, isProposed, origin, outdated }: FactView): string {
  if (state === 'review' && origin === 'foreign') return 'not from you';
  if (state === 'superseded') return `replaced by ${supersededBy}`;
  if (state === 'review' && isProposed === true) return 'proposed';
  return isConfirmed ? 'confirmed' : (outdated ?? state);
}

const MOST_FILES = 4;
const TITLE_LENGTH = 60;

export const search: Command = {
  name: 'search',
  group: 'Knowledge',
  summary: 'Find words in all that is in memory',
  details: [
    'Looks through facts, keepits, the notebook, the rolling memory, concepts, compositions, versions, and what was said in sessions in memory. Words are found in any language and in most of their forms, and misspelt ones where nothing else fits; "words in quotation marks" count more as they are, and +word and +"words" have to be there. Dates in words (in March, last week) lift what happened then.',
    'The best answer comes first. What was said is found as an exchange: what was asked, what says most, and how it ended; --kind message finds messages one by one. What speaks of the same message is listed once. --also asks the same in other words, as names and error texts in the code have them: what several ways of asking find comes first.',
  ],
  args: [{ name: 'query', help: 'the words', arity: 'any' }],
  options: {
    file: valued('GLOB', 'Only what touched such a file: src/auth/**, login.ts; repeatable'),
    since: valued('D', 'Not before: 2026-01-31, or 7d for a week ago'),
    until: valued('D', 'Not after'),
    topic: valued('T', 'Only what is about this as well; repeatable'),
    kind: valued('KIND', `Only one kind: ${SEARCH_KINDS.join(', ')}; repeatable`),
    'weight-min': valued('W', 'Only keepits from this weight on'),
    'weight-max': valued('W', 'Only keepits up to this weight'),
    limit: valued('N', 'So many answers at most; 20, when nothing is said'),
    cursor: valued('C', 'The next page: nextCursor of the one before'),
    linked: flag('Also in what is linked to the project'),
    also: valued('QUERY', 'The same in other words; repeatable'),
  },
  examples: [
    'search refresh token expiry',
    `search '+"refresh token" expiry'`,
    'search "why were people logged out" --also "refresh token expiry" --also useSession',
    'search login --file "src/auth/**" --since 30d',
    'search deploy --kind fact --kind keepit --all-projects --json',
  ],
  async run(input, context) {
    const startedMs = performance.now();
    const request = await requestOf(input, context);
    const result = await context.memory.search.search(request, context.onProgress, context.signal);
    const tookMs = Math.round(performance.now() - startedMs);
    const searched =
      result.total > 0 ? undefined : (await context.memory.sessions.list(request.projectIds?.[0])).length;
    return { json: { ...result, tookMs }, text: (page) => resultText(result, searched, page) };
  },
};

async function requestOf(input: CommandInput, { scope }: CommandContext): Promise<SearchRequest> {
  const query = input.args.join(' ');
  if (query.trim() === '') throw input.wrong('The words are missing: search "refresh token".');
  const projectId = await scope.projectId();
  const files = input.all('file');
  const now = new Date();
  const since = input.text('since');
  const until = input.text('until');
  const kinds = kindsOf(input);
  return {
    query,
    projectIds: projectId === undefined ? undefined : [projectId],
    linked: input.has('linked'),
    files: files.length > 0 ? files : undefined,
    topics: input.all('topic'),
    kinds: kinds.length > 0 ? kinds : undefined,
    since: since === undefined ? undefined : searchDate(since, 'since', now),
    until: until === undefined ? undefined : searchDate(until, 'until', now),
    limit: input.count('limit'),
    cursor: input.text('cursor'),
    queries: input.all('also'),
    weightMin: weightOf(input, 'weight-min'),
    weightMax: weightOf(input, 'weight-max'),
  };
}

function kindsOf(input: CommandInput): SearchKind[] {
  return input.all('kind').flatMap((word) => input.oneOf('kind', SEARCH_KINDS, word) ?? []);
}

function weightOf(input: CommandInput, option: string): number | undefined {
  const text = input.text(option);
  if (text === undefined) return undefined;
  const weight = Number(text);
  if (!/^\d(?:\.\d{1,2})?$/.test(text) || weight > 1) {
    throw input.wrong(`--${option} takes a weight from 0.00 to 1.00, not ${JSON.stringify(text)}.`);
  }
  return weight;
}

/** `searched`: how many sessions there were to search, where nothing was found. */
function resultText(result: SearchResult, searched: number | undefined, page: Page): string {
  const { results, total, unread, failed } = result;
  const { formats, style } = page;
  const lines = results.flatMap((hit) => [...hitLines(hit, page), '']);
  const shown = total > results.length ? `${formats.exact(results.length)} of ${formats.exact(total)} shown` : '';
  const nothing =
    searched === 0
      ? 'Nothing was found: no session is in memory here. `keepit register --all` takes them in.'
      : `Nothing was found in ${formats.plural(searched ?? 0, 'session')} in memory.`;
  const found = total === 0 ? nothing : joinParts([formats.plural(total, 'answer'), shown]);
  const notes = [
    ...(unread === 0
      ? []
      : [`${formats.plural(unread, 'session')} not read yet, as there was too much at once: search again.`]),
    ...failed.map(({ what, error }) => `${what} could not be read: ${error}`),
  ];
  return [...lines, found, ...notes.map((note) => style.paint('warning', note))].join('\n');
}

function hitLines(hit: SearchHit, { style, nowMs }: Page): string[] {
  const { kind, id, sessionId, messageUuid, timestamp, title = '', files, role, weight, why } = hit;
  const isPart = kind === 'message' || kind === 'keepit' || kind === 'exchange';
  const head = joinParts([
    style.paint('accent', kind === 'message' ? `${role ?? 'message'} said` : kindNames[kind]),
    isPart ? '' : oneLine(title === '' ? id : `${id} ${title}`, TITLE_LENGTH),
    weight === undefined ? '' : weight.toFixed(2),
    sessionId === undefined ? '' : `session ${shortId(sessionId)}`,
    messageUuid === undefined ? '' : `message ${shortId(messageUuid)}`,
    timestamp === undefined ? '' : formatAge(Date.parse(timestamp), nowMs),
  ]);
  const more = files.length > MOST_FILES ? `, ${files.length - MOST_FILES} more` : '';
  const touched = files.length === 0 ? [] : [style.paint('quiet', `  ${files.slice(0, MOST_FILES).join(', ')}${more}`)];
  return [head, `  ${highlighted(hit, style)}`, style.paint('quiet', `  ${why}`), ...touched];
}

function highlighted({ snippet, matches }: SearchHit, style: Page['style']): string {
  let text = '';
  let at = 0;
  for (const [start, end] of matches) {
    text += snippet.slice(at, start) + style.paint('strong', snippet.slice(start, end));
    at = end;
  }
  return text + snippet.slice(at);
}
