import { keepitLines, removeDialog, syncOutcome } from '../../core/sessions/view/memoryDialogs';
import { tokensOf } from '../../core/sessions/discoveredSession';
import { formatBytes, joinParts, shortId, titleOf } from '../../core/text/formats';
import type { RegisterResult, RegistrationPreview, SessionRef } from '../../core/sessions/results';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { StoreError } from '../../core/model/host';
import type { SkippedFile } from '../../core/transcript/claudeFolder';
import { errorText, isAbortError } from '../../core/text/keepitError';
import { trashTotals } from '../../core/sessions/upkeep';
import { CliFailure } from '../cliErrors';
import { linesOf } from '../page';
import { agree, agreeToDelete, command, failedLines, failureOf, type Failure } from '../command';
import type { CommandContext } from '../context';
import { argument, flag, option, optional, session, several, text, theSession, whole, yes } from '../fields';
import { tokenText } from './sessions';

interface Chosen {
  readonly refs: SessionRef[];
  readonly failed: Failure[];
  /** Sessions in which nothing was said yet. */
  readonly empty: string[];
  /** What lies among the transcripts and is not read. */
  readonly skipped: SkippedFile[];
}

interface Registered extends Omit<Chosen, 'refs'>, Omit<RegisterResult, 'failed'> {
  /** Of a dry run. */
  readonly previews?: readonly RegistrationPreview[];
}

export const register = command({
  name: 'register',
  summary: 'Keep sessions in memory, safe from deletion by Claude Code',
  details: [
    "Claude Code deletes transcripts after some weeks. A registered session is kept in Keepit's store as it is, byte for byte, with its keepits and its exact token count.",
    'May be interrupted and repeated: what is done stays done, and what is there already is left alone.',
  ],
  input: {
    session: several(text, 'the sessions to keep'),
    all: flag('All sessions of the project (or of all projects)'),
    dryRun: flag('Show what would be kept, and write nothing'),
  },
  examples: ['register e3580bc6', 'register --all', 'register e358 --dry-run --json'],
  async run({ session: words, all, dryRun }, context): Promise<Registered> {
    const { memory, onProgress, signal, wrong } = context;
    if (all === words.length > 0)
      throw wrong(all ? 'Name sessions or say --all, not both.' : 'Name a session, or say --all.');
    const { refs, ...rest } = all ? await allSessions(context) : await namedSessions(words, context);
    if (!dryRun) {
      const result = await memory.sessions.register(refs, onProgress, signal);
      return { ...result, ...rest, failed: [...rest.failed, ...result.failed] };
    }
    const previews: RegistrationPreview[] = [];
    for (const ref of refs) previews.push(await memory.sessions.preview(ref, signal));
    return { registered: [], unchanged: [], previews, ...rest };
  },
  json: ({ previews, registered, unchanged, ...rest }) =>
    previews === undefined ? { registered, unchanged, ...rest } : { previews, ...rest },
  text({ registered, unchanged, previews = [], failed, empty, skipped }, page) {
    const { good, accent, strong, quiet, plural } = page;
    const are = empty.length === 1 ? 'is' : 'are';
    const lines = linesOf([
      previews.map((one, index) => [
        index > 0 && '',
        `${accent(shortId(one.sessionId))}  ${strong(titleOf(one))}`,
        `  ${joinParts([
          plural(one.messages, 'message'),
          `${tokenText(one.tokens)} tokens`,
          formatBytes(one.bytes),
          one.alreadyRegistered && 'in memory already',
        ])}`,
        keepitLines(one.keepits).map((line) => `  ${line}`),
        one.malformedKeepits > 0 && `  ${plural(one.malformedKeepits, 'marker')} with a weight that does not count`,
      ]),
      registered.map(
        (entry) =>
          `${good('✓ kept')}  ${entryText(entry)}  ${quiet(
            joinParts([
              plural(entry.originalMessages, 'message'),
              `${tokenText(tokensOf(entry))} tokens`,
              entry.keepitMarkers.length > 0 && plural(entry.keepitMarkers.length, 'keepit'),
            ]),
          )}`,
      ),
      unchanged.length > 0 && quiet(`${plural(unchanged.length, 'session')} in memory already, nothing new`),
      empty.length > 0 &&
        quiet(
          `${plural(empty.length, 'session')} in which nothing was said yet ${are} left out: ${empty.map(shortId).join(', ')}`,
        ),
      skipped.map(({ problem }) => quiet(problem)),
      failedLines(failed, page),
    ]);
    return lines.length === 0 ? 'There is nothing to keep.' : lines;

    function entryText(entry: SessionManifestEntry): string {
      return `${accent(shortId(entry.sessionId))}  ${titleOf({ title: entry.metadata.title ?? '', sessionId: entry.sessionId })}`;
    }
  },
  failure: ({ failed }) => failureOf(failed),
});

