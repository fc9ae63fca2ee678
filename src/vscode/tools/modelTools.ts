import {
  Disposable,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  workspace,
  type CancellationToken,
  type LanguageModelToolInvocationOptions,
} from 'vscode';
import { abortSignalOf } from '../abortSignal';
import type { Feature } from '../feature';
import { MCP_PROVIDER, MODEL_TOOL_PREFIX, modelTools } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Settings } from '../settings';

export interface ModelToolsParts {
  readonly host: MemoryHost;
  readonly settings: Settings;
}

/** Gives memory to models: as tools of VS Code's own chat, and as an MCP server for every agent in it. What it takes is loaded when one asks. */
export class ModelTools implements Feature {
  readonly name = 'memory for models';

  constructor(private readonly parts: ModelToolsParts) {}

  register(): Disposable {
    const tools = modelTools.map((name) =>
      lm.registerTool<object>(MODEL_TOOL_PREFIX + name, {
        invoke: (options, token) => this.invoke(name, options, token),
      }),
    );
    const { host, settings } = this.parts;
    const servers = lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
      onDidChangeMcpServerDefinitions: (listener, thisArgs) => {
        const changed = (): void => void listener.call(thisArgs);
        return Disposable.from(workspace.onDidChangeWorkspaceFolders(changed), settings.onDidChange(changed));
      },
      provideMcpServerDefinitions: async () => {
        const { mcpServers } = await import('./mcpServers');
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
    const { runTool } = await import('./runTool');
    const { service } = await this.parts.host.memory();
    const { text, isError } = await runTool(name, input, service, abortSignalOf(token));
    if (isError) throw new Error(text); // the way in which VS Code tells a model so
    return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
  }
}
