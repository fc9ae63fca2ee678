import { shortId } from '../../core/text/formats';
import { syncOutcome } from '../../core/presentation/memoryDialogs';
import type { SessionRef, SyncResult } from '../../core/sessions/results';
import type { Answer, Command, CommandContext, Page } from '../command';
import { failedLines, failureOf } from './register';

export const sync: Command = {
  name: 'sync',
  group: 'Memory',
  summary: 'Bring what registered sessions have said since into memory',
  details: ['Without a session: all registered sessions of the project. Reads only the new bytes.'],
  args: [{ name: 'session', help: 'the session to bring up to date', arity: 'optional' }],
  options: {},
  examples: ['sync', 'sync e3580bc6', 'sync --all-projects --json'],
  async run(input, context): Promise<Answer> {
    const refs = await sessionsToSync(input.args[0], context);
    const result = await context.memory.sync(refs, context.onProgress, context.signal);
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
  return (await memory.sessions(projectId)).map(({ sessionId }) => ({ projectId, sessionId }));
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