/** All in which something was said, and those that are left out; what cannot be read is told as a failure. */
async function allSessions({ scope, memory, onProgress, signal }: CommandContext): Promise<Chosen> {
  const { projects } = await memory.sessions.discover({ ...(await scope.projectIds()), onProgress }, signal);
  const there = projects.flatMap(({ sessions }) => sessions.filter(({ isOriginalGone }) => !isOriginalGone));
  const mute = there.filter(({ messages }) => messages === 0);
  const problems = [
    ...projects.map(({ projectId, problem }) => ({ session: projectId, error: problem })),
    ...mute.map(({ sessionId, problem }) => ({ session: sessionId, error: problem })),
  ];
  return {
    refs: there.filter(({ messages }) => messages > 0).map(({ projectId, sessionId }) => ({ projectId, sessionId })),
    failed: problems.flatMap(({ session: one, error = '' }) => (error === '' ? [] : [{ session: one, error }])),
    empty: mute.flatMap(({ sessionId, problem }) => (problem === undefined ? [sessionId] : [])),
    skipped: projects.flatMap(({ skipped = [] }) => skipped),
  };
}

/** One word that names nothing fails as a whole; among several, the others are done. */
async function namedSessions(said: readonly string[], { scope, signal }: CommandContext): Promise<Chosen> {
  const words = [...new Set(said)];
  const chosen: Chosen = { refs: [], failed: [], empty: [], skipped: [] };
  for (const word of words) {
    try {
      chosen.refs.push(await scope.session(word, signal));
    } catch (error) {
      if (words.length === 1 || isAbortError(error)) throw error;
      chosen.failed.push({ session: word, error: errorText(error) });
    }
  }
  return chosen;
}

export const sync = command({
  name: 'sync',
  summary: 'Bring what registered sessions have said since into memory',
  details: ['Without a session: all registered sessions of the project. Reads only the new bytes.'],
  input: { session: optional(session, 'the session to bring up to date') },
  examples: ['sync', 'sync e3580bc6', 'sync --all-projects --json'],
  async run({ session: one }, { memory, scope, onProgress, signal }) {
    const projectId = await scope.projectId();
    if (one !== undefined || projectId === undefined) return memory.sessions.sync(one && [one], onProgress, signal);
    const all = await memory.sessions.list(projectId);
    return memory.sessions.sync(
      all.map(({ sessionId }) => ({ projectId, sessionId })),
      onProgress,
      signal,
    );
  },
  text: (result, page) => [
    result.synced
      .filter(({ newMessages }) => newMessages > 0)
      .map(
        ({ sessionId, newMessages, newTokens }) =>
          `${page.good('✓ synced')}  ${page.accent(shortId(sessionId))}  ${page.plural(newMessages, 'new message')}, ${page.plural(newTokens, 'token')}`,
      ),
    failedLines(result.failed, page),
    syncOutcome(result, page.formats),
  ],
  failure: ({ failed }) => failureOf(failed),
});

