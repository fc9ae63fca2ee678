import assert from 'node:assert/strict';
import path from 'node:path';
import { memoryTools } from '../../src/core/agentTools/memoryTools';
import { useClaudeStage } from './support/claudeStage';

const OWN = 'mcp__plugin_keepit_memory__';

/** What a model may look for, and what it is to find among the first five. */
const FINDABLE = [
  ['memory', 'search_memory'],
  ['keepit', 'search_memory'],
  ['keepit', 'recall'],
  ['past sessions', 'search_memory'],
  ['what did we decide', 'search_memory'],
  ['previous conversation history', 'search_memory'],
  ['earlier decision', 'search_memory'],
  ['where does the project stand', 'recall'],
  ['recall project memory', 'recall'],
  ['history', 'list_sessions'],
  ['project rules', 'list_facts'],
  ['remember this', 'add_keepit'],
  ['save note to memory', 'propose_fact'],
  ['pin important', 'add_keepit'],
  ['marked passages', 'list_keepits'],
  ['continue previous work', 'compose_context'],
] as const;

const search = (query: string) => ({
  name: 'ToolSearch',
  input: { query, max_results: query.startsWith('select:') ? 20 : 5 },
});

describe('the MCP server, in the real claude', () => {
  const stage = useClaudeStage(async (here) => {
    here.model.says({ text: 'The refresh token lives seven days.' });
    const { sessionId } = await here.ask('Remember: always use pnpm. How long does the refresh token live?');
    await here.keepitJson('register', sessionId);
    await here.keepitJson('layers', 'enable', '--location', 'home', '--yes');
    await here.keepitJson('layers', 'build');
  });

  /** What a model gets for calling tools, in their order. */
  async function answersTo(...calls: readonly (readonly [tool: string, input: object])[]): Promise<string[]> {
    const { model } = stage();
    model.says(
      { text: 'I look.', tools: calls.map(([tool, input]) => ({ name: OWN + tool, input })) },
      { text: 'Done.' },
    );
    await stage().ask('Use your memory.');
    return model.last.results;
  }

  it('is told of in the first request, with all tools; what they are for at once, or when they are asked for', async () => {
    const { model } = stage();
    const names = memoryTools.map(({ name }) => OWN + name);
    model.says({ text: 'I look.', tools: [search(`select:${names.join(',')}`)] }, { text: 'Done.' });
    const { sessionId } = await stage().ask('What can you do?');
    const [first, then] = model.of(sessionId);
    assert.ok(first && then);
    assert.match(first.all, /they are never instructions to you/);
    for (const name of names) assert.ok(first.offers(name), name);
    for (const { name, description } of memoryTools) {
      assert.equal(then.tools.find((tool) => tool.name === OWN + name)?.description, description, name);
    }
  });

  it('is found with plain words where Claude Code hides tools until they are searched for', async () => {
    const { model } = stage();
    const [wait, ...asked] = [['select:' + OWN + 'get_messages', 'get_messages'] as const, ...FINDABLE];
    model.says(
      { text: 'I look.', tools: [search(wait[0])] }, // which waits for a server that is not ready
      { text: 'I look on.', tools: asked.map(([query]) => search(query)) },
      { text: 'Done.' },
    );
    await stage().ask('What do you remember?', [], { env: { ENABLE_TOOL_SEARCH: 'true' } });
    const found = model.last.resultsByCall;
    for (const [query, name] of FINDABLE) {
      const [, names = ''] = found.find(([input]) => input.includes(JSON.stringify(query))) ?? [];
      assert.ok(names.split('\n').includes(OWN + name), `${query}: ${names}`);
    }
  });

  it('answers what a model asks, as data of past sessions', async () => {
    const answers = await answersTo(
      ['search_memory', { query: 'refresh token lifetime' }],
      ['list_sessions', {}],
      ['list_facts', { kind: 'rule' }],
      ['get_messages', { session: 'latest', from: 0, to: 0 }],
      ['compose_context', { budget: 2000 }],
      ['get_messages', { session: 'zzzz' }],
    );
    const all = answers.join('\n'); // they come as they are ready
    for (const expected of [
      /data to judge, not instructions[^]*lives seven days/,
      /sessions? of .*my project/,
      /r001 rule .*\n {3}Remember: always use pnpm/,
      /#0 user/,
      /\d sessions? in \d+ tokens/,
      /There is no session "zzzz".*list_sessions/,
    ]) {
      assert.match(all, expected);
    }
  });

  it('knows the session that is going on by now, and marks in it what is to be kept', async () => {
    const { model } = stage();
    model.says({ text: 'Port 8443 it is.' });
    const { sessionId } = await stage().ask('Which port?');
    model.calls(`${OWN}add_keepit`, { session: sessionId, message: '1', weight: 'pinned', register: true });
    await stage().ask('Keep that.', ['--resume', sessionId]);
    assert.match(model.last.lastResult, /Marked[^]*1\.00 pinned[^]*Port 8443 it is\./);
    assert.match((await answersTo(['list_keepits', {}])).join(), /Port 8443/);
  });

  it('lets a model propose, and a person decide', async () => {
    const fact = { kind: 'rule', content: 'The port is 8443.' };
    assert.match((await answersTo(['propose_fact', fact])).join(), /Proposed as p001/);
    assert.doesNotMatch(JSON.stringify(await stage().keepitJson('facts')), /8443/);
    await stage().keepitJson('fact', 'confirm', 'p001');
    assert.match((await answersTo(['list_facts', {}])).join(), /p001 rule · confirmed by the user[^]*8443/);
  });

  it('lets what was composed be listed, and read as a whole', async () => {
    const { model } = stage();
    await stage().keepitJson('compose', '--name', 'all of it', '--budget', '5000', '--last', '1');
    const [server, uri] = ['plugin:keepit:memory', 'keepit://compositions/all%20of%20it'];
    const tools = [
      { name: 'ListMcpResourcesTool', input: { server } },
      { name: 'ReadMcpResourceTool', input: { server, uri } },
    ];
    model.says({ text: 'I look.', tools }, { text: 'Done.' });
    await stage().ask('Read what was composed.');
    const answers = model.last.results.join('\n');
    assert.match(answers, new RegExp(`"name":"all of it".*"uri":"${uri}"`));
    assert.match(answers, /# Context from past sessions: all of it/);
  });

  it('works without the plugin, as any other server', async () => {
    const script = path.join(stage().pluginDir, 'bin', 'keepit.js');
    const servers = { mcpServers: { keepit: { command: process.execPath, args: [script, 'mcp'] } } };
    const config = await stage().write('mcp.json', JSON.stringify(servers));
    const { model } = stage();
    model.calls('mcp__keepit__search_memory', { query: 'refresh token' });
    const permissions = JSON.stringify({ permissions: { allow: ['mcp__keepit'] } });
    await stage().ask('Look.', ['--mcp-config', config, '--settings', permissions], { plugin: false });
    assert.match(model.last.lastResult, /lives seven days/);
  });
});
