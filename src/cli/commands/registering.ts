import { formatBytes, joinParts, shortId } from '../../core/text/formats';
import { keepitLines, syncOutcome, removeDialog } from '../../core/sessions/view/memoryDialogs';
import { titleOf } from '../../core/sessions/sessionTitle';
import { errorText, isAbortError } from '../../core/text/keepitError';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { tokensOf } from '../../core/sessions/discoveredSession';
import type { RegisterResult, RegistrationPreview, SessionRef, SyncResult } from '../../core/sessions/results';
import { CliFailure } from '../cliErrors';
import { type Answer, type Command, type CommandContext, type Page, mayDelete, flag, valued } from '../command';
import type { CommandInput } from '../commandInput';
import { tokenText } from '../sessionCells';
import { StoreError } from '../../core/model/storeError';
import { trashTotals, type ProjectTrash } from '../../core/sessions/trashService';
import { renderTable, type Column } from '../terminal';

type Failure = RegisterResult['failed'][number];

interface Chosen {
  readonly refs: SessionRef[];
  readonly failed: Failure[];
  /** Sessions in which nothing was said yet. */
  readonly empty: string[];
}

export const register: Command = {
  name: 'register',
  group: 'Memory',
  summary: 'Keep sessions in memory, safe from deletion by Claude Code',
  details: [
    "Claude Code deletes transcripts after some weeks. A registered session is kept in Keepit's store as it is, byte for byte, with its keepits and its exact token count.",
    'May be interrupted and repeated: what is done stays done, and what is there already is left alone.',
  ],
  args: [{ name: 'session', help: 'the sessions to keep', arity: 'any' }],
  options: {
    all: flag('All sessions of the project (or of all projects)'),
    'dry-run': flag('Show what would be kept, and write nothing'),
  },
  examples: ['register e3580bc6', 'register --all', 'register e358 --dry-run --json'],
  async run(input, context) {
    const wantsAll = input.has('all');
    if (wantsAll === input.args.length > 0) {
      throw input.wrong(wantsAll ? 'Name sessions or say --all, not both.' : 'Name a session, or say --all.');
    }
    const chosen = wantsAll ? await allSessions(context) : await namedSessions(input, context);
    if (input.has('dry-run')) return preview(chosen, context);
    const { refs, failed, empty } = chosen;
    const result = await context.memory.sessions.register(refs, context.onProgress, context.signal);
    return registerAnswer({ ...result, failed: [...failed, ...result.failed], empty });
  },
};

/** All in which something was said, and those that are left out; what cannot be read is told as a failure. */
async function allSessions({ scope, memory, onProgress, signal }: CommandContext): Promise<Chosen> {
  const { projects } = await memory.sessions.discover({ ...(await scope.projectIds()), onProgress }, signal);
  const there = projects.flatMap(({ sessions }) => sessions.filter(({ isOriginalGone }) => !isOriginalGone));
  const refs = there.filter(({ messages }) => messages > 0);
  const mute = there.filter(({ messages }) => messages === 0);
  const failed = [
    ...projects.flatMap(({ projectId, problem = '' }) => ({ session: projectId, error: problem })),
    ...mute.map(({ sessionId, problem = '' }) => ({ session: sessionId, error: problem })),
  ].filter(({ error }) => error !== '');
  const empty = mute.flatMap(({ sessionId, problem }) => (problem === undefined ? [sessionId] : []));
  return { refs: refs.map(({ projectId, sessionId }) => ({ projectId, sessionId })), failed, empty };
}

/** One word that names nothing fails as a whole; among several, the others are done. */
async function namedSessions(input: CommandInput, { scope, signal }: CommandContext): Promise<Chosen> {
  const words = [...new Set(input.args)];
  const refs: SessionRef[] = [];
  const failed: Failure[] = [];
  for (const session of words) {
    try {
      refs.push(await scope.session(session, signal));
    } catch (error) {
      if (words.length === 1 || isAbortError(error)) throw error;
      failed.push({ session, error: errorText(error) });
    }
  }
  return { refs, failed, empty: [] };
}

async function preview({ refs, failed, empty }: Chosen, context: CommandContext): Promise<Answer> {
  const previews: RegistrationPreview[] = [];
  for (const ref of refs) previews.push(await context.memory.sessions.preview(ref, context.signal));
  return {
    json: { previews, failed, empty },
    text: (page) =>
      [
        ...previews.map((each) => previewText(each, page)),
        ...emptyLines(empty, page),
        ...failedLines(failed, page),
      ].join('\n\n'),
    failure: failureOf(failed),
  };
}

function previewText(session: RegistrationPreview, { style, formats }: Page): string {
  const facts = joinParts([
    formats.plural(session.messages, 'message'),
    `${tokenText(session.tokens)} tokens`,
    formatBytes(session.bytes),
    session.alreadyRegistered ? 'in memory already' : '',
  ]);
  const malformed = session.malformedKeepits;
  return [
    `${style.paint('accent', shortId(session.sessionId))}  ${style.paint('strong', titleOf(session))}`,
    `  ${facts}`,
    ...keepitLines(session.keepits).map((line) => `  ${line}`),
    ...(malformed === 0 ? [] : [`  ${formats.plural(malformed, 'marker')} with a weight that does not count`]),
  ].join('\n');
}

