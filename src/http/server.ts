import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Log } from '../core/model/host';
import { isAbortError, KeepitError } from '../core/text/keepitError';
import { withoutSecrets } from '../core/text/secrets/cleanText';
import { parsed, RequestError, type Route, type RouteAnswer, type RouteContext } from './route';
import { ServerFile } from '../node/store/serverFile';
import * as z from 'zod/mini';

export interface ServeOptions extends Omit<ApiOptions, 'token'> {
  /** 0 for one that is free. */
  readonly port: number;
  /** Where the address and the token are kept as long as the server runs: the store's folder. */
  readonly memoryDir: string;
}

export interface Serving {
  readonly url: string;
  readonly token: string;
  /** Ends with the signal, when what was under way has been answered. */
  readonly ended: Promise<void>;
}

/** Nobody else can reach this address. */
const LOOPBACK = '127.0.0.1';

/**
 * Serves memory to programs of this machine, until the signal ends it. Any number of servers may run. The address and the token stand in
 * a file as long, for programs of the same user.
 */
export async function serve({ port, memoryDir, ...options }: ServeOptions): Promise<Serving> {
  const token = randomBytes(32).toString('base64url');
  const server = createAdaptorServer({ fetch: createApi({ ...options, token }).fetch }) as Server;
  server.listen(port, LOOPBACK);
  await once(server, 'listening'); // or it rejects with why it cannot
  const { port: taken } = server.address() as AddressInfo;
  const url = `http://${LOOPBACK}:${taken}`;
  const file = new ServerFile(memoryDir, taken);
  const ended = new Promise<void>((resolve) => {
    server.once('close', resolve);
  }).then(() => file.remove());
  const end = () => {
    server.close();
    server.closeIdleConnections();
  };
  try {
    await file.write({ url, token });
  } catch (error) {
    end();
    throw error;
  }
  options.signal.addEventListener('abort', end, { once: true });
  if (options.signal.aborted) end();
  return { url, token, ended };
}

interface ApiOptions {
  readonly memory: RouteContext['memory'];
  readonly routes: readonly Route[];
  readonly token: string;
  readonly version: string;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

const MAX_BODY_BYTES = 1024 * 1024;

/** By what the code of an error ends with, behind its area; whatever else was asked and cannot be done is 422. */
const STATUS: readonly (readonly [RegExp, 400 | 401 | 403 | 404 | 409 | 413 | 500 | 503 | 507])[] = [
  [/^bad-request$/, 400],
  [/^unauthorized$/, 401],
  [/^forbidden-origin$/, 403],
  [/(?:not-found|not-registered|unknown|no-such-[a-z]+)$/, 404],
  [/(?:in-use|ambiguous|name-taken|already-there|changed-meanwhile)$/, 409],
  [/^too-large$/, 413],
  [/^bug$/, 500],
  [/(?:interrupted|locked)$/, 503],
  [/disk-full$/, 507],
];

/** The routes of seeds 000 and 001, for programs of this machine that know the token. */
function createApi(options: ApiOptions): Hono {
  const { token, version } = options;
  const app = new Hono();
  app.use(async (c, next) => {
    refuseStrangers(c);
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
  });
  app.get('/', (c) => {
    c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    return c.html(apiPage(options.routes, version));
  });
  app.get('/api/openapi.json', (c) => c.json(openApi(options.routes, version)));
  app.use('/api/memory/*', async (c, next) => {
    if (!isSame(c.req.header('Authorization') ?? '', `Bearer ${token}`)) throw new RequestError('unauthorized');
    await next();
  });
  for (const route of options.routes)
    app.on(route.method, `/api/memory${route.path}`, (c) => answer(c, route, options));
  app.notFound((c) => failed(c, new RequestError('no-such-route', `${c.req.method} ${c.req.path}`), options));
  app.onError((error, c) => failed(c, error, options));
  return app;
}

/** A page of the web can reach this machine: it sends its origin, or the name by which it found the way. */
function refuseStrangers(c: Context) {
  const host = c.req.header('Host') ?? '';
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(host)) throw new RequestError('forbidden-origin', host);
  const origin = c.req.header('Origin');
  if (origin !== undefined && origin !== `http://${host}`) throw new RequestError('forbidden-origin', origin);
}

type Run = (onProgress: RouteContext['onProgress']) => Promise<RouteAnswer>;

async function answer(c: Context, route: Route, options: ApiOptions): Promise<Response> {
  const input = await inputOf(c, route);
  const signal = AbortSignal.any([options.signal, c.req.raw.signal]);
  const { memory, log } = options;
  const run: Run = (onProgress) => route.run({ params: c.req.param(), input }, { memory, log, onProgress, signal });
  if (c.req.header('Accept')?.includes('text/event-stream') === true) return events(c, run, options);
  const { json, failure } = await run(() => undefined);
  if (failure !== undefined) return failed(c, failure, options, json);
  const text = jsonOf(json);
  if (route.method === 'get') {
    const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    c.header('ETag', tag);
    c.header('Cache-Control', 'private, no-cache');
    if (isNamed(tag, c.req.header('If-None-Match') ?? '')) return c.body(null, 304);
  }
  return c.body(text, 200, { 'Content-Type': 'application/json' });
}

/** Whether a list of tags, weak ones among them, has this one; `*` is any. */
function isNamed(tag: string, known: string): boolean {
  const tags = known.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.some((one) => one === tag || one === '*');
}

