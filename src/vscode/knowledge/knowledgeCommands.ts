import { commandIds } from '../ids';

/** The commands of what is known, and what each is called while it runs. */
export const knowledgeCommands = [
  { id: commandIds.enableKnowledge, doing: 'enabling Keepit in a project' },
  { id: commandIds.disableKnowledge, doing: 'disabling Keepit in a project' },
  { id: commandIds.buildLayers, doing: 'building layers' },
  { id: commandIds.openKnowledge, doing: 'going to a source' },
  { id: commandIds.confirmFact, doing: 'confirming a fact' },
  { id: commandIds.editFact, doing: 'editing a fact' },
  { id: commandIds.rejectFact, doing: 'rejecting a fact' },
  { id: commandIds.forgetFact, doing: 'forgetting a fact' },
  { id: commandIds.copyFact, doing: 'copying' },
  { id: commandIds.acceptForeign, doing: 'accepting what was found in a project' },
  { id: commandIds.filterKnowledge, doing: 'filtering what is known' },
  { id: commandIds.clearKnowledgeFilter, doing: 'filtering what is known' },
  { id: commandIds.showMoreKnowledge, doing: 'showing more' },
  { id: commandIds.summarizeSession, doing: 'summarizing' },
  { id: commandIds.synthesizeMemory, doing: 'synthesizing the project memory' },
  { id: commandIds.recallMemory, doing: 'recalling the project memory' },
  { id: commandIds.exportNotebook, doing: 'exporting the notebook' },
  { id: commandIds.importNotebook, doing: 'importing a notebook' },
] as const;

export type KnowledgeCommandId = (typeof knowledgeCommands)[number]['id'];

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
export type KnowledgeHandlers = Readonly<Record<KnowledgeCommandId, (args: readonly unknown[]) => unknown>>;
