import assert from 'node:assert/strict';
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram, type Ended } from '../support/cliProcess';
import { hash64 } from '../../../src/core/text/hash64';
import type { Route } from '../../../src/http/route';
import { routes } from '../../../src/http/routes';

const LEDGER = '-home-ada-src-ledger';
const [FIRST, SECOND] = ['a1b2c3d4-1111-4111-8111-111111111111', 'a1b2ffff-2222-4222-8222-222222222222'];
const OTHER_PROJECT = '-home-ada-src-site';
const OTHER = 'eeee0000-4444-4444-8444-444444444444';
const LINK = hash64([OTHER_PROJECT, OTHER, LEDGER].join('\n')).slice(0, 8);
/** What memory-keeper has left of another project. */
const FOLDER = path.resolve('test/fixtures/memory-keeper');
/** The first keepit of the first session. */
const MARKER = '40b2fc150f7e2965';
const COMPOSITION = { name: 'one', totalTokenBudget: 3000, components: [{ sessionId: FIRST }] };

const servingSchema = z.object({ url: z.string(), token: z.string() });
const recordSchema = z.record(z.string(), z.unknown());
const composedSchema = z.looseObject({ composition: z.looseObject({ compositionId: z.string() }) });
const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string() }) });
const openApiSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
});

/** What the command line is told, and what is asked of the server; with `part` only that of the command line's answer is. */
interface Step {
  readonly cli: readonly string[];
  readonly method: Route['method'];
  readonly path: string;
  readonly body?: object;
  readonly part?: string;
}

const COMPOSE = ['compose', FIRST, '--budget', '3000', '--name'];
const OF_SESSION = `/projects/${LEDGER}/sessions/${FIRST}`;

