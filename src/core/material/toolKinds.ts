import { ownValue } from '../text/ownValue';
import type { SourceTool } from './types';

/** What a tool call was for, as far as its kind tells. */
export type StepKind = 'edit' | 'write' | 'read' | 'command' | 'search' | 'web' | 'agent' | 'plan' | 'todo' | 'other';

const KINDS: readonly (readonly [RegExp, StepKind, string])[] = [
  [/^(?:Edit|MultiEdit|NotebookEdit|Update|apply_patch|str_replace\w*)$/, 'edit', 'Edited'],
  [/^(?:Write|Create|create_file)$/, 'write', 'Wrote'],
  [/^(?:Read|NotebookRead|View)$/, 'read', 'Read'],
  [/^(?:Bash|PowerShell|Shell)$/, 'command', 'Ran'],
  [/^(?:Grep|Glob|LS|ToolSearch)$/, 'search', 'Searched'],
  [/^(?:WebSearch|WebFetch)$/, 'web', 'Looked up'],
  [/^(?:Task|Agent)$/, 'agent', 'Sub-agent:'],
  [/^ExitPlanMode$/, 'plan', 'Plan'],
  [
    /^(?:TodoWrite|TaskCreate|TaskUpdate|TaskList|EnterPlanMode|BashOutput|TaskOutput|AgentOutputTool|KillShell|KillBash|TaskStop|AskUserQuestion)$/,
    'todo',
    'Tasks',
  ],
];

/** What a call is for, and a word for it. */
export function toolKind({ name }: Pick<SourceTool, 'name'>): { readonly kind: StepKind; readonly verb: string } {
  const [, kind, verb] = KINDS.find(([names]) => names.test(name)) ?? [undefined, 'other' as const, name];
  return { kind, verb };
}

/** The harness telling the model how to use a tool: the next step does it right. */
const HARNESS_ERRORS = [
  'has not been read yet',
  'String to replace not found',
  'String not found',
  'replace_all is false',
  'File does not exist',
  'No such tool available',
  'InputValidationError',
  'modified since read',
  'exactly the same',
  'Cancelled: parallel tool call',
  'exceeds maximum allowed tokens',
];

/** Whether a call failed for how it was made: the next step makes it right. */
export function isHarnessError({ isError, result }: SourceTool): boolean {
  const said = result.slice(0, 600);
  return isError && HARNESS_ERRORS.some((error) => said.includes(error));
}

/** What the harness puts below the report of an agent: how to go on with it, and what it cost. */
const REPORT_END = /^agentId: \w|^<usage>total_tokens/;

/** The lines of an agent's report. */
export function reportLines(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => REPORT_END.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

/** Whether a call is there to change a file. */
export function isWriting(tool: Pick<SourceTool, 'name'>): boolean {
  const { kind } = toolKind(tool);
  return kind === 'edit' || kind === 'write';
}

/** The file that a call opens; '' for one that opens none. */
export function fileOf(tool: Pick<SourceTool, 'input'>): string {
  return textOf(tool, 'file_path') || textOf(tool, 'notebook_path');
}

/** A field of a call's input, '' when it is no text. */
export function textOf({ input }: Pick<SourceTool, 'input'>, field: string): string {
  const value = ownValue(input, field);
  return typeof value === 'string' ? value : '';
}
