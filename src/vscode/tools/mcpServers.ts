import path from 'node:path';
import { extensions, McpStdioServerDefinition, workspace } from 'vscode';
import * as z from 'zod/mini';
import { EXTENSION_ID } from '../ids';
import type { MemoryFolders } from '../memory/sampleMemory';

const manifestSchema = z.object({ version: z.string() });

/** One server for each folder of the workspace, run by VS Code's own Node: `keepit mcp` on that folder's project. */
export function mcpServers({ claudeDir, memoryDir }: MemoryFolders): McpStdioServerDefinition[] {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const extension = extensions.getExtension<unknown>(EXTENSION_ID);
  if (extension === undefined) return [];
  const { version } = manifestSchema.parse(extension.packageJSON);
  return folders.map(({ uri, name }) => {
    const label = folders.length === 1 ? 'Keepit Memory' : `Keepit Memory: ${name}`;
    const env = {
      ELECTRON_RUN_AS_NODE: '1',
      CLAUDE_PROJECT_DIR: uri.fsPath,
      ...(claudeDir !== undefined && { CLAUDE_CONFIG_DIR: claudeDir }),
      ...(memoryDir !== undefined && { CLAUDE_MEMORY_DIR: memoryDir }),
    };
    // The command line ships once, in the plugin that is carried along.
    const program = path.join(extension.extensionPath, 'dist', 'claude-plugin', 'bin', 'keepit.js');
    const server = new McpStdioServerDefinition(label, process.execPath, [program, 'mcp'], env, version);
    server.cwd = uri;
    return server;
  });
}
