import type { CompositionResult, StoredComposition } from '../../core/compositions/compositions';
import { compositionDocument } from '../../core/compositions/compositionDocument';
import type { CompositionPreview } from '../../core/compositions/compositionPreview';
import { keepsText } from '../../core/compositions/view/compositionTexts';
import { compositionStrategySchema, type CompositionRequest } from '../../core/model/composition';
import { sessionKey } from '../../core/model/fields';
import type { SessionRef } from '../../core/sessions/results';
import { oneLine } from '../../core/text/cleanText';
import { formatCount, joinParts, shortId, timeOf } from '../../core/text/formats';
import { CliFailure } from '../cliErrors';
import { command } from '../command';
import type { CommandContext } from '../context';
import {
  flag,
  needed,
  oneOf,
  option,
  ratio,
  repeated,
  several,
  text,
  tokens,
  whole,
  type Inputs,
  type Kind,
} from '../fields';
import type { Lines, Page } from '../page';

const TEXT_LENGTH = 200;
const STRATEGIES = compositionStrategySchema.options;

/** The forms in which a composition is kept. */
export const formats = oneOf(['markdown', 'jsonl', 'both'], { md: 'markdown' });

interface NamedSession {
  readonly ref: SessionRef;
  readonly versionId?: string | undefined;
}

const versionOfSession: Kind<NamedSession> = {
  schema: text.schema,
  takes: 'takes a session',
  async read(word, { scope, signal }) {
    // A version after a session's id; a path may hold colons of its own.
    const [, id = word, versionId] = /^(.+):((?:part\d+_)?v\d+|original|auto)$/.exec(word) ?? [];
    return { ref: await scope.session(id, signal), versionId };
  },
};

/** `ID=N`: a figure of one session. */
function ofSession({ read }: Kind<number>): Kind<readonly [key: string, figure: number]> {
  return {
    schema: text.schema,
    takes: 'takes a session and a number, such as e3580bc6=30',
    async read(word, context) {
      const [, id, given = ''] = /^(.+)=([^=]+)$/.exec(word) ?? [];
      const figure = await read(given, context);
      if (id === undefined || figure === undefined) return undefined;
      return [sessionKey(await context.scope.session(id, context.signal)), figure];
    },
  };
}

const input = {
  sessions: several(versionOfSession, 'more sessions, as with --session'),
  name: needed(text, 'NAME', 'What it is to be called', 'feature-x'),
  budget: needed(tokens, 'N', 'Tokens that it may have: 16000, or 16k', '16000'),
  session: repeated(
    versionOfSession,
    'ID[:VERSION]',
    'A session, with a version if it is to be that one; repeat it for more, and for versions of parts',
  ),
  last: option(whole, 'N', 'The last N sessions in memory of the project'),
  strategy: option(oneOf(STRATEGIES), 'S', 'How the budget is shared; best, when nothing is said'),
  purpose: option(text, 'TEXT', 'What the context is for: what says most to it comes in'),
  file: repeated(text, 'F', 'A file that it is about; repeatable'),
  weight: repeated(ofSession(ratio), 'ID=N', 'With custom: the share of a session, relative to the others; repeatable'),
  allocation: repeated(ofSession(tokens), 'ID=N', 'Tokens that a session may take, whatever the strategy; repeatable'),
  recompress: repeated(ofSession(ratio), 'ID=RATIO', 'Make a new version from the original, 30 for 30:1; repeatable'),
  format: option(formats, 'F', 'md, jsonl or both; both, when nothing is said'),
  existing: flag('Take only originals, and versions that are there already'),
  replace: flag('Replace the composition of that name; the old one goes to the trash'),
  window: option(tokens, 'N', "With --dry-run: the model's window, 200k when nothing is said"),
  dryRun: flag('Show what would be taken, and write nothing'),
};

