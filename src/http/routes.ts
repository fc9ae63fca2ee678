import * as z from 'zod/mini';
import { savedDocument } from '../cli/commands/compose';
import * as compositions from '../cli/commands/compositions';
import * as forgetting from '../cli/commands/forgetting';
import { decay, keepits, keepitWeight } from '../cli/commands/keepits';
import { linkRemove, links } from '../cli/commands/links';
import { register, unregister } from '../cli/commands/registering';
import { discover, sessions, stats } from '../cli/commands/sessions';
import { diff, versionDelete, versions, versionShow } from '../cli/commands/versions';
import {
  compositionStrategySchema,
  outputFormatSchema,
  recompressSettingsSchema,
  requestedComponentSchema,
} from '../core/model/composition';
import { count } from '../core/model/fields';
import { otherTools } from '../core/knowledge/otherTools/otherTools';
import { commandContext, offered, RequestError, route, type Request, type Route, type RouteContext } from './route';

const compressionSchema = z.strictObject({
  ...recompressSettingsSchema.shape,
  skipFirstMessages: z.optional(count),
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

const absolutePath = z.string().check(z.regex(/^(?:\/|[A-Za-z]:[\\/])/, 'must be an absolute path'));
const passphrase = z.string().check(z.minLength(1));

const SESSION = '/sessions/:sessionId';
const PROJECT = '/projects/:projectId';
const COMPOSITION = '/compositions/:compositionId';

export const routes: readonly Route[] = [
  offered('get', '/projects', discover),
  offered('get', PROJECT, discover),
  offered('post', `${PROJECT}${SESSION}`, register),
  offered('delete', `${PROJECT}${SESSION}`, unregister),
  offered('get', `${PROJECT}${SESSION}/delta`, versions, {
    part: 'delta',
    summary: 'Say what is new since the last part',
  }),
  compressing(`${PROJECT}${SESSION}/delta`, 'Compress what came after the last part'),
  offered('get', `${PROJECT}${SESSION}/parts`, versions, { part: 'parts', summary: 'List the parts of a session' }),
  compressing(`${PROJECT}${SESSION}/parts/:part/recompress`, 'Compress a part again'),
  offered('get', `${PROJECT}/compositions`, compositions.compositions),
  composing(`${PROJECT}/compositions`),
  offered('get', '/sessions', sessions),
  offered('post', '/sessions', register, { takes: { sessionId: 'session' } }),
  offered('delete', SESSION, unregister),
  offered('get', `${SESSION}/versions`, versions),
  compressing(`${SESSION}/versions`, 'Make a version of a session'),
  offered('get', `${SESSION}/versions/:versionId`, versionShow, { takes: { format: 'format' } }),
  offered('get', `${SESSION}/versions/:a/diff/:b`, diff),
  offered('delete', `${SESSION}/versions/:versionId`, versionDelete, { takes: { force: 'force' } }),
  offered('get', `${SESSION}/keepits`, keepits),
  offered('put', `${SESSION}/keepits/:markerId`, keepitWeight, { takes: { weight: 'weight' } }),
  composing('/compose'),
  route({
    method: 'post',
    path: '/compose/preview',
    summary: 'Say what would be composed; nothing is saved',
    input: compositionSchema,
    async run(asked, context) {
      const { projectId, request } = await compositionOf(asked, context);
      return { json: { preview: await context.memory.compositions.preview(projectId, request, {}, context.signal) } };
    },
  }),
  offered('get', '/compositions', compositions.compositions),
  offered('get', COMPOSITION, compositions.compositionShow, { takes: { format: 'format' } }),
  offered('get', '/compositions/:a/diff/:b', compositions.compositionDiff),
  offered('delete', COMPOSITION, compositions.compositionDelete),
  offered('get', '/links', links),
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
    run: async ({ input }, { memory }) => ({ json: { link: await memory.links.add(input) } }),
  }),
  offered('delete', '/links/:linkId', linkRemove),
  offered('get', '/never', forgetting.never),
  offered('post', '/never', forgetting.neverAdd, { takes: { sessionId: 'what' } }),
  offered('delete', '/never/:what', forgetting.neverRemove),
  offered('post', '/pause', forgetting.pause, { takes: { forMs: 'for' } }),
  offered('delete', '/pause', forgetting.unpause),
  offered('post', '/erase', forgetting.erase, {
    takes: { text: 'text', sessionId: 'session', message: 'message', dryRun: 'dryRun' },
  }),
  offered('get', `${PROJECT}/stored`, forgetting.cleanUp, {
    says: { dryRun: 'true' },
    summary: 'List what is kept of a project',
  }),
  offered('delete', `${PROJECT}/stored`, forgetting.cleanUp),
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
      json: { exported: await memory.transfer.export(input, onProgress, signal) },
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
      return { json: { projects, imported: isDone } };
    },
  }),
  route({
    method: 'post',
    path: `${PROJECT}/import`,
    summary: 'Take over what another tool knows of a project',
    input: z.strictObject({
      from: z.enum(otherTools),
      file: z.optional(absolutePath),
      dryRun: z._default(z.boolean(), false),
    }),
    async run({ params, input: { dryRun: isDryRun, ...input } }, context) {
      const projectId = await commandContext(params['projectId'], context).scope.onlyProject();
      return { json: await context.memory.rolling.takeOver(projectId, { ...input, isDryRun }) };
    },
  }),
  offered('get', '/stats', stats),
  offered('post', '/decay/preview', decay, {
    takes: { sessionId: 'session', compressionRatio: 'ratio', aggressiveness: 'level', sessionDistance: 'distance' },
  }),
];

