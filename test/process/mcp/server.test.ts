import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import { createMemory } from '../../../src/node/createMemory';
import { memoryTools } from '../../../src/core/agentTools/memoryTools';
import { useProgram } from '../support/cliProcess';
import { RecordingLog } from '../../unit/support/recordingLog';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { projectFolderName } from '../../../src/core/sessions/projectNames';

const SESSION = 'a1b2c3d4-1111-4111-8111-111111111111';
const answerSchema = z.object({ content: z.tuple([z.object({ text: z.string() })]), isError: z.boolean() });

const exitSchema = z.tuple([z.nullable(z.number())], z.unknown());

async function exitOf(child: ChildProcess): Promise<number | null> {
  return exitSchema.parse(await once(child, 'exit'))[0];
}

interface Stage {
  readonly dir: string;
  /** The project's folder. */
  readonly folder: string;
  readonly env: Record<string, string>;
}

describe('keepit mcp, as a program', () => {
  const program = useProgram();
  let stage: Stage;
  const clients: Client[] = [];

  before(async () => {
    stage = await prepare();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  after(async () => {
    await rm(stage.dir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** A project with one long session in memory, and layers. */
  async function prepare(): Promise<Stage> {
    const dir = await realpath(await mkdtemp(path.join(tmpdir(), 'keepit mcp ')));
    const folder = path.join(dir, 'my project');
    const env = { CLAUDE_CONFIG_DIR: path.join(dir, 'claude'), CLAUDE_MEMORY_DIR: path.join(dir, 'memory') };
    const projectId = projectFolderName(folder);
    const sessions = path.join(env.CLAUDE_CONFIG_DIR, 'projects', projectId);
    await mkdir(sessions, { recursive: true });
    await mkdir(folder);
    const builder = new TranscriptBuilder(SESSION, folder).human('Remember: always use pnpm.').assistant('I will.');
    for (let number = 0; number < 30; number++) builder.human(`Request ${number}. ${'So many words. '.repeat(200)}`);
    await writeFile(path.join(sessions, `${SESSION}.jsonl`), builder.toString());
    const options = { claudeDir: env.CLAUDE_CONFIG_DIR, memoryDir: env.CLAUDE_MEMORY_DIR };
    const memory = createMemory({ ...options, log: new RecordingLog(), distDir: path.resolve('dist') });
    await memory.service.sessions.register([{ projectId, sessionId: SESSION }]);
    await memory.service.layers.enable(projectId, { location: 'home' });
    await memory.service.layers.build(projectId);
    await memory.dispose();
    return { dir, folder, env };
  }

  it('answers a request that is far too long with an error, and the next one as ever', async () => {
    const client = await connect();
    const ask = (query: string) => client.callTool({ name: 'search', arguments: { queries: [query] } });
    await assert.rejects(ask('x'.repeat(11 * 1024 * 1024)), { code: -32600, message: /longer than 10485760 bytes/ });
    assert.equal((await client.listTools()).tools.length, memoryTools.length);
    assert.match(answerSchema.parse(await ask('pnpm')).content[0].text, /pnpm/);
  });

  async function connect(options: { cwd?: string; env?: Record<string, string>; roots?: string[] } = {}) {
    const { cwd = stage.folder, env = {}, roots } = options;
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: roots === undefined ? {} : { roots: { listChanged: false } } },
    );
    if (roots !== undefined) {
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
    }
    const args = [program.file, 'mcp'];
    const environment = { PATH: process.env.PATH ?? '', HOME: stage.dir, ...stage.env, ...env };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      cwd,
      env: environment,
      stderr: 'pipe',
    });
    await client.connect(transport);
    clients.push(client);
    return client;
  }

  async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
    const { content, isError } = answerSchema.parse(await client.callTool({ name, arguments: input }));
    return { text: content[0].text, isError };
  }

  it('says what it is, and offers all tools with their schemas', async () => {
    const client = await connect();
    assert.equal(client.getServerVersion()?.name, 'keepit');
    assert.match(client.getInstructions() ?? '', /use search \(single things\)/);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      memoryTools.map(({ name }) => name),
    );
    for (const { inputSchema, annotations, _meta } of tools) {
      assert.equal(inputSchema.type, 'object');
      assert.equal(typeof _meta?.['anthropic/searchHint'], 'string');
      assert.equal(annotations?.destructiveHint, false);
    }
  });

  it('answers every tool', async () => {
    const client = await connect();
    const asked: [string, Record<string, unknown>, RegExp][] = [
      ['search', { queries: ['pnpm', 'package manager'] }, /always use pnpm/],
      ['read', { session: 'a1b2', around: '0' }, /always use pnpm/],
      ['recall', {}, /What holds[^]*always use pnpm/],
      ['recall', { about: 'pnpm', budget: 3000 }, /1 session in \d+ tokens/],
      ['sessions', {}, /1 session of .*my project/],
      ['remember', { quote: 'I will.', weight: 'critical' }, /Marked with 0\.90/],
      ['remember', { quote: 'Request 7', kind: 'decision' }, /Noted as p001/],
    ];
    for (const [name, input, expected] of asked) {
      const { text, isError } = await call(client, name, input);
      assert.match(text, expected);
      assert.equal(isError, false, name);
    }
  });

  it('gives long answers page by page', async () => {
    const client = await connect();
    const requests: string[] = [];
    let cursor: string | undefined;
    do {
      const { text } = await call(client, 'read', { session: 'a1b2', ...(cursor && { cursor }) });
      requests.push(...[...text.matchAll(/Request (\d+)\./g)].map(([, number = '']) => number));
      cursor = /"cursor": "([^"]+)"/.exec(text)?.[1];
    } while (cursor !== undefined);
    assert.deepEqual(requests, [...Array(30).keys()].map(String));
  });

  it('lists and reads resources', async () => {
    const client = await connect();
    const folders = { claudeDir: stage.env['CLAUDE_CONFIG_DIR'], memoryDir: stage.env['CLAUDE_MEMORY_DIR'] };
    const memory = createMemory({ ...folders, log: new RecordingLog(), distDir: path.resolve('dist') });
    await memory.service.compositions.compose(projectFolderName(stage.folder), {
      name: 'a b-ü',
      components: [{ sessionId: SESSION }],
      totalTokenBudget: 3000,
      outputFormat: 'markdown',
      strategy: 'best',
    });
    await memory.dispose();
    const { resources } = await client.listResources();
    const [composition] = resources;
    assert.equal(composition?.uri, 'keepit://compositions/a%20b-%C3%BC');
    const { contents } = await client.readResource({ uri: composition.uri });
    assert.match(JSON.stringify(contents), /always use pnpm/);
    for (const uri of ['keepit://compositions/none', 'keepit://compositions/..%2F..', 'file:///etc/passwd', 'x']) {
      await assert.rejects(client.readResource({ uri }), /-32602/, uri);
    }
  });

  it('tells a model what was wrong, and goes on', async () => {
    const client = await connect();
    assert.deepEqual((await call(client, 'search', { queries: 7 })).isError, true);
    assert.match((await call(client, 'search', { queries: ['x'.repeat(3_000_000)] })).text, /at most 500/);
    assert.match((await call(client, 'read', { session: 'latest', cursor: 'forged' })).text, /does not belong/);
    await assert.rejects(client.callTool({ name: 'rm_rf' }), /There is no tool rm_rf/);
    assert.equal((await call(client, 'sessions')).isError, false);
  });

  it('does not answer what was cancelled, and goes on', async () => {
    const client = await connect();
    const controller = new AbortController();
    const request = client.callTool({ name: 'search', arguments: { queries: ['words'] } }, undefined, {
      signal: controller.signal,
    });
    controller.abort();
    await assert.rejects(request, /abort/i);
    assert.equal((await call(client, 'search', { queries: ['pnpm'] })).isError, false);
  });

  it('works on the project that the client names: by variable, by roots, by folder', async () => {
    const elsewhere = { cwd: stage.dir };
    assert.match((await call(await connect(elsewhere), 'sessions')).text, /knows no sessions of/);
    const named = await connect({ ...elsewhere, env: { CLAUDE_PROJECT_DIR: stage.folder } });
    assert.match((await call(named, 'sessions')).text, /1 session of/);
    const rooted = await connect({ ...elsewhere, roots: [pathToFileURL(stage.folder).href] });
    assert.match((await call(rooted, 'sessions')).text, /1 session of/);
    const other = await connect({ roots: [pathToFileURL(path.join(stage.dir, 'nothing')).href] });
    assert.match((await call(other, 'sessions')).text, /knows no sessions of .*nothing/);
  });

  it('has answers also where there is no store and no Claude Code', async () => {
    const none = { CLAUDE_CONFIG_DIR: path.join(stage.dir, 'no'), CLAUDE_MEMORY_DIR: path.join(stage.dir, 'none') };
    const client = await connect({ env: none });
    assert.deepEqual((await client.listResources()).resources, []);
    for (const { name } of memoryTools) assert.equal((await call(client, name, { query: 'x' })).isError, true, name);
    assert.ok(!(await readdir(stage.dir)).includes('none'));
  });

  it('writes nothing but its protocol to stdout, and ends with the pipe', async () => {
    const child = spawn(process.execPath, [program.file, 'mcp'], {
      cwd: stage.folder,
      env: { ...stage.env, PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-ant-never-shown' },
      stdio: 'pipe',
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    send({ id: 1, method: 'initialize', params });
    child.stdin.write('this is no JSON\n{"jsonrpc":"2.0"\n\u0000\n');
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'sessions', arguments: {} } });
    while (!stdout.includes('"id":2')) await once(child.stdout, 'data');
    child.stdin.end();
    assert.equal(await exitOf(child), 0);
    for (const line of stdout.split('\n').filter((one) => one !== '')) {
      assert.equal(z.looseObject({ jsonrpc: z.string() }).parse(JSON.parse(line)).jsonrpc, '2.0');
    }
    assert.doesNotMatch(stdout + stderr, /never-shown/);
  });

  it('ends when nobody reads its answers any more', async () => {
    const child = spawn(process.execPath, [program.file, 'mcp'], { cwd: stage.folder, env: stage.env, stdio: 'pipe' });
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    for (let id = 0; id < 3; id++) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    assert.equal(await exitOf(child), 0);
  });

  it('says how it is called when it is called in another way', async () => {
    const child = spawn(process.execPath, [program.file, 'mcp', '--port', '1'], { env: stage.env, stdio: 'pipe' });
    assert.equal(await exitOf(child), 2);
  });
});
