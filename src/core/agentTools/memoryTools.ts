import { recall, remember } from './knowledgeTools';
import type { MemoryTool } from './memoryTool';
import { listSessions, readMessages, searchMemory } from './sessionTools';

/** Everything that models can do with memory, in the order in which it is offered. */
export const memoryTools: readonly MemoryTool[] = [searchMemory, readMessages, recall, remember, listSessions];
