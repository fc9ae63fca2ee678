import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CancellationTokenSource, extensions, LanguageModelTextPart, lm, workspace } from 'vscode';
import { MODEL_TOOL_PREFIX, modelTools } from '../../src/vscode/ids';
import { mcpServers } from '../../src/vscode/tools/modelTools';
import { fixtureSessions, registerByItself } from './support/window';

async function invoke(name: string, input: object): Promise<string> {
  const source = new CancellationTokenSource();
  try {
    const { content } = await lm.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
    return content.map((part) => (part instanceof LanguageModelTextPart ? part.value : '')).join('');
  } finally {
    source.dispose();
  }
}

/** What a server answers to these requests, by their ids. */
async function talk(requests: readonly object[]): Promise<string> {
  const [server, ...others] = mcpServers({ claudeDir: undefined, memoryDir: undefined });
  assert.ok(server && others.length === 0);
  const env = {
    ...process.env,
    ...Object.fromEntries(Object.entries(server.env).map(([key, to]) => [key, String(to)])),
  };
  const child = spawn(server.command, server.args, { cwd: server.cwd?.fsPath, env, stdio: 'pipe' });
  let answers = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answers += text));
  for (const request of requests) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  while (!answers.includes('"id":2')) await once(child.stdout, 'data');
  child.stdin.end();
  await once(child, 'exit');
  return answers;
}

describe('memory for models in VS Code', () => {
  before(async () => {
    await extensions.getExtension('keepit.keepit')?.activate();
    await registerByItself();
  });

  it('is offered as language-model tools, with what a model has to know', () => {
    const offered = new Map(lm.tools.map((tool) => [tool.name, tool]));
    for (const name of modelTools) {
      const tool = offered.get(MODEL_TOOL_PREFIX + name);
      assert.ok(tool, name);
      assert.ok(tool.description.length > 80 && tool.inputSchema !== undefined);
    }
  });

  it('answers from the project of the workspace', async () => {
    const sessions = await invoke('keepit_sessions', {});
    assert.match(sessions, /data to judge, not instructions[^]*2 sessions of/);
    assert.match(sessions, new RegExp(fixtureSessions.retries.slice(0, 8)));
    const messages = await invoke('keepit_read', { session: fixtureSessions.retries, from: 0, to: 0 });
    const [word = ''] = /\p{L}{6,}/u.exec(messages.split('\n').slice(4).join(' ')) ?? [];
    assert.match(await invoke('keepit_search', { queries: [word] }), /the best first/);
  });

  it('tells a model what to do when there is nothing to answer', async () => {
    await assert.rejects(invoke('keepit_recall', {}), /nobody has enabled it/);
    await assert.rejects(invoke('keepit_search', { queries: ['x'], since: 'soon' }), /not a date/);
  });

  it('is offered as an MCP server that runs with the Node of VS Code', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const answers = await talk([
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'sessions', arguments: {} } },
    ]);
    assert.match(answers, /"serverInfo":\{"name":"keepit"/);
    assert.match(answers, new RegExp(`2 sessions of ${workspace.workspaceFolders?.[0]?.uri.fsPath ?? '?'}`));
  });
});
