import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import { answer, type Answer, type Command } from '../cli/command';
import type { CommandContext } from '../cli/context';
import { Scope } from '../cli/scope';
import type { MemoryService } from '../core/memory';
import type { Log } from '../core/model/host';
import type { OnProgress } from '../core/sessions/results';
import { Formats } from '../core/text/formats';
import { expectedFailure } from '../core/text/keepitError';
import { ownValue } from '../core/text/ownValue';

/** What a route may use. */
export interface RouteContext {
  readonly memory: MemoryService;
  readonly onProgress: OnProgress;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What was asked: the parts of the path, and the body or the query, which the route's schema has let through. */
export interface Request<Input> {
  readonly params: Readonly<Record<string, string>>;
  readonly input: Input;
}

/** What a command answers; `failure` says that only a part could be done. */
export type RouteAnswer = Pick<Answer, 'json' | 'failure'>;

/** One route of seeds 000 (appendix A) or 001. Its answer is what the command line prints with `--json`. */
export interface Route<Input = unknown> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/api/memory`. */
  readonly path: string;
  readonly summary: string;
  /** The body; of GET and DELETE the query. */
  readonly input: z.ZodMiniType<Input>;
  run(request: Request<Input>, context: RouteContext): Promise<RouteAnswer>;
}

/** What a route takes, out of what was sent. Throws `RequestError`. */
export function parsed<Input>(input: z.ZodMiniType<Input>, sent: unknown): Input {
  const result = input.safeParse(sent, { error: english().localeError });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new RequestError('bad-request', `${problems.join('. ')}.`);
}

/** Keeps the type of a route's input while the routes stand in one list. */
export function route<Input>(one: Route<Input>): Route {
  return one;
}

/** How a route differs from the command that it offers. */
interface Offer {
  /** What is sent, with the fields of the command that it is for; `projectId` is the project that is meant. */
  readonly takes?: Readonly<Record<string, string>>;
  /** What the route itself says. */
  readonly says?: Readonly<Record<string, string>>;
  /** The one part of the answer that it gives. */
  readonly part?: string;
  readonly summary?: string;
}

/** The fields of commands for which ids are sent. */
const IDS = new Map([
  ['sessionId', 'session'],
  ['versionId', 'id'],
  ['compositionId', 'name'],
  ['linkId', 'id'],
]);

/** A command as a route: what is sent is read as the words of a command line are. */
export function offered(
  method: Route['method'],
  path: string,
  command: Command,
  { takes = {}, says = {}, part, summary = command.summary }: Offer = {},
): Route {
  const fields = Object.entries(takes).map(([name, field]): [string, z.ZodMiniType] => {
    const { schema, arity } = ownValue(command.input ?? {}, field) ?? {};
    return [name, schema === undefined || (IDS.has(name) && arity !== 'one') ? z.optional(z.string()) : schema];
  });
  return route({
    method,
    path,
    summary,
    input: z.strictObject(Object.fromEntries(fields)),
    async run({ params, input }, context) {
      const sent: Readonly<Record<string, unknown>> = { ...params, ...input };
      const words = new Map(Object.entries(says).map(([name, word]) => [name, [word]]));
      for (const [name, value] of Object.entries(sent)) {
        const values: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
        words.set(
          ownValue(takes, name) ?? IDS.get(name) ?? name,
          values.map((one) => `${String(one)}${name.endsWith('Ms') ? 'ms' : ''}`),
        );
      }
      const asked = commandContext(words.get('projectId')?.[0], context);
      const { json, failure } = await answer(command, (name) => words.get(name) ?? [], asked);
      return { json: part === undefined ? json : { [part]: Reflect.get(json, part) as unknown }, failure };
    },
  });
}

/** Sessions and projects are named by their ids or the beginning of one; a path would open any file to whoever may ask. */
export function commandContext(projectId: string | undefined, context: RouteContext): CommandContext {
  const { memory } = context;
  const where = { project: projectId, allProjects: projectId === undefined, cwd: '/', idsOnly: true };
  return {
    ...context,
    scope: new Scope(memory, where),
    formats: new Formats({ locale: 'en' }),
    confirm: undefined,
    ask: undefined,
    isJson: true,
    wrong: (message) => new RequestError('bad-request', message),
  };
}

/** A request that could not be served as it was asked. */
export class RequestError extends expectedFailure('', {
  unauthorized: () => ({
    message: 'The token is missing or wrong.',
    hint: 'Send `Authorization: Bearer TOKEN` with the token that `keepit serve` printed.',
  }),
  'forbidden-origin': (origin) => ({
    message: `${JSON.stringify(origin)} may not ask this server.`,
    hint: 'It answers programs on this machine, at the address that `keepit serve` printed.',
  }),
  'no-such-route': (asked) => ({
    message: `There is no route ${asked}.`,
    hint: '/api/openapi.json lists the routes.',
  }),
  'bad-request': (problem) => ({ message: problem, hint: '/api/openapi.json says what each route takes.' }),
  'too-large': (limit) => ({ message: `The body has more than ${limit} bytes.`, hint: 'Ask for less at once.' }),
  'cost-unlimited': (provider) => ({
    message: `${provider} costs money, and nobody has said how much it may be.`,
    hint: 'Say maxCostUsd.',
  }),
}) {}
