import type { CompressionScope } from '../core/model/compression';
import * as z from 'zod/mini';
import { compositionDocument } from '../core/compositions/compositionDocument';
import { CompositionError } from '../core/compositions/compositionError';
import type { StoredComposition } from '../core/compositions/compositions';
import { decayLevel } from '../core/keepits/decay';
import type { MemoryService } from '../core/memory';
import {
  compositionStrategySchema,
  outputFormatSchema,
  requestedComponentSchema,
  type CompositionRequest,
} from '../core/model/composition';
import { aggressivenessSchema, keepitModeSchema, tierConfigSchema, tierPresetSchema } from '../core/model/compression';
import { count } from '../core/model/count';
import type { SessionRef } from '../core/sessions/results';
import { nothing, projectOf, RequestError, route, sessionOf, type Route } from './route';
import { upkeepRoutes } from './upkeepRoutes';

const ratio = z.number().check(z.gte(1));

const compressionSchema = z.strictObject({
  mode: z.optional(z.enum(['uniform', 'tiered'])),
  compactionRatio: z.optional(ratio),
  aggressiveness: z.optional(aggressivenessSchema),
  tierPreset: z.optional(tierPresetSchema),
  customTiers: z.optional(z.array(tierConfigSchema)),
  skipFirstMessages: z.optional(count),
  keepitMode: z.optional(keepitModeSchema),
  sessionDistance: z.optional(count),
  provider: z.optional(z.enum(['local', 'anthropic', 'claude-cli'])),
  model: z.optional(z.string()),
  maxCostUsd: z.optional(z.number().check(z.nonnegative())),
});

const compositionSchema = z.strictObject({
  name: z.string(),
  /** Where it is kept; without it the project of the first session. */
  projectId: z.optional(z.string()),
  components: z.array(requestedComponentSchema).check(z.minLength(1)),
  totalTokenBudget: count,
  outputFormat: z._default(outputFormatSchema, 'both'),
  strategy: z._default(compositionStrategySchema, 'best'),
  purpose: z.optional(z.string()),
  files: z.optional(z.array(z.string())),
  makesMissing: z.optional(z.boolean()),
  /** The one of that name goes to the trash. */
  replace: z._default(z.boolean(), false),
});

const decaySchema = z.strictObject({
  sessionId: z.string(),
  compressionRatio: ratio,
  aggressiveness: z.optional(z.enum(['light', ...aggressivenessSchema.options])),
  sessionDistance: z.optional(count),
});

