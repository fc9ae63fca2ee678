import path from 'node:path';
import type { ClaudeStage } from './claudeStage';

/** A server of tools with one page in it, which tells its reader what to do. Written out, and run by Claude Code. */
const server = (page: string) => `
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const tool = { name: 'read', description: 'Reads a page', inputSchema: { type: 'object' } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'pages', version: '1.0.0' };
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') answer(id, { tools: [tool] });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: ${JSON.stringify(page)} }] });
  else if (id !== undefined) answer(id, {});
});
`;

export const PAGE_TOOL = 'mcp__pages__read';

/** Arguments with which `claude` offers the tool, and lets it be called. */
export async function pageServer(stage: ClaudeStage, page: string): Promise<string[]> {
  const script = await stage.write('pages/server.cjs', server(page));
  const config = { mcpServers: { pages: { command: process.execPath, args: [script] } } };
  const file = await stage.write(path.join('pages', 'mcp.json'), JSON.stringify(config));
  return ['--mcp-config', file, '--settings', JSON.stringify({ permissions: { allow: [PAGE_TOOL] } })];
}