export const compose = command({
  name: 'compose',
  summary: 'Put past sessions together to one context, inside a token budget',
  details: [
    'Each session says what it can in its share of the budget: in full where it fits, else in its own words, cut to exactly the room there is, or in a version that holds as much. The final text is never larger than the budget, pinned keepits are never left out, and what did not fit is listed with the reason.',
    'Strategies: `best` (all that was asked and answered in any of them is cut to the same length), `equal`, `age` (the newest in detail, old ones cut down) and `custom` (with --weight). With --purpose, passages of all sessions compete for the room by what they say to it.',
    'A composition of the same name is never overwritten: say --replace, and the one before goes to the trash.',
  ],
  input,
  examples: [
    'compose --name feature-x --budget 16k --last 5',
    'compose --name feature-x --budget 16000 --session e3580bc6:v002 --session 6fd1a2b3 --strategy best',
    'compose --name retries --budget 16k --last 10 --purpose "continue the payment retry work"',
    'compose --name bugfix --budget 8k --last 3 --recompress e3580bc6=30 --dry-run --json',
  ],
  async run(said, context): Promise<{ preview: CompositionPreview } | { saved: CompositionResult }> {
    const { projectId, request } = await requestOf(said, context);
    const { compositions } = context.memory;
    const { window: windowTokens, replace: replaces, dryRun } = said;
    if (dryRun)
      return {
        preview: await compositions.preview(projectId, request, windowTokens === undefined ? {} : { windowTokens }),
      };
    const { onProgress, signal } = context;
    return { saved: await compositions.compose(projectId, request, { replaces, onProgress, signal }) };
  },
  json: (result) => ('preview' in result ? result : savedDocument(result.saved)),
  text: (result, page) =>
    'preview' in result ? previewText(result.preview, page) : savedText(result.saved, 'composed', page),
});

/** What was saved, with what the command line promises of it. */
export function savedDocument(saved: CompositionResult): { composition: object; undo?: string } {
  const { projectId, trash } = saved;
  const undo = trash === undefined ? {} : { undo: `keepit composition restore ${trash} --project ${projectId}` };
  return { composition: compositionDocument(saved), ...undo };
}

export function savedText(saved: CompositionResult, done: string, page: Page): Lines {
  const { name } = saved.record;
  const { undo } = savedDocument(saved);
  const quoted = /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
  const [head = '', ...more] = compositionText(saved, page);
  return [
    `${page.good(`✓ ${done}`)}  ${head}`,
    more,
    '',
    `To use it: keepit deliver ${quoted} --to resume`,
    undo !== undefined && `What it was before: ${undo}`,
  ];
}