export const routes: readonly Route[] = [
  route({
    method: 'get',
    path: '/projects',
    summary: 'List projects and their sessions, in memory or not',
    input: nothing,
    run: async (_request, { memory, onProgress, signal }) => memory.sessions.discover({ onProgress }, signal),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId',
    summary: 'List the sessions of one project',
    input: nothing,
    async run({ params }, { memory, onProgress, signal }) {
      const projectIds = [await projectOf(params, memory)];
      return memory.sessions.discover({ projectIds, onProgress }, signal);
    },
  }),
  route({ method: 'post', path: '/projects/:projectId/sessions/:sessionId', ...registering(nothing) }),
  route({ method: 'delete', path: '/projects/:projectId/sessions/:sessionId', ...unregistering() }),
  route({
    method: 'get',
    path: '/projects/:projectId/sessions/:sessionId/delta',
    summary: 'Say what is new since the last part',
    input: nothing,
    async run({ params }, { memory, signal }) {
      const { delta } = await memory.versions.list(await sessionOf(params, memory, signal), signal);
      return { delta };
    },
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/sessions/:sessionId/delta',
    summary: 'Compress what came after the last part',
    ...compressing(() => ({ kind: 'delta' })),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/sessions/:sessionId/parts',
    summary: 'List the parts of a session',
    input: nothing,
    async run({ params }, { memory, signal }) {
      const { parts } = await memory.versions.list(await sessionOf(params, memory, signal), signal);
      return { parts };
    },
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/sessions/:sessionId/parts/:part/recompress',
    summary: 'Compress a part again',
    ...compressing(({ part = '' }) => ({ kind: 'part', partNumber: wholeNumber(part) })),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/compositions',
    summary: 'List the compositions of a project',
    input: nothing,
    async run({ params }, { memory }) {
      const all = await memory.compositions.list(await projectOf(params, memory));
      return { compositions: all.map(compositionDocument) };
    },
  }),
  route({ method: 'post', path: '/projects/:projectId/compositions', ...composing() }),
  route({
    method: 'get',
    path: '/sessions',
    summary: 'List the sessions that are in memory',
    input: nothing,
    run: async (_request, { memory }) => ({ sessions: await memory.sessions.list() }),
  }),
  route({ method: 'post', path: '/sessions', ...registering(z.strictObject({ sessionId: z.string() })) }),
  route({ method: 'delete', path: '/sessions/:sessionId', ...unregistering() }),
  route({
    method: 'get',
    path: '/sessions/:sessionId/versions',
    summary: 'List the versions of a session, and what is new since its last part',
    input: nothing,
    run: async ({ params }, { memory, signal }) =>
      memory.versions.list(await sessionOf(params, memory, signal), signal),
  }),
  route({
    method: 'post',
    path: '/sessions/:sessionId/versions',
    summary: 'Make a version of a session',
    ...compressing(() => ({ kind: 'whole' })),
  }),
  route({
    method: 'get',
    path: '/sessions/:sessionId/versions/:versionId',
    summary: 'Print a version as it is',
    input: z.strictObject({ format: z._default(z.enum(['md', 'jsonl']), 'md') }),
    async run({ params, input: { format } }, { memory, signal }) {
      const { versionId = '' } = params;
      const text = await memory.versions.text(await sessionOf(params, memory, signal), versionId, format, signal);
      return { versionId, format, text };
    },
  }),
  route({
    method: 'delete',
    path: '/sessions/:sessionId/versions/:versionId',
    summary: 'Move a version to the trash',
    input: z.strictObject({ force: z._default(z.enum(['true', 'false']), 'false') }),
    async run({ params, input }, { memory, signal }) {
      const { versionId = '' } = params;
      const ref = await sessionOf(params, memory, signal);
      const result = await memory.versions.delete(ref, [versionId], { force: input.force === 'true' });
      const [refused] = result.refused;
      if (refused !== undefined) throw new RequestError('version-in-use', refused.usedIn.join(', '));
      return { ...result, undo: `keepit version restore ${ref.sessionId} ${result.trash ?? ''}` };
    },
  }),
  route({
    method: 'get',
    path: '/sessions/:sessionId/keepits',
    summary: 'List the keepits of a session',
    input: nothing,
    run: async ({ params }, { memory, signal }) => memory.keepits.list(await sessionOf(params, memory, signal), signal),
  }),
  route({
    method: 'put',
    path: '/sessions/:sessionId/keepits/:markerId',
    summary: 'Give a keepit another weight',
    input: z.strictObject({ weight: z.number().check(z.gte(0), z.lte(1)) }),
    async run({ params, input: { weight } }, { memory, signal }) {
      const session = await sessionOf(params, memory, signal);
      const [keepit] = await memory.keepits.find(params['markerId'] ?? '', { session }, signal);
      if (keepit === undefined) throw new RequestError('no-such-keepit', params['markerId'] ?? '');
      const marker = await memory.keepits.setWeight(keepit, weight, signal);
      return { marker, markers: [marker], undo: `keepit keepit restore ${marker.markerId}` };
    },
  }),
  route({ method: 'post', path: '/compose', ...composing() }),
  route({
    method: 'post',
    path: '/compose/preview',
    summary: 'Say what would be composed; nothing is saved',
    input: compositionSchema,
    async run({ params, input }, { memory, signal }) {
      const { projectId, request } = await compositionOf(input, params, memory, signal);
      return { preview: await memory.compositions.preview(projectId, request, {}, signal) };
    },
  }),
  route({
    method: 'get',
    path: '/compositions',
    summary: 'List all compositions',
    input: nothing,
    run: async (_request, { memory }) => ({
      compositions: (await memory.compositions.list()).map(compositionDocument),
    }),
  }),
  route({
    method: 'get',
    path: '/compositions/:compositionId',
    summary: 'Show a composition, by its id or name; with `format` its text as well',
    input: z.strictObject({ format: z.optional(z.enum(['md', 'jsonl'])) }),
    async run({ params, input: { format } }, { memory }) {
      const stored = await namedComposition(params, memory);
      const composition = compositionDocument(stored);
      if (format === undefined) return { composition };
      const kind = format === 'md' ? 'markdown' : 'jsonl';
      return { composition, text: await memory.compositions.text(stored.projectId, stored.record.name, kind) };
    },
  }),
  route({
    method: 'delete',
    path: '/compositions/:compositionId',
    summary: 'Move a composition to the trash',
    input: nothing,
    async run({ params }, { memory }) {
      const { projectId, record } = await namedComposition(params, memory);
      const { trash } = await memory.compositions.delete(projectId, record.name);
      const undo = `keepit composition restore ${trash} --project ${projectId}`;
      return { deleted: { projectId, name: record.name, trash }, undo };
    },
  }),
  ...upkeepRoutes,
  route({
    method: 'get',
    path: '/stats',
    summary: 'Say how large memory is',
    input: nothing,
    run: async (_request, { memory }) => memory.upkeep.stats(),
  }),
  route({
    method: 'post',
    path: '/decay/preview',
    summary: 'Say which keepits of a session would survive a compression',
    input: decaySchema,
    async run({ input }, { memory, signal }) {
      const { sessionId, compressionRatio, aggressiveness, sessionDistance } = input;
      const level =
        aggressiveness === undefined || aggressiveness === 'light' ? aggressiveness : decayLevel(aggressiveness);
      const ref = await sessionOf({ sessionId }, memory, signal);
      return memory.keepits.decayPreview(ref, { ratio: compressionRatio, level, distance: sessionDistance }, signal);
    },
  }),
];

