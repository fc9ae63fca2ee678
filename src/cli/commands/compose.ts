import { keepsText } from '../../core/compositions/view/compositionTexts';
import type { CompositionResult, StoredComposition } from '../../core/compositions/compositions';
import { compositionDocument } from '../../core/compositions/compositionDocument';
import {
  compositionStrategySchema,
  type CompositionRequest,
  type OutputFormat,
  type RequestedComponent,
  type ComposedContextRecord,
  type CompositionComponent,
} from '../../core/model/composition';
import { ownValue } from '../../core/text/ownValue';
import type { SessionRef } from '../../core/sessions/results';
import { CliFailure } from '../cliErrors';
import { type Answer, type Command, type CommandContext, type Page, flag, valued } from '../command';
import type { CommandInput } from '../commandInput';
import { sessionKey } from '../../core/model/sessionKey';
import type { CompositionPreview, PreviewComponent } from '../../core/compositions/compositionPreview';
import { formatCount, joinParts, shortId, timeOf } from '../../core/text/formats';
import { oneLine } from '../../core/text/cleanText';
import { renderFields, renderTable, type Cell, type Column } from '../terminal';

const formats: Readonly<Record<string, OutputFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  jsonl: 'jsonl',
  both: 'both',
};
const FIGURE_OF_SESSION = /^(.+)=([^=]+)$/;
const RATIO = /^(\d{1,4}(?:\.\d{1,3})?)(?::1)?$/;
/** A version after a session's id; a path may hold colons of its own. */
const VERSION = /^(.+):((?:part\d+_)?v\d+|original|auto)$/;

export const compose: Command = {
  name: 'compose',
  group: 'Compositions',
  summary: 'Put past sessions together to one context, inside a token budget',
  details: [
    'Each session says what it can in its share of the budget: in full where it fits, else in its own words, cut to exactly the room there is, or in a version that holds as much. The final text is never larger than the budget, pinned keepits are never left out, and what did not fit is listed with the reason.',
    'Strategies: `best` (all that was asked and answered in any of them is cut to the same length), `equal`, `age` (the newest in detail, old ones cut down) and `custom` (with --weight). With --purpose, passages of all sessions compete for the room by what they say to it.',
    'A composition of the same name is never overwritten: say --replace, and the one before goes to the trash.',
  ],
  args: [{ name: 'session', help: 'more sessions, as with --session', arity: 'any' }],
  options: {
    name: valued('NAME', 'What it is to be called'),
    budget: valued('N', 'Tokens that it may have: 16000, or 16k'),
    session: valued(
      'ID[:VERSION]',
      'A session, with a version if it is to be that one; repeat it for more, and for versions of parts',
    ),
    last: valued('N', 'The last N sessions in memory of the project'),
    strategy: valued('S', 'How the budget is shared; best, when nothing is said'),
    purpose: valued('TEXT', 'What the context is for: what says most to it comes in'),
    file: valued('F', 'A file that it is about; repeatable'),
    weight: valued('ID=N', 'With custom: the share of a session, relative to the others; repeatable'),
    allocation: valued('ID=N', 'Tokens that a session may take, whatever the strategy; repeatable'),
    recompress: valued('ID=RATIO', 'Make a new version from the original, 30 for 30:1; repeatable'),
    format: valued('F', 'md, jsonl or both; both, when nothing is said'),
    existing: flag('Take only originals, and versions that are there already'),
    replace: flag('Replace the composition of that name; the old one goes to the trash'),
    window: valued('N', "With --dry-run: the model's window, 200k when nothing is said"),
    'dry-run': flag('Show what would be taken, and write nothing'),
  },
  examples: [
    'compose --name feature-x --budget 16k --last 5',
    'compose --name feature-x --budget 16000 --session e3580bc6:v002 --session 6fd1a2b3 --strategy best',
    'compose --name retries --budget 16k --last 10 --purpose "continue the payment retry work"',
    'compose --name bugfix --budget 8k --last 3 --recompress e3580bc6=30 --dry-run --json',
  ],
  async run(input, context) {
    const { projectId, request } = await requestOf(input, context);
    const saved = context.memory.compositions;
    if (input.has('dry-run')) {
      const windowTokens = tokensOf(input, 'window');
      const preview = await saved.preview(projectId, request, windowTokens === undefined ? {} : { windowTokens });
      return { json: { preview }, text: (page) => previewText(preview, page) };
    }
    const { onProgress, signal } = context;
    return answerOf(
      await saved.compose(projectId, request, { replaces: input.has('replace'), onProgress, signal }),
      'composed',
    );
  },
};

