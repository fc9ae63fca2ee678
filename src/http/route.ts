import * as z from 'zod/mini';
import type { MemoryService } from '../core/memory';
import type { OnProgress, SessionRef } from '../core/sessions/results';
import { KeepitError, type ErrorText } from '../core/text/keepitError';

/** What a route may use. */
export interface RouteContext {
  readonly memory: MemoryService;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** What was asked: the parts of the path, and the body or the query, which the route's schema has let through. */
export interface Request<Input> {
  readonly params: Readonly<Record<string, string>>;
  readonly input: Input;
}

/** One route of seeds 000 (appendix A) or 001. Its answer is what the command line prints with `--json`. */
export interface Route<Input = unknown> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/api/memory`. */
  readonly path: string;
  readonly summary: string;
  /** The body; of GET and DELETE the query. */
  readonly input: z.ZodMiniType<Input>;
  run(request: Request<Input>, context: RouteContext): Promise<object>;
}

export const nothing = z.strictObject({});

/** What a route takes, out of what was sent. Throws `RequestError`. */
export function parsed<Input>(input: z.ZodMiniType<Input>, sent: unknown): Input {
  const result = input.safeParse(sent);
  if (result.success) return result.data;
  throw new RequestError('bad-request', z.prettifyError(result.error).replaceAll(/\s+/g, ' '));
}

/** Keeps the type of a route's input while the routes stand in one list. */
export function route<Input>(one: Route<Input>): Route {
  return one;
}

export async function projectOf(
  { projectId = '' }: Readonly<Record<string, string>>,
  memory: MemoryService,
): Promise<string> {
  const found = projectId.includes('/') ? undefined : await memory.sessions.resolveProject(projectId);
  if (found === undefined) throw new RequestError('no-such-project', projectId);
  return found;
}

/** Sessions are named by their ids or the beginning of one; a path would open any file to whoever may ask. */
export async function sessionOf(
  params: Readonly<Record<string, string>>,
  memory: MemoryService,
  signal: AbortSignal,
): Promise<SessionRef> {
  const { sessionId = '' } = params;
  if (!/^[\w-]+$/.test(sessionId)) throw new RequestError('no-such-session', sessionId);
  const within = params['projectId'] === undefined ? {} : { projectId: await projectOf(params, memory) };
  return memory.sessions.resolve(sessionId, within, signal);
}

type RequestErrorReason =
  | 'unauthorized'
  | 'forbidden-origin'
  | 'no-such-route'
  | 'bad-request'
  | 'too-large'
  | 'no-such-project'
  | 'no-such-session'
  | 'no-such-keepit'
  | 'not-kept'
  | 'version-in-use'
  | 'cost-unlimited';

const errorTexts: Record<RequestErrorReason, (subject: string) => ErrorText> = {
  unauthorized: () => ({
    message: 'The token is missing or wrong.',
    hint: 'Send `Authorization: Bearer TOKEN` with the token that `keepit serve` printed.',
  }),
  'forbidden-origin': (origin) => ({
    message: `${JSON.stringify(origin)} may not ask this server.`,
    hint: 'It answers programs on this machine, at the address that `keepit serve` printed.',
  }),
  'no-such-route': (path) => ({
    message: `There is nothing at ${path}.`,
    hint: '/api/openapi.json lists the routes.',
  }),
  'bad-request': (problem) => ({ message: problem, hint: '/api/openapi.json says what each route takes.' }),
  'too-large': (limit) => ({ message: `The body has more than ${limit} bytes.`, hint: 'Ask for less at once.' }),
  'no-such-project': (projectId) => ({
    message: `There is no project ${JSON.stringify(projectId)}.`,
    hint: 'GET /api/memory/projects lists them with their ids.',
  }),
  'no-such-session': (sessionId) => ({
    message: `${JSON.stringify(sessionId)} is no id of a session.`,
    hint: 'GET /api/memory/projects lists all sessions with their ids.',
  }),
  'no-such-keepit': (markerId) => ({
    message: `The session has no keepit ${JSON.stringify(markerId)}.`,
    hint: 'GET /api/memory/sessions/:sessionId/keepits lists them.',
  }),
  'not-kept': (problem) => ({ message: `The session was not kept: ${problem}`, hint: 'Mend that, and repeat.' }),
  'version-in-use': (names) => ({
    message: `Compositions use this version: ${names}.`,
    hint: 'Delete those, or say ?force=true.',
  }),
  'cost-unlimited': (provider) => ({
    message: `${provider} costs money, and nobody has said how much it may be.`,
    hint: 'Say maxCostUsd.',
  }),
};

/** A request that could not be served as it was asked. */
export class RequestError extends KeepitError {
  readonly reason: RequestErrorReason;

  constructor(reason: RequestErrorReason, subject = '') {
    super(reason, errorTexts[reason](subject));
    this.reason = reason;
  }
}