type Parts<Input> = Pick<Route<Input>, 'summary' | 'input' | 'run'>;

function registering<Input extends { sessionId?: string }>(input: z.ZodMiniType<Input>): Parts<Input> {
  return {
    summary: 'Keep a session in memory',
    input,
    async run(request, { memory, onProgress, signal }) {
      const { sessionId } = request.input;
      const params = sessionId === undefined ? request.params : { sessionId };
      const result = await memory.sessions.register([await sessionOf(params, memory, signal)], onProgress, signal);
      const [failed] = result.failed;
      if (failed !== undefined) throw new RequestError('not-kept', failed.error);
      return { ...result, empty: [] };
    },
  };
}

function unregistering(): Parts<z.infer<typeof nothing>> {
  return {
    summary: 'Take a session out of memory; its trash holds it',
    input: nothing,
    async run({ params }, { memory, signal }) {
      const unregistered = await memory.sessions.unregister(await sessionOf(params, memory, signal));
      const undo = `keepit restore ${unregistered.trash} --project ${unregistered.projectId}`;
      return { unregistered, undo };
    },
  };
}

function compressing(
  scopeOf: (params: Readonly<Record<string, string>>) => CompressionScope,
): Omit<Parts<z.infer<typeof compressionSchema>>, 'summary'> {
  return {
    input: compressionSchema,
    async run({ params, input }, { memory, onProgress, signal }) {
      const isPaid = input.provider !== undefined && input.provider !== 'local';
      if (isPaid && input.maxCostUsd === undefined) throw new RequestError('cost-unlimited', input.provider ?? '');
      const ref = await sessionOf(params, memory, signal);
      const request = { ...input, scope: scopeOf(params) };
      const { version, files } = await memory.versions.compress(ref, request, onProgress, signal);
      return { version: { ...version, files } };
    },
  };
}

function composing(): Parts<z.infer<typeof compositionSchema>> {
  return {
    summary: 'Compose a context from sessions, inside a budget',
    input: compositionSchema,
    async run({ params, input }, { memory, onProgress, signal }) {
      const { projectId, request } = await compositionOf(input, params, memory, signal);
      const options = { replaces: input.replace, onProgress, signal };
      const saved = await memory.compositions.compose(projectId, request, options);
      const undo = saved.trash && { undo: `keepit composition restore ${saved.trash} --project ${projectId}` };
      return { composition: compositionDocument(saved), ...undo };
    },
  };
}

async function compositionOf(
  { projectId: named, replace: _replace, components, ...rest }: z.infer<typeof compositionSchema>,
  params: Readonly<Record<string, string>>,
  memory: MemoryService,
  signal: AbortSignal,
): Promise<{ projectId: string; request: CompositionRequest }> {
  const own = params['projectId'] ?? named;
  const projectId = own === undefined ? undefined : await projectOf({ projectId: own }, memory);
  const refs: SessionRef[] = [];
  for (const component of components) {
    // A session of another project is found too: an id means the same session wherever it is said.
    const within = component.projectId === undefined ? {} : { projectId: component.projectId };
    refs.push(await sessionOf({ sessionId: component.sessionId, ...within }, memory, signal));
  }
  const home = projectId ?? refs[0]?.projectId ?? '';
  const found = components.map((component, index) => {
    const ref = refs[index];
    return { ...component, ...ref, projectId: ref?.projectId === home ? undefined : ref?.projectId };
  });
  return { projectId: home, request: { ...rest, components: found } };
}

async function namedComposition(
  { compositionId = '' }: Readonly<Record<string, string>>,
  memory: MemoryService,
): Promise<StoredComposition> {
  const all = await memory.compositions.list();
  const [found, other] = all.filter(
    ({ record }) => record.compositionId === compositionId || record.name === compositionId,
  );
  if (found === undefined) throw new CompositionError('unknown', compositionId);
  if (other !== undefined)
    throw new CompositionError('ambiguous', compositionId, `${found.projectId}, ${other.projectId}`);
  return found;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RequestError('bad-request', `${JSON.stringify(text)} is no number of a part.`);
  return Number(text);
}
