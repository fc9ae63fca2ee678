import { commandIds } from '../ids';

/** The commands of what Keepit does inside Claude Code, and what each is called while it runs. */
export const insideCommands = [
  { id: commandIds.setUpClaudeCode, doing: 'setting up Claude Code' },
  { id: commandIds.removeFromClaudeCode, doing: 'removing Keepit from Claude Code' },
  { id: commandIds.switchHook, doing: 'switching a hook' },
  { id: commandIds.openActivity, doing: 'opening what a hook did' },
  { id: commandIds.copyActivity, doing: 'copying' },
  { id: commandIds.showMoreActivity, doing: 'showing more' },
  { id: commandIds.openHookLog, doing: 'opening the log of hooks' },
] as const;

export type InsideCommandId = (typeof insideCommands)[number]['id'];

/** What each command does; arguments are whatever menus, keys and other extensions pass. */
export type InsideHandlers = Readonly<Record<InsideCommandId, (args: readonly unknown[]) => unknown>>;