type Registered = RegisterResult & Pick<Chosen, 'empty'>;

function registerAnswer(result: Registered): Answer {
  return {
    json: result,
    text: (page) => registerText(result, page),
    failure: failureOf(result.failed),
  };
}

function registerText({ registered, unchanged, failed, empty }: Registered, page: Page): string {
  const { formats, style } = page;
  const done = registered.map((entry) => registeredLine(entry, page));
  const same =
    unchanged.length === 0
      ? []
      : [style.paint('quiet', `${formats.plural(unchanged.length, 'session')} in memory already, nothing new`)];
  const lines = [...done, ...same, ...emptyLines(empty, page), ...failedLines(failed, page)];
  return lines.length === 0 ? 'There is nothing to keep.' : lines.join('\n');
}

function emptyLines(empty: readonly string[], { formats, style }: Page): string[] {
  if (empty.length === 0) return [];
  const are = empty.length === 1 ? 'is' : 'are';
  const sessions = `${formats.plural(empty.length, 'session')} in which nothing was said yet ${are} left out`;
  return [style.paint('quiet', `${sessions}: ${empty.map(shortId).join(', ')}`)];
}

function registeredLine(entry: SessionManifestEntry, { style, formats }: Page): string {
  const facts = joinParts([
    formats.plural(entry.originalMessages, 'message'),
    `${tokenText(tokensOf(entry))} tokens`,
    entry.keepitMarkers.length === 0 ? '' : formats.plural(entry.keepitMarkers.length, 'keepit'),
  ]);
  const title = titleOf({ title: entry.metadata.title ?? '', sessionId: entry.sessionId });
  return `${style.paint('good', '✓ kept')}  ${style.paint('accent', shortId(entry.sessionId))}  ${title}  ${style.paint('quiet', facts)}`;
}

/** What went wrong, session by session. */
export function failedLines(failed: readonly Failure[], { style }: Page): string[] {
  return failed.map(({ session, error }) => `${style.paint('bad', '✗ failed')}  ${session}: ${error}`);
}

/** The exit code of a bulk command tells that not all of it was done. */
export function failureOf(failed: readonly Failure[]): CliFailure | undefined {
  if (failed.length === 0) return undefined;
  return new CliFailure('partly-failed', failed.length === 1 ? '1 session' : `${failed.length} sessions`);
}

export const sync: Command = {
  name: 'sync',
  group: 'Memory',
  summary: 'Bring what registered sessions have said since into memory',
  details: ['Without a session: all registered sessions of the project. Reads only the new bytes.'],
  args: [{ name: 'session', help: 'the session to bring up to date', arity: 'optional' }],
  examples: ['sync', 'sync e3580bc6', 'sync --all-projects --json'],
  async run(input, context) {
    const refs = await sessionsToSync(input.args[0], context);
    const result = await context.memory.sessions.sync(refs, context.onProgress, context.signal);
    return { json: result, text: (page) => syncText(result, page), failure: failureOf(result.failed) };
  },
};

/** Undefined means all that is registered anywhere. */
async function sessionsToSync(
  word: string | undefined,
  { scope, memory, signal }: CommandContext,
): Promise<readonly SessionRef[] | undefined> {
  if (word !== undefined) return [await scope.session(word, signal)];
  const projectId = await scope.projectId();
  if (projectId === undefined) return undefined;
  return (await memory.sessions.list(projectId)).map(({ sessionId }) => ({ projectId, sessionId }));
}

function syncText(result: SyncResult, page: Page): string {
  const { style, formats } = page;
  const lines = result.synced
    .filter(({ newMessages }) => newMessages > 0)
    .map(({ sessionId, newMessages, newTokens }) => {
      const facts = `${formats.plural(newMessages, 'new message')}, ${formats.plural(newTokens, 'token')}`;
      return `${style.paint('good', '✓ synced')}  ${style.paint('accent', shortId(sessionId))}  ${facts}`;
    });
  return [...lines, ...failedLines(result.failed, page), syncOutcome(result, formats)].join('\n');
}

