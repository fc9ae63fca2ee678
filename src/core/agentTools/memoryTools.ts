import type { ToolAnswer, ToolCall } from '../memoryPorts';
import { recall, remember } from './knowledgeTools';
import type { MemoryTool } from './memoryTool';
import { listSessions, readMessages, searchMemory } from './sessionTools';
import { ToolProject, type ToolMemory } from './toolProject';

/** Everything that models can do with memory, in the order in which it is offered. */
export const memoryTools: readonly MemoryTool[] = [searchMemory, readMessages, recall, remember, listSessions];

/** Runs a tool by its name on the project at hand. Throws `TypeError` for a name that no tool has. */
export async function runTool(
  memory: ToolMemory,
  { name, input, folders }: ToolCall,
  now: Date,
  signal?: AbortSignal,
): Promise<ToolAnswer> {
  const tool = memoryTools.find((one) => one.name === name);
  if (tool === undefined) throw new TypeError(`There is no tool ${name}`);
  return tool.run(input, { memory, project: new ToolProject(memory, async () => folders), now, signal });
}
