import type { Answer, Command } from '../command';

export const mcp: Command = {
  name: 'mcp',
  group: 'Keepit itself',
  summary: 'Serve memory to agents, as an MCP server over stdin and stdout',
  details: [
    'Agents start it themselves; at a terminal there is nothing to see. It offers tools to search memory, read messages, recall, list sessions, keepits and facts, compose contexts, mark keepits and propose facts, and the synthesis and compositions as resources.',
    'It works on the project of the folder that it is started in; CLAUDE_PROJECT_DIR, or the roots that a client tells, go first.',
    'To add it to Claude Code without the plugin: claude mcp add keepit -- keepit mcp',
  ],
  args: [],
  options: {},
  examples: ['mcp'],
  run(input): Promise<Answer> {
    // `keepit mcp` alone never comes here: the server is a program of its own, and stdout is its protocol's.
    throw input.wrong('The server takes no options: keepit mcp');
  },
};
