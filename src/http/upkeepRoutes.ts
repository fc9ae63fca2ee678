import * as z from 'zod/mini';
import type { NotRemembered } from '../core/forgetting';
import { otherTools } from '../core/knowledge/otherTools/otherTools';
import { nothing, projectOf, RequestError, route, sessionOf, type Route } from './route';

const absolutePath = z.string().check(z.regex(/^(?:\/|[A-Za-z]:[\\/])/, 'must be an absolute path'));

const passphrase = z.string().check(z.minLength(1));

/** As long as the command line takes. */
const LONGEST_PAUSE_MS = 9999 * 86_400_000;

/** Links, forgetting on purpose, and archives. */
export const upkeepRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/links',
    summary: 'List what of other projects belongs to the work of one',
    input: nothing,
    run: async (_request, { memory }) => memory.links.list(),
  }),
  route({
    method: 'post',
    path: '/links',
    summary: 'Link a session or a project to another project',
    input: z.strictObject({
      sourceProject: z.string(),
      sourceSession: z.optional(z.string()),
      targetProject: z.string(),
      reason: z.string().check(z.minLength(1)),
    }),
    run: async ({ input }, { memory }) => ({ link: await memory.links.add(input) }),
  }),
  route({
    method: 'delete',
    path: '/links/:linkId',
    summary: 'Remove a link',
    input: nothing,
    run: async ({ params }, { memory }) => ({ removed: await memory.links.remove(params['linkId'] ?? '') }),
  }),
  route({
    method: 'get',
    path: '/never',
    summary: 'List what is never remembered',
    input: nothing,
    run: async (_request, { memory }) => notRemembered(await memory.forgetting.notRemembered()),
  }),
  route({
    method: 'post',
    path: '/never',
    summary: 'Take nothing more from a session',
    input: z.strictObject({ sessionId: z.string() }),
    run: async ({ input }, { memory, signal }) =>
      notRemembered(await memory.forgetting.never(await sessionOf(input, memory, signal))),
  }),
  route({
    method: 'delete',
    path: '/never/:sessionId',
    summary: 'Remember a session again',
    input: nothing,
    run: async ({ params }, { memory }) => notRemembered(await memory.forgetting.allow(params['sessionId'] ?? '')),
  }),
  route({
    method: 'post',
    path: '/pause',
    summary: 'Remember nothing of what is said from now on',
    input: z.strictObject({ forMs: z.optional(z.int().check(z.gte(1), z.lte(LONGEST_PAUSE_MS))) }),
    run: async ({ input: { forMs } }, { memory }) => notRemembered(await memory.forgetting.pause(forMs)),
  }),
  route({
    method: 'delete',
    path: '/pause',
    summary: 'Remember what is said again',
    input: nothing,
    run: async (_request, { memory }) => notRemembered(await memory.forgetting.unpause()),
  }),
  route({
    method: 'post',
    path: '/erase',
    summary: 'Take words, a message or a session out of everything that is kept',
    input: z.strictObject({
      text: z.optional(z.string()),
      sessionId: z.optional(z.string()),
      message: z.optional(z.string()),
      dryRun: z._default(z.boolean(), false),
    }),
    async run({ input: { text, sessionId, message, dryRun: isDryRun } }, { memory, signal }) {
      if ((text === undefined) === (sessionId === undefined))
        throw new RequestError('bad-request', 'Say text, or sessionId; not both.');
      const target =
        text === undefined
          ? { ...(await sessionOf({ sessionId: sessionId ?? '' }, memory, signal)), message }
          : { text };
      return memory.forgetting.erase(target, { isDryRun }, signal);
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/stored',
    summary: 'List what is kept of a project',
    input: nothing,
    run: async ({ params }, { memory }) => ({
      places: await memory.forgetting.stored(await projectOf(params, memory)),
      removed: false,
    }),
  }),
  route({
    method: 'delete',
    path: '/projects/:projectId/stored',
    summary: 'Take all away that is kept of a project',
    input: nothing,
    run: async ({ params }, { memory }) => ({
      places: await memory.forgetting.cleanUp(await projectOf(params, memory)),
      removed: true,
    }),
  }),
  route({
    method: 'post',
    path: '/export',
    summary: 'Write memory into one archive',
    input: z.strictObject({
      file: absolutePath,
      projectId: z.optional(z.string()),
      sessionIds: z.optional(z.array(z.string())),
      passphrase: z.optional(passphrase),
    }),
    run: async ({ input }, { memory, onProgress, signal }) => ({
      exported: await memory.transfer.export(input, onProgress, signal),
    }),
  }),
  route({
    method: 'post',
    path: '/import',
    summary: 'Read memory from an archive',
    input: z.strictObject({
      file: absolutePath,
      dryRun: z._default(z.boolean(), false),
      replace: z._default(z.boolean(), false),
      passphrase: z.optional(passphrase),
      folders: z.optional(z.record(z.string(), absolutePath)),
    }),
    async run({ input: { dryRun: isDryRun, replace: replaces, ...input } }, { memory, onProgress, signal }) {
      const { projects, isDone } = await memory.transfer.import({ ...input, isDryRun, replaces }, onProgress, signal);
      return { projects, imported: isDone };
    },
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/import',
    summary: 'Take over what another tool knows of a project',
    input: z.strictObject({
      from: z.enum(otherTools),
      file: z.optional(absolutePath),
      dryRun: z._default(z.boolean(), false),
    }),
    run: async ({ params, input: { dryRun: isDryRun, ...input } }, { memory }) =>
      memory.rolling.takeOver(await projectOf(params, memory), { ...input, isDryRun }),
  }),
];

function notRemembered({ never, isPaused, until }: NotRemembered): object {
  return { never, paused: isPaused, ...(until !== undefined && { until }) };
}
