import path from 'node:path';
import {
  Disposable,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  window,
  workspace,
  extensions,
  McpStdioServerDefinition,
  type CancellationToken,
  type LanguageModelToolInvocationOptions,
} from 'vscode';
import * as z from 'zod/mini';
import type { Uses } from '../context';
import { abortSignalOf } from '../progressMessage';
import type { Feature } from '../feature';
import { MCP_PROVIDER, MODEL_TOOL_PREFIX, modelTools, EXTENSION_ID } from '../ids';
import type { MemoryFolders } from '../memory/sampleMemory';

/** Gives memory to models: as tools of VS Code's own chat, and as an MCP server for every agent in it. */
export class ModelTools implements Feature {
  readonly name = 'memory for models';

  constructor(private readonly context: Uses<'host' | 'memory' | 'settings'>) {}

  register(): Disposable {
    const tools = modelTools.map((name) =>
      lm.registerTool<object>(MODEL_TOOL_PREFIX + name, {
        invoke: (options, token) => this.invoke(name, options, token),
      }),
    );
    const { host, settings } = this.context;
    const servers = lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
      onDidChangeMcpServerDefinitions: (listener, thisArgs) => {
        const changed = () => void listener.call(thisArgs);
        return Disposable.from(workspace.onDidChangeWorkspaceFolders(changed), settings.onDidChange(changed));
      },
      provideMcpServerDefinitions: async () => {
        return mcpServers(host.folders);
      },
    });
    return Disposable.from(...tools, servers);
  }

  private async invoke(
    name: string,
    { input }: LanguageModelToolInvocationOptions<object>,
    token: CancellationToken,
  ): Promise<LanguageModelToolResult> {
    const { memory } = this.context;
    const call = { name, input, folders: foldersOfWindow() };
    const { text, isError } = await memory.tools.run(call, abortSignalOf(token));
    if (isError) throw new Error(text); // the way in which VS Code tells a model so
    return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
  }
}

/** The folder of the active editor first: that is the project that is meant. */
function foldersOfWindow(): string[] {
  const active = window.activeTextEditor?.document.uri;
  const own = active === undefined ? undefined : workspace.getWorkspaceFolder(active);
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const inOrder = own?.uri.scheme === 'file' ? [own, ...folders.filter((folder) => folder !== own)] : folders;
  return inOrder.map(({ uri }) => uri.fsPath);
}

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
