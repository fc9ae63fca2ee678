import { onlyLooks, withShortPaths } from '../material/commands';
import { changesIn } from '../material/deeds';
import { isHarnessError, reportLines, textOf, toolKind, type StepKind, isWriting } from '../material/toolKinds';
import { bareLine, isReply, outcomeOf, resultLines } from '../material/toolOutcome';
import type { SourceTool } from '../material/types';

const LONGEST_LINE = 240;

/** A call as a passage tells it. */
export interface StepText {
  /** What was called in the first line, and what came of it indented below. */
  readonly text: string;
  /** It changed or proved something. */
  readonly isDeed: boolean;
}

/**
 * A call with what is there of its answer; undefined where that tells nothing: the task list and plans are told in words of their own, the
 * next call makes a wrong one right, and what was looked for and not found was looked for elsewhere. `reply` is what the human said next,
 * which some clients write as the result of a refused call.
 */
export function stepText(tool: SourceTool, reply: string): StepText | undefined {
  if (SILENT.has(toolKind(tool).kind) || isHarnessError(tool) || isReply(tool, reply)) return undefined;
  const all = resultLines(tool).filter((line) => line.trim() !== '');
  const { isError, isRefused, line } = outcomeOf(tool, all);
  const isDeed = isWriting(tool) || isDoing(tool);
  // What a tool answers to a change only says that it was made.
  const lines = isWriting(tool) && !isError ? changedLines(tool) : reportLines(all);
  if (isRefused || (lines.length === 0 && !isDeed)) return undefined;
  const outcome = isDoing(tool) ? outcomeText(line, isError) : '';
  const shown = outcome === '' ? lines : lines.filter((one) => bareLine(one) !== line && !EXIT_CODE.test(one));
  const isReport = toolKind(tool).kind === 'agent';
  // Indented, so that any of its lines can be left out, and none is taken for a heading or a fence.
  const below = shown.map((one) => `\n    ${isReport ? one : cut(one)}`);
  return { text: `${tool.name}: ${aboutText(tool)}${outcome}${below.join('')}`, isDeed };
}

/** Whether a command failed is said beside it. */
const EXIT_CODE = /^Exit code \d+$/;

const SILENT: ReadonlySet<StepKind> = new Set(['todo', 'plan']);

/** A command that does more than look. */
function isDoing(tool: SourceTool): boolean {
  return toolKind(tool).kind === 'command' && !onlyLooks(textOf(tool, 'command'));
}

function changedLines(tool: SourceTool): string[] {
  return changesIn(tool).flatMap(({ removed, added }) => [
    ...removed.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
  ]);
}

/** What a call is about: of one that no field of its input names, its longest text says it best. */
function aboutText(tool: SourceTool): string {
  if (isWriting(tool)) return fileOf(tool);
  const texts = Object.values(tool.input).filter((value) => typeof value === 'string');
  const [longest = ''] = texts.toSorted((a, b) => b.length - a.length);
  return bareLine(textOf(tool, 'command') || tool.target.trim() || longest);
}

function outcomeText(line: string, isError: boolean): string {
  const failed = isError ? ' failed' : '';
  return line === '' ? failed : `${failed}: ${bareLine(line, LONGEST_OUTCOME)}`;
}

function cut(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE).trimEnd()}…`;
}

const MOST_DEEDS = 12;
const LONGEST_COMMAND = 100;
const LONGEST_OUTCOME = 120;

/** The files that were changed, and the commands that changed or proved something, with what came of them; '' for none. */
export function deedsText(tools: readonly SourceTool[], reply: string): string {
  const files = new Set(tools.flatMap((tool) => (isWriting(tool) && !tool.isError ? [fileOf(tool)] : [])));
  const commands = new Map<string, string>();
  for (const tool of tools) {
    const { command } = tool.input;
    if (typeof command !== 'string') continue;
    const { isError, line, isRefused } = outcomeOf(tool, resultLines(tool));
    if (isRefused || isReply(tool, reply) || (onlyLooks(command) && !isError)) continue;
    const name = bareLine(withShortPaths(command.split('\n', 1)[0] ?? ''), LONGEST_COMMAND);
    commands.delete(name);
    commands.set(name, `\`${name}\`${outcomeText(line, isError)}`);
  }
  return [
    ...(files.size === 0 ? [] : [`Changed ${[...files].join(', ')}`]),
    ...[...commands.values()].slice(-MOST_DEEDS).map((command) => `Ran ${command}`),
  ].join('\n');
}

function fileOf(tool: SourceTool): string {
  return withShortPaths(textOf(tool, 'file_path') || textOf(tool, 'notebook_path') || tool.target);
}

/** What a tool answered is cut into so many characters, at the ends of lines. */
const STEP_CHARACTERS = 300;

/** The first line of a step, which says something alone only if it tells of a deed, and what is below it. */
export function stepPieces(text: string, isDeed: boolean): [number, number][] {
  const pieces: [number, number][] = [];
  let start = 0;
  let end = 0;
  for (const line of text.split('\n')) {
    const next = end === 0 ? line.length : end + 1 + line.length;
    const isHead = isDeed && pieces.length === 0;
    const isFull = end > start && (isHead || next - start > STEP_CHARACTERS);
    if (isFull) {
      pieces.push([start, end]);
      start = end + 1;
    }
    end = next;
  }
  return [...pieces, [start, end]];
}