/** What programs are told has no secret in it, whatever the keepits of a person hold. */
function jsonOf(answer: object): string {
  return JSON.stringify(answer, (_name, value: unknown) => (typeof value === 'string' ? withoutSecrets(value) : value));
}

/** How far it has got, then the answer or the error, each an event. */
function events(c: Context, run: Run, options: ApiOptions): Response {
  return streamSSE(c, async (stream) => {
    const send = (event: string, data: object) => stream.writeSSE({ event, data: jsonOf(data) });
    try {
      const { json, failure } = await run((progress) => void send('progress', progress));
      await (failure === undefined ? send('answer', json) : send('error', { ...json, ...errorOf(failure, options) }));
    } catch (error) {
      await send('error', errorOf(error, options));
    }
  });
}

async function inputOf(c: Context, { method, input }: Route): Promise<unknown> {
  const hasBody = method === 'post' || method === 'put';
  if (hasBody) return parsed(input, await bodyOf(c));
  const query = Object.entries(c.req.query()).map(([name, word]) => [
    name,
    word === 'true' || (word !== 'false' && word),
  ]);
  return parsed(input, Object.fromEntries(query));
}

async function bodyOf(c: Context): Promise<unknown> {
  const text = await textOf(c);
  if (text === '') return {};
  // A form on a page of the web cannot send this type without being asked about its origin first.
  if (!/^application\/json\b/.test(c.req.header('Content-Type') ?? ''))
    throw new RequestError('bad-request', 'The body is not JSON: Content-Type is not application/json.');
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError('bad-request', 'The body is not JSON.');
  }
}

/** Reads on beyond what it takes: whoever is cut off while sending never sees why. */
async function textOf(c: Context): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = c.req.raw.body;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes <= MAX_BODY_BYTES) parts.push(part);
  }
  if (bytes > MAX_BODY_BYTES) throw new RequestError('too-large', String(MAX_BODY_BYTES));
  return Buffer.concat(parts).toString('utf8');
}

/** `done` is what was done all the same. */
function failed(c: Context, error: unknown, options: ApiOptions, done = {}): Response {
  const document = { ...done, ...errorOf(error, options) };
  const [, status] = STATUS.find(([code]) => code.test(document.error.code)) ?? [undefined, 422 as const];
  return c.body(jsonOf(document), status, { 'Content-Type': 'application/json' });
}

function errorOf(error: unknown, { log }: ApiOptions): { error: { code: string; message: string; hint: string } } {
  if (error instanceof KeepitError) {
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
  if (isAbortError(error)) {
    return { error: { code: 'interrupted', message: 'The server ends.', hint: 'What was done is done: ask again.' } };
  }
  const message = error instanceof Error ? error.message : String(error);
  log.error('this is a bug, please report it', error);
  return { error: { code: 'bug', message, hint: 'The stack is on stderr; please report it.' } };
}

/** Takes as long for a token that is nearly right. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}

const FAILED = {
  description: 'What went wrong, and what to do next; the codes are those of the command line',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['code', 'message', 'hint'],
            properties: { code: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' } },
          },
        },
      },
    },
  },
};

/** OpenAPI 3.1 of all routes. */
function openApi(routes: readonly Route[], version: string): object {
  const paths = new Map<string, Record<string, object>>();
  for (const route of routes) {
    const path = `/api/memory${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths.set(path, { ...paths.get(path), [route.method]: operation(route) });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Keepit', version, description: 'The memory of Claude Code sessions on this machine.' },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, responses: { failed: FAILED } },
    paths: Object.fromEntries(paths),
  };
}

function operation({ method, path, summary, input }: Route): object {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  const hasBody = method === 'post' || method === 'put';
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = hasBody ? [] : Object.entries(schema.properties ?? {});
  return {
    operationId: `${method}${path.replaceAll(/\/:?(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    summary,
    parameters: [...named, ...query.map(([name, one]) => ({ name, in: 'query', schema: one }))],
    ...(hasBody && { requestBody: { content: { 'application/json': { schema } } } }),
    responses: {
      200: {
        description: 'What the command line prints with --json; as text/event-stream with progress before it',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      default: { $ref: '#/components/responses/failed' },
    },
  };
}

/** The same for people: every route, with what it does and takes. */
function apiPage(routes: readonly Route[], version: string): string {
  const rows = routes.map(({ method, path, summary, input }) => {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
    const cells = [
      `<code>${method.toUpperCase()} /api/memory${path}</code>`,
      escaped(summary),
      Object.keys(properties)
        .map((name) => `<code>${name}</code>`)
        .join(', '),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Keepit API</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; }
  th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-top: 1px solid #8886; }
  code { font-size: .9em; overflow-wrap: anywhere; }
</style>
<h1>Keepit ${escaped(version)}</h1>
<p>Ask with <code>Authorization: Bearer TOKEN</code>; the token is what <code>keepit serve</code> printed. Bodies are JSON.
With <code>Accept: text/event-stream</code> progress comes first, then the answer. All of it for programs:
<a href="/api/openapi.json">/api/openapi.json</a>.</p>
<table>
<thead><tr><th scope="col">Route<th scope="col">Does<th scope="col">Takes</thead>
<tbody>${rows.join('\n')}</tbody>
</table>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