const STEPS: readonly Step[] = [
  { cli: ['discover'], method: 'get', path: '/projects' },
  { cli: ['discover', '--project', LEDGER], method: 'get', path: `/projects/${LEDGER}` },
  { cli: ['register', FIRST, '--project', LEDGER], method: 'post', path: OF_SESSION },
  { cli: ['register', SECOND], method: 'post', path: '/sessions', body: { sessionId: SECOND } },
  { cli: ['sessions'], method: 'get', path: '/sessions' },
  {
    cli: ['compress', FIRST, '--ratio', '3', '--level', 'moderate'],
    method: 'post',
    path: `/sessions/${FIRST}/versions`,
    body: { compactionRatio: 3, aggressiveness: 'moderate' },
  },
  { cli: ['compress', FIRST], method: 'post', path: `/sessions/${FIRST}/versions` },
  { cli: ['compress', FIRST, '--delta'], method: 'post', path: `${OF_SESSION}/delta` },
  {
    cli: ['compress', FIRST, '--part', '1', '--preset', 'gentle'],
    method: 'post',
    path: `${OF_SESSION}/parts/1/recompress`,
    body: { tierPreset: 'gentle' },
  },
  { cli: ['versions', FIRST], method: 'get', path: `/sessions/${FIRST}/versions` },
  { cli: ['versions', FIRST], method: 'get', path: `${OF_SESSION}/delta`, part: 'delta' },
  { cli: ['versions', FIRST], method: 'get', path: `${OF_SESSION}/parts`, part: 'parts' },
  { cli: ['version', 'show', FIRST, 'v001'], method: 'get', path: `/sessions/${FIRST}/versions/v001` },
  {
    cli: ['version', 'show', FIRST, 'v001', '--format', 'jsonl'],
    method: 'get',
    path: `/sessions/${FIRST}/versions/v001?format=jsonl`,
  },
  { cli: ['diff', FIRST, 'original', 'v001'], method: 'get', path: `/sessions/${FIRST}/versions/original/diff/v001` },
  { cli: ['diff', FIRST, 'v001', 'v002'], method: 'get', path: `/sessions/${FIRST}/versions/v001/diff/v002` },
  {
    cli: ['version', 'delete', FIRST, 'v002', '--yes'],
    method: 'delete',
    path: `/sessions/${FIRST}/versions/v002`,
  },
  { cli: ['keepits', FIRST], method: 'get', path: `/sessions/${FIRST}/keepits` },
  {
    cli: ['keepit', 'weight', MARKER, '0.4', '--session', FIRST],
    method: 'put',
    path: `/sessions/${FIRST}/keepits/${MARKER}`,
    body: { weight: 0.4 },
  },
  {
    cli: ['decay', FIRST, '--ratio', '30', '--level', 'aggressive', '--distance', '5'],
    method: 'post',
    path: '/decay/preview',
    body: { sessionId: FIRST, compressionRatio: 30, aggressiveness: 'aggressive', sessionDistance: 5 },
  },
  { cli: [...COMPOSE, 'one', '--dry-run'], method: 'post', path: '/compose/preview', body: COMPOSITION },
  { cli: [...COMPOSE, 'one'], method: 'post', path: '/compose', body: COMPOSITION },
  {
    cli: [...COMPOSE, 'two', '--strategy', 'equal', '--project', LEDGER],
    method: 'post',
    path: `/projects/${LEDGER}/compositions`,
    body: { ...COMPOSITION, name: 'two', strategy: 'equal' },
  },
  { cli: ['compositions'], method: 'get', path: '/compositions' },
  { cli: ['compositions', '--project', LEDGER], method: 'get', path: `/projects/${LEDGER}/compositions` },
  { cli: ['composition', 'show', 'one'], method: 'get', path: '/compositions/<composition>' },
  { cli: ['composition', 'show', 'one', '--format', 'md'], method: 'get', path: '/compositions/one?format=md' },
  { cli: ['composition', 'diff', 'one', 'two'], method: 'get', path: '/compositions/one/diff/two' },
  { cli: ['composition', 'delete', 'one', '--yes'], method: 'delete', path: '/compositions/<composition>' },
  { cli: ['links', '--all-projects'], method: 'get', path: '/links' },
  { cli: ['register', OTHER], method: 'post', path: '/sessions', body: { sessionId: OTHER } },
  {
    cli: ['link', 'add', OTHER, '--to', LEDGER, '--reason', 'Shared'],
    method: 'post',
    path: '/links',
    body: { sourceProject: OTHER_PROJECT, sourceSession: OTHER, targetProject: LEDGER, reason: 'Shared' },
  },
  { cli: ['link', 'remove', LINK], method: 'delete', path: `/links/${LINK}` },
  {
    cli: ['export', '--project', LEDGER, '-o', '<memory>/out.tar'],
    method: 'post',
    path: '/export',
    body: { file: '<memory>/out.tar', projectId: LEDGER },
  },
  {
    cli: ['import', '<memory>/out.tar', '--dry-run'],
    method: 'post',
    path: '/import',
    body: { file: '<memory>/out.tar', dryRun: true },
  },
  {
    cli: ['import', FOLDER, '--from', 'memory-keeper', '--project', LEDGER, '--dry-run'],
    method: 'post',
    path: `/projects/${LEDGER}/import`,
    body: { from: 'memory-keeper', file: FOLDER, dryRun: true },
  },
  { cli: ['never', 'add', SECOND], method: 'post', path: '/never', body: { sessionId: SECOND } },
  { cli: ['never'], method: 'get', path: '/never' },
  { cli: ['never', 'remove', SECOND], method: 'delete', path: `/never/${SECOND}` },
  { cli: ['pause'], method: 'post', path: '/pause', body: {} },
  { cli: ['unpause'], method: 'delete', path: '/pause' },
  {
    cli: ['erase', '--text', 'nobody ever said this', '--dry-run'],
    method: 'post',
    path: '/erase',
    body: { text: 'nobody ever said this', dryRun: true },
  },
  {
    cli: ['clean-up', '--project', OTHER_PROJECT, '--dry-run'],
    method: 'get',
    path: `/projects/${OTHER_PROJECT}/stored`,
  },
  {
    cli: ['clean-up', '--project', OTHER_PROJECT, '--yes'],
    method: 'delete',
    path: `/projects/${OTHER_PROJECT}/stored`,
  },
  { cli: ['stats'], method: 'get', path: '/stats' },
  { cli: ['unregister', SECOND, '--yes'], method: 'delete', path: `/sessions/${SECOND}` },
  { cli: ['unregister', FIRST, '--yes', '--project', LEDGER], method: 'delete', path: OF_SESSION },
];

