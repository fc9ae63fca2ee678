import * as z from 'zod/mini';

/** What Claude Code's hooks may do. Hooks read it each time they run, so that a switch holds from then on. */
export const hookSettingsSchema = z.looseObject({
  /** Gives a session its id, and what was armed for it or what the project's memory has. */
  sessionStart: z.boolean(),
  /** What a session is told at its start has at most so many tokens. */
  briefTokens: z.number().check(z.int(), z.gte(100)),
  /** Gives rules that were laid down since. */
  userPromptSubmit: z.boolean(),
  /** Gives short reminders with a prompt that memory knows much about. */
  reminders: z.boolean(),
  /** Gives what past sessions decided about a file that is opened or changed. */
  fileNotes: z.boolean(),
  /** Takes in what is new of a session after so many tool calls. */
  postToolUse: z.boolean(),
  /** Takes in what is new of a session after each answer. */
  stop: z.boolean(),
  /** Hands keepits and decisions to Claude Code's own compaction. */
  preCompact: z.boolean(),
  /** Takes in the end of a session. */
  sessionEnd: z.boolean(),
  captureInterval: z.number().check(z.int(), z.gte(1)),
  /** Keeps the project's rules in a block of its `CLAUDE.md`. */
  syncRulesToClaudeMd: z.boolean(),
});
export type HookSettings = z.infer<typeof hookSettingsSchema>;

export const defaultHookSettings: HookSettings = {
  sessionStart: true,
  briefTokens: 400,
  userPromptSubmit: true,
  reminders: true,
  fileNotes: true,
  postToolUse: true,
  stop: true,
  preCompact: true,
  sessionEnd: true,
  captureInterval: 25,
  syncRulesToClaudeMd: false,
};