export const unregister = command({
  name: 'unregister',
  summary: 'Take a session out of memory',
  details: [
    "Removes what Keepit holds of a session: the kept original, its compressed versions and the overview of its keepits. Claude Code's own file is not touched. What was removed waits in the trash of the project: `keepit restore` brings it back.",
    'On a terminal it asks first.',
  ],
  input: { session: theSession, yes },
  examples: ['unregister e3580bc6', 'unregister e3580bc6 --yes --json'],
  async run({ session: ref }, context) {
    const { memory, formats } = context;
    const question = async (): Promise<string> => {
      const { title, detail } = removeDialog([await memory.sessions.previewUnregister(ref)], formats);
      return `${detail}\n${title}`;
    };
    await agreeToDelete(question, ref.sessionId, context);
    const unregistered = await memory.sessions.unregister(ref);
    return { unregistered, undo: `keepit restore ${unregistered.trash} --project ${unregistered.projectId}` };
  },
  text: ({ unregistered: { sessionId, bytes }, undo }, { good, accent }) => [
    `${good('✓ removed')}  ${accent(sessionId)}  in the trash${bytes === 0 ? '' : ` (${formatBytes(bytes)})`}`,
    `To undo: ${undo}`,
  ],
});

export const restore = command({
  name: 'restore',
  summary: 'Bring back a session that was taken out of memory',
  input: { trash: argument(text, 'the name that `keepit unregister` printed') },
  examples: ['restore e3580bc6-07fd-4a19-93d4-5c1f6e82ab7d.1 --project .'],
  run: async ({ trash: name }, context) => ({ restored: await restoreFrom(name, context) }),
  text: ({ restored: { sessionId, metadata } }, { good, accent }) =>
    `${good('✓ restored')}  ${accent(sessionId)}  ${titleOf({ title: metadata.title ?? '', sessionId })}`,
});

/** Without a project, the trash of every project is looked into. */
async function restoreFrom(trashed: string, { scope, memory }: CommandContext): Promise<SessionManifestEntry> {
  const projectId = await scope.projectId();
  const projects = projectId === undefined ? (await memory.upkeep.stats()).byProject : [{ projectId }];
  for (const one of projects) {
    try {
      return await memory.sessions.restore(one.projectId, trashed);
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'not-found') throw error;
    }
  }
  throw new CliFailure('not-in-trash', trashed);
}

export const trash = command({
  name: 'trash',
  summary: 'Show what was taken out of memory and can still be brought back',
  details: [
    'Sessions, versions and compositions that were removed wait here. `keepit restore`, `version restore` and `composition restore` bring them back.',
    '`storage.trashDays` says after how many days versions and compositions are deleted for good (30; 0 means never); sessions stay until the trash is emptied.',
  ],
  examples: ['trash', 'trash --all-projects --json'],
  async run(_input, { scope, memory }) {
    const found = await memory.trash.list(await scope.projectId());
    return { trash: found, ...trashTotals(found) };
  },
  text: ({ trash: found, items, bytes }, { table, plural, formats }) =>
    found.length === 0
      ? 'The trash is empty.'
      : [
          table(
            found.flatMap((project) => project.items),
            (item) => ({
              'In the trash…': item.name,
              Since: formats.dateTime(Date.parse(item.discardedAt)),
              Size: formatBytes(item.bytes),
            }),
          ),
          '',
          `${plural(items, 'thing')}, ${formatBytes(bytes)}. \`keepit trash empty\` deletes them for good.`,
        ],
});

export const trashEmpty = command({
  name: 'trash empty',
  summary: 'Delete for good what waits in the trash',
  details: ['Nothing brings it back. On a terminal it asks first.'],
  input: { olderThan: option(whole, 'DAYS', 'Only what has been there for so many days'), yes },
  examples: ['trash empty', 'trash empty --older-than 7 --yes'],
  async run({ olderThan }, context) {
    const { scope, memory, formats } = context;
    const projectId = await scope.projectId();
    const question = async (): Promise<string> => {
      const { items, bytes } = trashTotals(await memory.trash.list(projectId));
      const age = olderThan === undefined ? '' : ` that have been there for ${formats.plural(olderThan, 'day')}`;
      return `Up to ${formats.plural(items, 'thing')} (${formatBytes(bytes)})${age} will be deleted for good.\nEmpty the trash?`;
    };
    await agree(question, 'the trash', context);
    const emptied = await memory.trash.empty(projectId, olderThan);
    return { emptied, ...trashTotals(emptied) };
  },
  text: ({ items, bytes }, { good, plural }) =>
    `${good('✓ deleted')}  ${plural(items, 'thing')}, ${formatBytes(bytes)}`,
});