/** What was saved: the record, with what the command line promises of it. */
export function answerOf(saved: CompositionResult, done: string): Answer {
  const { projectId, record, trash } = saved;
  const undo = trash === undefined ? {} : { undo: `keepit composition restore ${trash} --project ${projectId}` };
  return {
    json: { composition: compositionDocument(saved), ...undo },
    text: (page) =>
      [
        `${page.style.paint('good', `✓ ${done}`)}  ${compositionText(saved, page)}`,
        '',
        `To use it: keepit deliver ${quoted(record.name)} --to resume`,
        ...(undo.undo === undefined ? [] : [`What it was before: ${undo.undo}`]),
      ].join('\n'),
  };
}

function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}

async function requestOf(
  input: CommandInput,
  context: CommandContext,
): Promise<{ projectId: string; request: CompositionRequest }> {
  const name = input.text('name');
  if (name === undefined) throw input.wrong('The name is missing: --name feature-x.');
  const totalTokenBudget = tokensOf(input, 'budget');
  if (totalTokenBudget === undefined) throw input.wrong('The budget is missing: --budget 16000.');
  const outputFormat = formatOf(input) ?? 'both';
  const strategy = input.oneOf('strategy', compositionStrategySchema.options) ?? 'best';
  const sessions = await sessionsOf(input, context);
  const projectId = (await context.scope.projectId()) ?? sessions[0]?.ref.projectId;
  if (projectId === undefined) throw new CliFailure('nothing-to-compose', 'here');
  const components = await withFigures(sessions, projectId, input, context);
  const makesMissing = input.has('existing') ? { makesMissing: false } : {};
  const about = { purpose: input.text('purpose'), files: input.has('file') ? [...input.all('file')] : undefined };
  return {
    projectId,
    request: { name, components, totalTokenBudget, outputFormat, strategy, ...about, ...makesMissing },
  };
}

/** The format that `--format` names. */
export function formatOf(input: CommandInput): OutputFormat | undefined {
  const text = input.text('format');
  const format = text === undefined ? undefined : ownValue(formats, text.toLowerCase());
  if (text !== undefined && format === undefined)
    throw input.wrong(`--format is md, jsonl or both, not ${JSON.stringify(text)}.`);
  return format;
}

/** A number of tokens: `16000`, `16k`, `0.5M`. */
export function tokensOf(input: CommandInput, option: string): number | undefined {
  const text = input.text(option);
  if (text === undefined) return undefined;
  const tokens = tokensIn(text);
  if (tokens === undefined) {
    throw input.wrong(`--${option} takes a number of tokens such as 16000 or 16k, not ${JSON.stringify(text)}.`);
  }
  return tokens;
}

function tokensIn(text: string): number | undefined {
  const found = /^(\d{1,9}(?:[.]\d{1,3})?)([km])?$/i.exec(text.replaceAll(/[_,](?=\d{3})/g, ''));
  const unit = found?.[2]?.toLowerCase();
  const tokens = Number(found?.[1]) * (unit === 'k' ? 1000 : unit === 'm' ? 1_000_000 : 1);
  return Number.isSafeInteger(tokens) && tokens >= 1 ? tokens : undefined;
}

function ratioIn(text: string): number | undefined {
  const figure = RATIO.exec(text)?.[1];
  return figure === undefined ? undefined : Number(figure);
}

interface NamedSession {
  readonly ref: SessionRef;
  readonly versionId?: string | undefined;
}

