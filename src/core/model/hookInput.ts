import { parsedJson } from '../text/ownValue';
import * as z from 'zod/mini';
import { sessionIdSchema, timestampSchema } from './fields';

/** Hooks of ours that see this variable do nothing: a run of ours must not be remembered, nor start another. */
export const MODEL_RUN_VARIABLE = 'KEEPIT_MODEL_RUN';

/** The events of Claude Code that Keepit answers. */
export const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'PreCompact',
  'SessionEnd',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Whether Keepit answers an event at all; later versions of Claude Code have others. */
export function isHookEvent(name: string): name is HookEvent {
  return HOOK_EVENTS.some((event) => event === name);
}

const text = z.optional(z.nullable(z.string()));

/**
 * What Claude Code hands to a hook, as far as Keepit looks at it. A field that a version leaves out, or gives another type, is no reason
 * to give up: only without a session there is nothing to be done.
 */
export const hookInputSchema = z.looseObject({
  session_id: z.string(),
  transcript_path: z.catch(text, undefined),
  cwd: z.catch(text, undefined),
  /** SessionStart: `startup`, `resume`, `clear`, `compact`, `fork`, and what comes after them. */
  source: z.catch(text, undefined),
  /** UserPromptSubmit. */
  prompt: z.catch(text, undefined),
  /** PostToolUse. */
  tool_name: z.catch(text, undefined),
  /** PreToolUse, PostToolUse: of tools that open a file. */
  tool_input: z.catch(z.optional(z.looseObject({ file_path: z.catch(text, undefined) })), undefined),
  /** PreCompact: `manual`, `auto`. */
  trigger: z.catch(text, undefined),
  /** SessionEnd: `clear`, `logout`, `prompt_input_exit`, `other`. */
  reason: z.catch(text, undefined),
  /** Stop: what the transcript often does not have yet. */
  last_assistant_message: z.catch(text, undefined),
});
export type HookInput = z.infer<typeof hookInputSchema>;

/** Undefined for what is no hook input: empty, torn, or without a session. */
export function readHookInput(json: string): HookInput | undefined {
  return hookInputSchema.safeParse(parsedJson(json)).data;
}

/** What hooks ask the background for, the most important last: one of these does also what those before it do. */
export const REQUEST_REASONS = ['start', 'stop', 'interval', 'compact', 'end'] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** `hooks/requests/<sessionId>.<reason>.json`: what a hook has no time for. A newer one replaces an older one of the same name. */
export const hookRequestSchema = z.looseObject({
  sessionId: sessionIdSchema,
  reason: z.enum(REQUEST_REASONS),
  at: timestampSchema,
  /** Where Claude Code writes the session; it may lie anywhere, or not be there yet. */
  transcript: z.optional(z.string()),
  /** A digest of the last answer, which the transcript may not have yet. */
  lastAnswer: z.optional(z.string()),
  /** How often it was tried in vain. */
  failures: z.optional(z.number()),
});
export type HookRequest = z.infer<typeof hookRequestSchema>;