async function requestOf(
  said: Inputs<typeof input>,
  context: CommandContext,
): Promise<{ projectId: string; request: CompositionRequest }> {
  const sessions = await sessionsOf(said, context);
  const projectId = (await context.scope.projectId()) ?? sessions[0]?.ref.projectId;
  if (projectId === undefined) throw new CliFailure('nothing-to-compose', 'here');
  const [weights, allocations, ratios] = [new Map(said.weight), new Map(said.allocation), new Map(said.recompress)];
  const components = sessions.map(({ ref, versionId }) => {
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
  const { name, budget, format = 'both', strategy = 'best', purpose, file, existing } = said;
  return {
    projectId,
    request: {
      name,
      components,
      totalTokenBudget: budget,
      outputFormat: format,
      strategy,
      purpose,
      files: file.length === 0 ? undefined : [...file],
      ...(existing && { makesMissing: false }),
    },
  };
}

async function sessionsOf(
  { session, sessions, last }: Inputs<typeof input>,
  { scope, memory, wrong }: CommandContext,
): Promise<readonly NamedSession[]> {
  const named = [...session, ...sessions];
  if ((last === undefined) === (named.length === 0))
    throw wrong(
      last === undefined ? 'Name sessions with --session, or say --last 5.' : 'Name sessions or say --last, not both.',
    );
  if (last === undefined) return named;
  const projectId = await scope.projectId();
  if (projectId === undefined) throw new CliFailure('nothing-to-compose', 'without a project');
  const entries = (await memory.sessions.list(projectId)).slice(0, last);
  if (entries.length === 0) throw new CliFailure('nothing-to-compose', 'in this project');
  // The newest ones, told in the order in which they were.
  return entries.reverse().map(({ sessionId }) => ({ ref: { projectId, sessionId } }));
}

/** A saved composition: what it is made of, and what is not in it. */
export function compositionText({ record, files, freshness }: StoredComposition, page: Page): string[] {
  const { strong, exact, plural } = page;
  const { components, omitted = [], redacted = [], deliveries = [], keepits, keeps, budget, totalTokens } = record;
  const builtMs = timeOf(record.builtAt ?? record.createdAt);
  const size = `${exact(totalTokens)}${budget === undefined ? '' : ` of ${exact(budget)}`} tokens`;
  return [
    `${strong(record.name)}  ${joinParts([size, keeps !== undefined && keepsText(keeps)])}`,
    ...page.fields(
      {
        Made: builtMs !== undefined && page.formats.dateTime(builtMs),
        Strategy: record.request?.strategy,
        Keepits:
          keepits && joinParts([`${exact(keepits.included)} in`, keepits.left > 0 && `${exact(keepits.left)} out`]),
        'Taken out': redacted.map(({ kind, count }) => plural(count, kind)).join(', '),
        Delivered: deliveries.map(({ to }) => to).join(', '),
        'Used in': record.usedInSessions.map(shortId).join(', '),
        'Since then': !freshness.isFresh && freshness.reasons.join('; '),
        Files: files,
      },
      2,
    ),
    '',
    ...page.table(components, ({ sessionId, versionId, tokenContribution, fidelity, why }) => ({
      Session: ['accent', shortId(sessionId)],
      Version: versionId,
      Tokens: formatCount(tokenContribution),
      Holds: fidelity !== undefined && percent(fidelity),
      'Why…': ['quiet', why],
    })),
    ...omittedLines(omitted, page),
  ];
}

/** What would be composed. */
function previewText(preview: CompositionPreview, page: Page): Lines {
  const { exact, plural, strong, table } = page;
  const { components, omitted, totalTokens, budget, shareOfWindow, keeps, toMake } = preview;
  const size = `${exact(totalTokens)} of ${exact(budget)} tokens`;
  const toCome = toMake > 0 && `${plural(toMake, 'version')} to be made`;
  return [
    strong(joinParts([size, `${percent(shareOfWindow)} of the window`, keepsText(keeps), toCome])),
    table(components, ({ sessionId, distance, pick, originalTokens, title, why, keepitsIn, keepitsOut }) => ({
      Session: ['accent', shortId(sessionId)],
      Ago: String(distance),
      Version: [pick.kind === 'nothing' ? 'bad' : 'plain', pick.versionIds.join('+') || pick.kind],
      Tokens: formatCount(pick.tokens),
      'Share of': formatCount(originalTokens),
      Holds: percent(pick.fidelity),
      Keepits: keepitsIn + keepitsOut > 0 && `${keepitsIn}/${keepitsIn + keepitsOut}`,
      'Title…': oneLine(title, TEXT_LENGTH),
      Why: ['quiet', why],
    })),
    omittedLines(omitted, page),
  ];
}

function percent(share: number): string {
  const value = share * 100;
  return `${value < 9.95 && value > 0 ? value.toFixed(1) : Math.round(value)} %`;
}

function omittedLines(omitted: readonly { sessionId: string; reason: string }[], { accent, warning }: Page): string[] {
  if (omitted.length === 0) return [];
  const lines = omitted.map(({ sessionId, reason }) => `  ${accent(shortId(sessionId))}  ${reason}`);
  return ['', warning('Not in it:'), ...lines];
}