async function sessionsOf(input: CommandInput, context: CommandContext): Promise<NamedSession[]> {
  const words = [...input.all('session'), ...input.args];
  const last = input.count('last');
  if ((last === undefined) === (words.length === 0)) {
    throw input.wrong(
      last === undefined ? 'Name sessions with --session, or say --last 5.' : 'Name sessions or say --last, not both.',
    );
  }
  if (last !== undefined) return lastSessions(last, context);
  const sessions: NamedSession[] = [];
  for (const word of words) {
    const [, session = word, versionId] = VERSION.exec(word) ?? [];
    const ref = await context.scope.session(session, context.signal);
    sessions.push({ ref, versionId });
  }
  return sessions;
}

/** The newest ones, told in the order in which they were. */
async function lastSessions(count: number, { scope, memory }: CommandContext): Promise<NamedSession[]> {
  const projectId = await scope.projectId();
  if (projectId === undefined) throw new CliFailure('nothing-to-compose', 'without a project');
  const entries = (await memory.sessions.list(projectId)).slice(0, count);
  if (entries.length === 0) throw new CliFailure('nothing-to-compose', 'in this project');
  return entries.reverse().map(({ sessionId }) => ({ ref: { projectId, sessionId } }));
}

async function withFigures(
  sessions: readonly NamedSession[],
  projectId: string,
  input: CommandInput,
  context: CommandContext,
): Promise<RequestedComponent[]> {
  const weights = await figures('weight', ratioIn, input, context);
  const allocations = await figures('allocation', tokensIn, input, context);
  const ratios = await figures('recompress', ratioIn, input, context);
  return sessions.map(({ ref, versionId }) => {
    const key = sessionKey(ref);
    const compactionRatio = ratios.get(key);
    return {
      sessionId: ref.sessionId,
      projectId: ref.projectId === projectId ? undefined : ref.projectId,
      versionId,
      weight: weights.get(key),
      allocation: allocations.get(key),
      recompressSettings: compactionRatio === undefined ? undefined : { mode: 'uniform' as const, compactionRatio },
    };
  });
}

/** The values of `--option ID=N`, by session. */
async function figures(
  option: string,
  figureIn: (text: string) => number | undefined,
  input: CommandInput,
  { scope, signal }: CommandContext,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const text of input.all(option)) {
    const [, session, given = ''] = FIGURE_OF_SESSION.exec(text) ?? [];
    const figure = figureIn(given);
    if (session === undefined || figure === undefined) {
      throw input.wrong(`--${option} takes a session and a number, such as e3580bc6=30, not ${JSON.stringify(text)}.`);
    }
    found.set(sessionKey(await scope.session(session, signal)), figure);
  }
  return found;
}

const TEXT_LENGTH = 200;

const componentColumns: readonly Column[] = [
  { title: 'Session' },
  { title: 'Version' },
  { title: 'Tokens', align: 'right' },
  { title: 'Holds', align: 'right' },
  { title: 'Why', isFlexible: true },
];

const previewColumns: readonly Column[] = [
  { title: 'Session' },
  { title: 'Ago', align: 'right' },
  { title: 'Version' },
  { title: 'Tokens', align: 'right' },
  { title: 'Share of', align: 'right' },
  { title: 'Holds', align: 'right' },
  { title: 'Keepits', align: 'right' },
  { title: 'Title', isFlexible: true },
  { title: 'Why' },
];