/** `keepit serve` while it runs. */
class Server {
  private constructor(
    readonly url: string,
    readonly token: string,
    private readonly child: ChildProcess,
    private readonly ended: Promise<Ended>,
  ) {}

  static async start(home: CliHome): Promise<Server> {
    let ended: Promise<Ended> | undefined;
    const child = await new Promise<ChildProcess>((resolve) => {
      ended = home.run(['serve', '--json'], { during: resolve });
    });
    assert.ok(ended);
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (text: Buffer | string) => resolve(String(text)));
      ended?.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    const { url, token } = servingSchema.parse(JSON.parse(line));
    return new Server(url, token, child, ended);
  }

  /** The file beside which other programs find the server. */
  get port(): string {
    return new URL(this.url).port;
  }

  async ask(method: string, route: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + route, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

describe('keepit serve', function () {
  this.timeout(60_000);
  const program = useProgram();
  let served: CliHome;
  let server: Server;
  beforeEach(async () => {
    served = await CliHome.make(program, 'mixed-home');
    server = await Server.start(served);
  });
  afterEach(async () => {
    await server.end();
    await served.dispose();
  });

  async function refused(response: Response): Promise<[number, string]> {
    return [response.status, errorSchema.parse(await response.json()).error.code];
  }

  it('answers every route as the command line does', async () => {
    await server.end();
    const told: unknown[] = [];
    const enable = () => served.run(['layers', 'enable', '--yes', '--location', 'home', '--project', LEDGER]);
    await enable();
    for (const { cli } of STEPS) {
      const words = cli.map((word) => word.replace('<memory>', served.memoryDir));
      const { code, stdout, stderr } = await served.run([...words, '--json']);
      assert.equal(code, 0, `${cli.join(' ')}: ${stdout}${stderr}`);
      told.push(JSON.parse(stdout));
    }
    await rm(served.memoryDir, { recursive: true });
    await enable();
    server = await Server.start(served);
    const tried = new Set<string>();
    let compositionId = '';
    for (const [index, { method, path: step, body, part }] of STEPS.entries()) {
      const route = step.replace('<composition>', compositionId);
      const [asked] = routes.filter((one) => one.method === method && matches(one.path, route));
      tried.add(`${asked?.method} ${asked?.path}`);
      const named = (value: unknown): unknown =>
        typeof value === 'string' ? value.replace('<memory>', served.memoryDir) : value;
      const sent = body && Object.fromEntries(Object.entries(body).map(([key, value]) => [key, named(value)]));
      const response = await server.ask(method.toUpperCase(), `/api/memory${route}`, sent);
      const text = await response.text();
      assert.equal(response.status, 200, `${method} ${route}: ${text}`);
      const answer: unknown = JSON.parse(text);
      const expected = part === undefined ? told[index] : recordSchema.parse(told[index])[part];
      assert.deepEqual(plain(answer), plain(part === undefined ? expected : { [part]: expected }), route);
      if (route === '/compose') compositionId = composedSchema.parse(answer).composition.compositionId;
    }
    assert.deepEqual([...tried].sort(), routes.map(({ method, path: one }) => `${method} ${one}`).sort());
  });

  it('tells how far it has got, then the answer', async () => {
    const response = await server.ask(
      'POST',
      '/api/memory/sessions',
      { sessionId: FIRST },
      { Accept: 'text/event-stream' },
    );
    const text = await response.text();
    assert.match(text, /^event: progress\ndata: \{.*\n\n/);
    assert.match(text, /event: answer\ndata: \{"registered":\[\{"sessionId":"a1b2c3d4/);
    const failed = await server.ask(
      'POST',
      '/api/memory/sessions',
      { sessionId: 'ffffffff' },
      { Accept: 'text/event-stream' },
    );
    assert.match(await failed.text(), /event: error\ndata: \{"error":\{"code":"session-not-found"/);
  });

  it('answers nobody who does not know the token, and no page of the web', async () => {
    assert.deepEqual(await refused(await fetch(`${server.url}/api/memory/stats`)), [401, 'unauthorized']);
    const wrong = { Authorization: `Bearer ${server.token}x` };
    assert.deepEqual(await refused(await server.ask('GET', '/api/memory/stats', undefined, wrong)), [
      401,
      'unauthorized',
    ]);
    const foreign = { Origin: 'https://example.com' };
    assert.deepEqual(await refused(await server.ask('GET', '/api/memory/stats', undefined, foreign)), [
      403,
      'forbidden-origin',
    ]);
    const form = { 'Content-Type': 'text/plain' };
    const posted = await server.ask('POST', '/api/memory/compose/preview', COMPOSITION, form);
    assert.deepEqual(await refused(posted), [400, 'bad-request']);
    // A session is an id: a path would open any file.
    const file = encodeURIComponent(served.transcript(LEDGER, FIRST));
    assert.deepEqual(await refused(await server.ask('GET', `/api/memory/sessions/${file}/keepits`)), [
      404,
      'session-not-found',
    ]);
  });

  it('says what is wrong with a request, in the words and codes of the command line', async () => {
    const ask = async (method: string, route: string, body?: object): Promise<[number, string]> =>
      refused(await server.ask(method, `/api/memory${route}`, body));
    assert.deepEqual(await ask('GET', '/nothing'), [404, 'no-such-route']);
    assert.deepEqual(await ask('GET', '/projects/nowhere'), [404, 'project-not-found']);
    assert.deepEqual(await ask('GET', '/sessions/ffffffff/versions'), [404, 'session-not-found']);
    assert.deepEqual(await ask('GET', `/sessions/a1b2/versions`), [409, 'session-ambiguous']);
    assert.deepEqual(await ask('POST', '/compose', { ...COMPOSITION, strategy: 'clever' }), [400, 'bad-request']);
    assert.deepEqual(await ask('POST', '/compose', { ...COMPOSITION, colour: 'blue' }), [400, 'bad-request']);
    const asked = await server.ask('POST', '/api/memory/compose', { ...COMPOSITION, name: 5 });
    assert.match(await asked.text(), /"name: Invalid input: expected string, received number\."/);
    assert.deepEqual(await ask('POST', '/pause', { forMs: Number.MAX_SAFE_INTEGER }), [400, 'bad-request']);
    assert.deepEqual(await ask('POST', '/compose', { ...COMPOSITION, name: 'x'.repeat(2_000_000) }), [
      413,
      'too-large',
    ]);
    await server.ask('POST', '/api/memory/sessions', { sessionId: FIRST });
    assert.deepEqual(await ask('POST', `/sessions/${FIRST}/versions`, { provider: 'anthropic' }), [
      422,
      'cost-unlimited',
    ]);
    await server.ask('POST', '/api/memory/compose', COMPOSITION);
    assert.deepEqual(await ask('POST', '/compose', COMPOSITION), [409, 'composition-name-taken']);
    assert.deepEqual(await ask('POST', '/compose', { ...COMPOSITION, replace: true, totalTokenBudget: 1 }), [
      422,
      'composition-budget-too-small',
    ]);
  });

  it('sends again only what has changed', async () => {
    const first = await server.ask('GET', '/api/memory/sessions');
    const tag = first.headers.get('ETag') ?? '';
    assert.notEqual(tag, '');
    const again = await server.ask('GET', '/api/memory/sessions', undefined, { 'If-None-Match': tag });
    assert.deepEqual([again.status, await again.text()], [304, '']);
    for (const known of [`"another", W/${tag}`, '*']) {
      const listed = await server.ask('GET', '/api/memory/sessions', undefined, { 'If-None-Match': known });
      assert.equal(listed.status, 304, known);
    }
    await server.ask('POST', '/api/memory/sessions', { sessionId: FIRST });
    const changed = await server.ask('GET', '/api/memory/sessions', undefined, { 'If-None-Match': tag });
    assert.equal(changed.status, 200);
  });

  it('describes itself, as OpenAPI is defined', async () => {
    const told = recordSchema.parse(await (await fetch(`${server.url}/api/openapi.json`)).json());
    const { valid, errors } = await new Validator().validate(told);
    assert.ok(valid, JSON.stringify(errors));
    const document = openApiSchema.parse(told);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const all = routes.map(({ method, path }) => `${method} /api/memory${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(described.sort(), all.sort());
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[a-z]\w+$/i); // generators of clients make names of functions from them
    const page = await (await fetch(server.url)).text();
    for (const { path } of routes) assert.ok(page.includes(`/api/memory${path}`));
  });

  it('tells no secret that a person has marked', async () => {
    const id = 'cccc0000-5555-4555-8555-555555555555';
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const said = `Deploy. ##keepit0.90## The token is ${token}, rotate it. ##keepit:end##`;
    const transcript = new TranscriptBuilder(id, '/home/ada/src/ledger').human(said).assistant('Yes.');
    await writeFile(served.transcript(LEDGER, id), transcript.toString());
    const told = await (await server.ask('GET', `/api/memory/sessions/${id}/keepits`)).text();
    assert.match(told, /The token is \[redacted: GitHub token\], rotate it/);
    assert.ok(!told.includes(token));
  });

  it('clears away the address of one that was killed', async () => {
    const killed = await Server.start(served);
    await killed.end('SIGKILL');
    const file = (port: string) => path.join(served.memoryDir, 'serve', `${port}.json`);
    await access(file(killed.port));
    const next = await Server.start(served);
    await Promise.all([access(file(server.port)), assert.rejects(access(file(killed.port)), { code: 'ENOENT' })]);
    await next.end();
  });

  it('leaves its address for programs of the same user, as long as it runs; two run beside each other', async () => {
    const other = await Server.start(served);
    assert.notEqual(other.url, server.url);
    const file = path.join(served.memoryDir, 'serve', `${other.port}.json`);
    const { mode } = await stat(file);
    assert.equal(mode & 0o777, 0o600);
    assert.match(await readFile(file, 'utf8'), new RegExp(`"token":"${other.token}"`));
    const [one, two] = await Promise.all([
      server.ask('POST', '/api/memory/sessions', { sessionId: FIRST }),
      other.ask('POST', '/api/memory/sessions', { sessionId: SECOND }),
    ]);
    assert.deepEqual([one.status, two.status], [200, 200]);
    const { code, stderr } = await other.end();
    assert.deepEqual([code, stderr], [143, '']);
    await assert.rejects(access(file));
    const taken = await served.run(['serve', '--port', server.port, '--json']);
    assert.equal(taken.code, 1);
    assert.match(taken.stdout, /"port-taken"/);
    const { stdout } = await served.run(['doctor', '--json']);
    assert.match(stdout, /"name":"leftovers","ok":true/);
  });
});

function matches(pattern: string, route: string): boolean {
  const [path = ''] = route.split('?');
  return new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
}

/** Without what differs between two runs: when things were done, and ids that were drawn. */
function plain(answer: unknown): unknown {
  const text = JSON.stringify(answer)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:[.-]\d+)?Z/g, '<time>')
    // The id of a composition stands in its text: how many tokens and bytes that takes is up to its letters.
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/"(jsonl|markdown|totalTokens|storeBytes|bytes)":\d+/g, '"$1":0')
    .replaceAll(/("name":"(?:one|two)","tokens"):\d+/g, '$1:0');
  return JSON.parse(text);
}
