import { shownLines, type LineChunk, type SeenLines, type StepKind } from './stepLines';
import { bareLine, outcomeOf, resultLines, type Outcome } from '../../material/toolOutcome';
import { onlyLooks } from '../../material/commands';
import type { SourceMessage, SourceTool } from '../../material/types';
import { withoutRoot } from '../../material/projectRoot';
import { ownValue } from '../../text/ownValue';

/** One tool call, condensed. */
export interface Step {
  readonly kind: StepKind;
  readonly verb: string;
  /** What it was done to: a path, a command in backticks, a pattern. */
  readonly object: string;
  readonly outcome: Outcome;
  /** Markdown that the step brought: an agent's report, a plan. */
  readonly prose: string;
  /** What it changed, wrote or read, in chunks of lines. */
  readonly details: readonly LineChunk[];
  /** A command that changes nothing. */
  readonly onlyLooks: boolean;
}

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

/** The harness telling the model how to use a tool: the next step does it right. */
const HARNESS_ERROR =
  /has not been read yet|String to replace not found|String not found|replace_all is false|File does not exist|No such tool available|InputValidationError|modified since read|exactly the same|Cancelled: parallel tool call|exceeds maximum allowed tokens/;

const LONGEST_COMMAND = 160;

/** Condenses one tool call. Paths come without the project's root. */
export function readStep(tool: SourceTool, root: string, lookedAt: SeenLines): Step {
  const [, kind, verb] = KINDS.find(([name]) => name.test(tool.name)) ?? [undefined, 'other' as const, tool.name];
  const lines = resultLines(tool).map((line) => withoutRoot(line, root));
  const read = outcomeOf(tool, lines);
  const outcome = read.isError && HARNESS_ERROR.test(tool.result.slice(0, 600)) ? { ...read, line: '' } : read;
  return {
    kind,
    verb,
    object: objectOf(tool, kind, root),
    outcome,
    prose: proseOf(tool, kind, lines),
    details: outcome.isRefused ? [] : lookedAt.chunks(shownLines(tool, kind, lines)),
    onlyLooks: kind === 'command' && onlyLooks(textOf(tool, 'command')),
  };
}

/** Whether a failed step only tells that the next one does the same. */
export function isHarnessFailure({ outcome }: Step): boolean {
  return outcome.isError && !outcome.isRefused && outcome.line === '';
}

function objectOf(tool: SourceTool, kind: StepKind, root: string): string {
  if (kind === 'command') return commandText(tool, root);
  const target = withoutRoot(bareLine(textOf(tool, 'file_path') || textOf(tool, 'notebook_path') || tool.target), root);
  if (kind !== 'search') return target;
  const pattern = bareLine(textOf(tool, 'pattern') || textOf(tool, 'query') || tool.target, LONGEST_COMMAND);
  const place = withoutRoot(textOf(tool, 'path') || textOf(tool, 'glob'), root);
  return place === '' || place === pattern ? inCode(pattern) : `${inCode(pattern)} in ${place}`;
}

/** A command as one line; a script that was handed to a program is told by what it was for. */
function commandText(tool: SourceTool, root: string): string {
  const command = textOf(tool, 'command') || tool.target;
  const [first = ''] = command.trim().split('\n', 1);
  const isScript = command.trim().includes('\n') || first.length > LONGEST_COMMAND;
  const line = withoutRoot(
    bareLine(
      isScript ? first.replace(/(?<!\s)\s*(?:"\$\(cat )?<<-?\s*['"]?\w[^]*$|(?<!\s)\s*["']$/, '') : first,
      LONGEST_COMMAND,
    ),
    root,
  );
  const purpose = textOf(tool, 'description');
  return isScript && purpose !== '' ? `${inCode(line)} (${bareLine(purpose, LONGEST_COMMAND)})` : inCode(line);
}

function inCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function proseOf(tool: SourceTool, kind: StepKind, lines: readonly string[]): string {
  if (kind === 'plan') return textOf(tool, 'plan');
  if (kind === 'agent' && !tool.isError)
    return lines.filter((line) => !/^(?:agentId:|<usage>|<\/usage>)/.test(line)).join('\n');
  return '';
}

/** The tasks that a list of tasks leaves open; empty for any other step. */
export function openTasks({ input, name }: SourceTool): string[] {
  if (name !== 'TodoWrite' || !Array.isArray(input['todos'])) return [];
  return input['todos'].flatMap((todo: unknown) => {
    if (typeof todo !== 'object' || todo === null || !('content' in todo) || typeof todo.content !== 'string')
      return [];
    return 'status' in todo && todo.status === 'completed' ? [] : [bareLine(todo.content)];
  });
}

/** The last list of tasks of a session: what it leaves open is what is left to do. */
export function lastTaskList(messages: readonly SourceMessage[]): SourceTool | undefined {
  return messages.flatMap(({ tools }) => tools).findLast(({ name }) => name === 'TodoWrite');
}

/** A field of a call's input, '' when it is no text. */
function textOf({ input }: SourceTool, field: string): string {
  const value = ownValue(input, field);
  return typeof value === 'string' ? value : '';
}