/** A saved composition: what it is made of, and what is not in it. */
export function compositionText({ record, files, freshness }: StoredComposition, page: Page): string {
  const { style, formats, width } = page;
  const { components, omitted = [], redacted = [], deliveries = [] } = record;
  const builtMs = timeOf(record.builtAt ?? record.createdAt);
  const taken = redacted.map(({ kind, count }) => formats.plural(count, kind)).join(', ');
  return [
    `${style.paint('strong', record.name)}  ${sizeText(record, page)}`,
    ...renderFields(
      [
        ['Made', builtMs === undefined ? undefined : formats.dateTime(builtMs)],
        ['Strategy', record.request?.strategy],
        ['Keepits', keepitsText(record, page)],
        ['Taken out', taken === '' ? undefined : taken],
        ['Delivered', deliveries.length === 0 ? undefined : deliveries.map(({ to }) => to).join(', ')],
        ['Used in', record.usedInSessions.map(shortId).join(', ')],
        ['Since then', freshness.isFresh ? undefined : freshness.reasons.join('; ')],
        ...files.map((file, index) => [index === 0 ? 'Files' : '', file] as const),
      ],
      { style, indent: 2 },
    ),
    '',
    ...renderTable(
      componentColumns,
      components.map((component) => componentCells(component)),
      { style, width },
    ),
    ...omittedLines(omitted, page),
  ].join('\n');
}

/** What would be composed. */
function previewText(preview: CompositionPreview, page: Page): string {
  const { style, formats, width } = page;
  const { components, omitted, totalTokens, budget, shareOfWindow, keeps, toMake } = preview;
  const summary = joinParts([
    `${formats.exact(totalTokens)} of ${formats.exact(budget)} tokens`,
    `${percent(shareOfWindow)} of the window`,
    keepsText(keeps),
    toMake === 0 ? '' : `${formats.plural(toMake, 'version')} to be made`,
  ]);
  const rows = components.map(previewCells);
  return [
    style.paint('strong', summary),
    ...renderTable(previewColumns, rows, { style, width }),
    ...omittedLines(omitted, page),
  ].join('\n');
}

/** `15,904 of 16,000 tokens · keeps 80 % of what matters`. */
function sizeText(record: ComposedContextRecord, { formats }: Page): string {
  const budget = record.budget === undefined ? '' : ` of ${formats.exact(record.budget)}`;
  return joinParts([
    `${formats.exact(record.totalTokens)}${budget} tokens`,
    record.keeps === undefined ? '' : keepsText(record.keeps),
  ]);
}

function percent(share: number): string {
  const value = share * 100;
  return `${value < 9.95 && value > 0 ? value.toFixed(1) : Math.round(value)} %`;
}

function keepitsText({ keepits }: ComposedContextRecord, { formats }: Page): string | undefined {
  if (keepits === undefined) return undefined;
  return joinParts([
    `${formats.exact(keepits.included)} in`,
    keepits.left === 0 ? '' : `${formats.exact(keepits.left)} out`,
  ]);
}

function componentCells({ sessionId, versionId, tokenContribution, fidelity, why }: CompositionComponent): Cell[] {
  return [
    { text: shortId(sessionId), tone: 'accent' },
    { text: versionId },
    { text: formatCount(tokenContribution) },
    { text: fidelity === undefined ? '' : percent(fidelity) },
    { text: why ?? '', tone: 'quiet' },
  ];
}

function previewCells(component: PreviewComponent): Cell[] {
  const { sessionId, distance, pick, originalTokens, title, why, keepitsIn, keepitsOut } = component;
  const keepits = keepitsIn + keepitsOut;
  return [
    { text: shortId(sessionId), tone: 'accent' },
    { text: String(distance) },
    {
      text: pick.versionIds.length > 0 ? pick.versionIds.join('+') : pick.kind,
      tone: pick.kind === 'nothing' ? 'bad' : 'plain',
    },
    { text: formatCount(pick.tokens) },
    { text: formatCount(originalTokens) },
    { text: percent(pick.fidelity) },
    { text: keepits === 0 ? '' : `${keepitsIn}/${keepits}` },
    { text: oneLine(title, TEXT_LENGTH) },
    { text: why, tone: 'quiet' },
  ];
}

function omittedLines(omitted: readonly { sessionId: string; reason: string }[], { style }: Page): string[] {
  if (omitted.length === 0) return [];
  const lines = omitted.map(({ sessionId, reason }) => `  ${style.paint('accent', shortId(sessionId))}  ${reason}`);
  return ['', style.paint('warning', 'Not in it:'), ...lines];
}
