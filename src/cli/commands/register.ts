import { formatBytes, joinParts, shortId } from '../../core/text/formats';
import { keepitLines } from '../../core/presentation/memoryDialogs';
import { titleOf } from '../../core/sessions/sessionTitle';
import { errorText, isAbortError } from '../../core/text/keepitError';
import type { SessionManifestEntry } from '../../core/model/manifest';
import type { RegisterResult, RegistrationPreview, SessionRef } from '../../core/sessions/results';
import { CliFailure } from '../cliErrors';
import type { Answer, Command, CommandContext, Page } from '../command';
import type { CommandInput } from '../commandInput';
import { tokenText } from '../sessionCells';

type Failure = RegisterResult['failed'][number];

interface Chosen {
  readonly refs: SessionRef[];
  readonly failed: Failure[];
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
    all: { type: 'boolean', help: 'All sessions of the project (or of all projects)' },
    'dry-run': { type: 'boolean', help: 'Show what would be kept, and write nothing' },
  },
  examples: ['register e3580bc6', 'register --all', 'register e358 --dry-run --json'],
  async run(input, context): Promise<Answer> {
    const wantsAll = input.has('all');
    if (wantsAll === input.args.length > 0) {
      throw input.wrong(wantsAll ? 'Name sessions or say --all, not both.' : 'Name a session, or say --all.');
    }
    const { refs, failed } = wantsAll ? await allSessions(context) : await namedSessions(input, context);
    if (input.has('dry-run')) return preview(refs, failed, context);
    const result = await context.memory.register(refs, context.onProgress, context.signal);
    return registerAnswer({ ...result, failed: [...failed, ...result.failed] });
  },
};

/** All in which something was said; what cannot be read is told as a failure. */
async function allSessions({ scope, memory, onProgress, signal }: CommandContext): Promise<Chosen> {
  const { projects } = await memory.discover({ ...(await scope.projectIds()), onProgress }, signal);
  const there = projects.flatMap(({ sessions }) => sessions.filter(({ isOriginalGone }) => !isOriginalGone));
  const refs = there.filter(({ messages }) => messages > 0);
  const failed = [
    ...projects.flatMap(({ projectId, problem = '' }) => ({ session: projectId, error: problem })),
    ...there
      .filter(({ messages }) => messages === 0)
      .map(({ sessionId, problem = '' }) => ({ session: sessionId, error: problem })),
  ].filter(({ error }) => error !== '');
  return { refs: refs.map(({ projectId, sessionId }) => ({ projectId, sessionId })), failed };
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
  return { refs, failed };
}

async function preview(refs: readonly SessionRef[], failed: Failure[], context: CommandContext): Promise<Answer> {
  const previews: RegistrationPreview[] = [];
  for (const ref of refs) previews.push(await context.memory.previewRegistration(ref, context.signal));
  return {
    json: { previews, failed },
    text: (page) => [...previews.map((each) => previewText(each, page)), ...failedLines(failed, page)].join('\n\n'),
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

function registerAnswer(result: RegisterResult): Answer {
  return {
    json: result,
    text: (page) => registerText(result, page),
    failure: failureOf(result.failed),
  };
}

function registerText({ registered, unchanged, failed }: RegisterResult, page: Page): string {
  const { formats, style } = page;
  const done = registered.map((entry) => registeredLine(entry, page));
  const same =
    unchanged.length === 0
      ? []
      : [style.paint('quiet', `${formats.plural(unchanged.length, 'session')} in memory already, nothing new`)];
  const lines = [...done, ...same, ...failedLines(failed, page)];
  return lines.length === 0 ? 'There is nothing to keep.' : lines.join('\n');
}

function registeredLine(entry: SessionManifestEntry, { style, formats }: Page): string {
  const facts = joinParts([
    formats.plural(entry.originalMessages, 'message'),
    `${formats.exact(entry.originalTokens)} tokens`,
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
