import { window, workspace } from 'vscode';
import { memoryTools } from '../../core/agentTools/memoryTools';
import type { ToolAnswer } from '../../core/agentTools/memoryTool';
import { ToolProject, type ToolMemory } from '../../core/agentTools/toolProject';

/** Runs one of the memory's tools on the project of the window: that of the active editor, else the first one. */
export async function runTool(
  name: string,
  input: unknown,
  memory: ToolMemory,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const tool = memoryTools.find((one) => one.name === name);
  if (tool === undefined) throw new TypeError(`There is no tool ${name}`);
  const project = new ToolProject(memory, async () => foldersOfWindow());
  return tool.run(input, { memory, project, now: new Date(), signal });
}

function foldersOfWindow(): string[] {
  const active = window.activeTextEditor?.document.uri;
  const own = active === undefined ? undefined : workspace.getWorkspaceFolder(active);
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const inOrder = own?.uri.scheme === 'file' ? [own, ...folders.filter((folder) => folder !== own)] : folders;
  return inOrder.map(({ uri }) => uri.fsPath);
}