/** What is compressed is said by the end of the path. */
function compressing(path: string, summary: string): Route {
  return route({
    method: 'post',
    path,
    summary,
    input: compressionSchema,
    async run({ params, input }, context) {
      const { provider = 'local', maxCostUsd } = input;
      if (provider !== 'local' && maxCostUsd === undefined) throw new RequestError('cost-unlimited', provider);
      const { part = '', sessionId = '', projectId } = params;
      if (!/^\d{0,9}$/.test(part))
        throw new RequestError('bad-request', `${JSON.stringify(part)} is no number of a part.`);
      const kind = path.endsWith('/delta') ? ('delta' as const) : ('whole' as const);
      const request = { ...input, scope: part === '' ? { kind } : { kind: 'part' as const, partNumber: Number(part) } };
      const { memory, onProgress, signal } = context;
      const ref = await commandContext(projectId, context).scope.session(sessionId, signal);
      const { version, files } = await memory.versions.compress(ref, request, onProgress, signal);
      return { json: { version: { ...version, files } } };
    },
  });
}

function composing(path: string): Route {
  return route({
    method: 'post',
    path,
    summary: 'Compose a context from sessions, inside a budget',
    input: compositionSchema,
    async run(asked, context) {
      const { projectId, request } = await compositionOf(asked, context);
      const { memory, onProgress, signal } = context;
      const options = { replaces: asked.input.replace, onProgress, signal };
      return { json: savedDocument(await memory.compositions.compose(projectId, request, options)) };
    },
  });
}

type Composition = z.infer<typeof compositionSchema>;

async function compositionOf({ params, input }: Request<Composition>, context: RouteContext) {
  const { projectId: named, replace: _replace, components, ...rest } = input;
  const projectId = await commandContext(params['projectId'] ?? named, context).scope.askedProject();
  const refs = [];
  for (const component of components) {
    // A session of another project is found too: an id means the same session wherever it is said.
    const { scope } = commandContext(component.projectId, context);
    refs.push({ ...component, ...(await scope.session(component.sessionId, context.signal)) });
  }
  const home = projectId ?? refs[0]?.projectId ?? '';
  const found = refs.map((one) => ({ ...one, projectId: one.projectId === home ? undefined : one.projectId }));
  return { projectId: home, request: { ...rest, components: found } };
}
