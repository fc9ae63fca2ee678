import { composeContext } from './composeContext';
import { listFacts, proposeFact } from './factTools';
import { getMessages } from './getMessages';
import { addKeepit, listKeepits } from './keepitTools';
import { listSessions } from './listSessions';
import type { MemoryTool } from './memoryTool';
import { recall } from './recall';
import { searchMemory } from './searchMemory';

/** Everything that models can do with memory, in the order in which it is offered. */
export const memoryTools: readonly MemoryTool[] = [
  searchMemory,
  getMessages,
  recall,
  listSessions,
  composeContext,
  listKeepits,
  addKeepit,
  listFacts,
  proposeFact,
];