export const unregister: Command = {
  name: 'unregister',
  group: 'Memory',
  summary: 'Take a session out of memory',
  details: [
    "Removes what Keepit holds of a session: the kept original, its compressed versions and the overview of its keepits. Claude Code's own file is not touched. What was removed waits in the trash of the project: `keepit restore` brings it back.",
    'On a terminal it asks first.',
  ],
  args: [{ name: 'session', help: 'the session to remove', arity: 'one' }],
  options: { yes: flag('Do not ask', 'y') },
  examples: ['unregister e3580bc6', 'unregister e3580bc6 --yes --json'],
  async run(input, context) {
    const word = input.required(0);
    const ref = await context.scope.session(word, context.signal);
    const question = async (): Promise<string> => {
      const { title, detail } = removeDialog([await context.memory.sessions.previewUnregister(ref)], context.formats);
      return `${detail}\n${title}`;
    };
    if (!(await mayDelete(question, input, context))) throw new CliFailure('declined', word);
    const unregistered = await context.memory.sessions.unregister(ref);
    const size = unregistered.bytes === 0 ? '' : ` (${formatBytes(unregistered.bytes)})`;
    const undo = `keepit restore ${unregistered.trash} --project ${unregistered.projectId}`;
    return {
      json: { unregistered, undo },
      text: ({ style }) =>
        [
          `${style.paint('good', '✓ removed')}  ${style.paint('accent', unregistered.sessionId)}  in the trash${size}`,
          `To undo: ${undo}`,
        ].join('\n'),
    };
  },
};

export const restore: Command = {
  name: 'restore',
  group: 'Memory',
  summary: 'Bring back a session that was taken out of memory',
  args: [{ name: 'trash', help: 'the name that `keepit unregister` printed', arity: 'one' }],
  examples: ['restore e3580bc6-07fd-4a19-93d4-5c1f6e82ab7d.1 --project .'],
  async run(input, context) {
    const restored = await restoreFrom(input.required(0), context);
    const title = titleOf({ title: restored.metadata.title ?? '', sessionId: restored.sessionId });
    return {
      json: { restored },
      text: ({ style }) =>
        `${style.paint('good', '✓ restored')}  ${style.paint('accent', restored.sessionId)}  ${title}`,
    };
  },
};

/** Without a project, the trash of every project is looked into. */
async function restoreFrom(trash: string, { scope, memory }: CommandContext): Promise<SessionManifestEntry> {
  const projectId = await scope.projectId();
  const projectIds =
    projectId === undefined ? (await memory.upkeep.stats()).byProject.map((project) => project.projectId) : [projectId];
  for (const candidate of projectIds) {
    try {
      return await memory.sessions.restore(candidate, trash);
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'not-found') throw error;
    }
  }
  throw new CliFailure('not-in-trash', trash);
}

const columns: readonly Column[] = [
  { title: 'In the trash', isFlexible: true },
  { title: 'Since' },
  { title: 'Size', align: 'right' },
];

export const trash: Command = {
  name: 'trash',
  group: 'Keepit itself',
  summary: 'Show what was taken out of memory and can still be brought back',
  details: [
    'Sessions, versions and compositions that were removed wait here. `keepit restore`, `version restore` and `composition restore` bring them back.',
    '`storage.trashDays` says after how many days versions and compositions are deleted for good (30; 0 means never); sessions stay until the trash is emptied.',
  ],
  examples: ['trash', 'trash --all-projects --json'],
  async run(_input, { scope, memory }) {
    const found = await memory.trash.list(await scope.projectId());
    return { json: { trash: found, ...trashTotals(found) }, text: (page) => trashText(found, page) };
  },
};

export const trashEmpty: Command = {
  name: 'trash empty',
  group: 'Keepit itself',
  summary: 'Delete for good what waits in the trash',
  details: ['Nothing brings it back. On a terminal it asks first.'],
  options: {
    'older-than': valued('DAYS', 'Only what has been there for so many days'),
    yes: flag('Do not ask', 'y'),
  },
  examples: ['trash empty', 'trash empty --older-than 7 --yes'],
  async run(input, { scope, memory, confirm, formats }) {
    const projectId = await scope.projectId();
    const days = input.count('older-than');
    if (confirm !== undefined && !input.has('yes')) {
      const { items, bytes } = trashTotals(await memory.trash.list(projectId));
      const age = days === undefined ? '' : ` that have been there for ${formats.plural(days, 'day')}`;
      const question = `Up to ${formats.plural(items, 'thing')} (${formatBytes(bytes)})${age} will be deleted for good.\nEmpty the trash?`;
      if (!(await confirm(question))) throw new CliFailure('declined', 'the trash');
    }
    const emptied = await memory.trash.empty(projectId, days);
    const { items, bytes } = trashTotals(emptied);
    return {
      json: { emptied, items, bytes },
      text: ({ style }) =>
        `${style.paint('good', '✓ deleted')}  ${formats.plural(items, 'thing')}, ${formatBytes(bytes)}`,
    };
  },
};

function trashText(found: readonly ProjectTrash[], { style, formats, width }: Page): string {
  if (found.length === 0) return 'The trash is empty.';
  const rows = found.flatMap(({ items }) =>
    items.map(({ name, discardedAt, bytes }) => [
      { text: name },
      { text: formats.dateTime(Date.parse(discardedAt)) },
      { text: formatBytes(bytes) },
    ]),
  );
  const { items, bytes } = trashTotals(found);
  const sum = `${formats.plural(items, 'thing')}, ${formatBytes(bytes)}. \`keepit trash empty\` deletes them for good.`;
  return [...renderTable(columns, rows, { style, width }), '', sum].join('\n');
}
