import type { SourceTool } from '../../material/types';
import { changesIn } from '../../material/deeds';
import { withoutRoot } from '../../material/projectRoot';
import { bareLine, outcomeOf, resultLines, type Outcome } from '../../material/toolOutcome';
import { onlyLooks } from '../../material/commands';
import { isHarnessError, reportLines, textOf, toolKind, type StepKind } from '../../material/toolKinds';
import { chunkLines } from './pieces';

/** A few lines of what a step changed, wrote, read or printed. */
interface LineChunk {
  readonly text: string;
  /** They stood elsewhere before, or only part other lines: there to be said where nearly everything is. */
  readonly isRepeat: boolean;
}

/** Rules, underlinings and headers of test runners: they part lines, and say nothing. */
const NOISE =
  /^[^\p{L}\p{N}]*$|^[=_─-]{3}.*[=_─-]{3}$|^(?:platform|rootdir|configfile|plugins|cachedir|testpaths|collecting|benchmark):? /u;
/** Shorter lines (`}`, `else:`) may stand in many places and mean something else each time. */
const SHORTEST_KEY = 12;
const LONGEST_KEY = 200;
const MOST_CHUNKS = 400;

/** Tells lines that are new from those that a session has shown before. */
export class SeenLines {
  private readonly seen = new Set<string>();

  /** Paths in lines come without `root`; without `hasRepeats`, what is not new is left out. */
  constructor(
    private readonly root: string,
    private readonly hasRepeats: boolean,
  ) {}

  /** The lines in chunks, in order; what is shown is seen from then on. `extra` lines are no more than repeats. */
  chunks({ lines, extra }: { readonly lines: readonly string[]; readonly extra: readonly string[] }): LineChunk[] {
    const chunks: LineChunk[] = [];
    let run: string[] = [];
    let isRepeat = false;
    const flush = (): void => {
      if (!isRepeat || this.hasRepeats) for (const text of chunkLines(run)) chunks.push({ text, isRepeat });
      run = [];
    };
    const add = (raw: string, isExtra: boolean): void => {
      const line = withoutRoot(raw, this.root);
      const isOld = line.trim() === '' ? isRepeat : this.isOld(line) || isExtra;
      if (isOld !== isRepeat) flush();
      isRepeat = isOld;
      run.push(line);
    };
    for (const line of lines) add(line, false);
    if (this.hasRepeats) for (const line of extra) add(line, true);
    flush();
    return chunks.slice(0, MOST_CHUNKS);
  }

  private isOld(line: string): boolean {
    const key = line
      .replace(/^[+-] /, '')
      .trim()
      .slice(0, LONGEST_KEY);
    if (NOISE.test(line) || this.seen.has(key)) return true;
    if (key.length >= SHORTEST_KEY) this.seen.add(key);
    return false;
  }
}

/** What of a step is worth showing: what it changed or wrote, else what it printed. */
function shownLines(
  tool: SourceTool,
  kind: StepKind,
  printed: readonly string[],
): { readonly lines: readonly string[]; readonly extra: readonly string[] } {
  if (kind === 'agent' || kind === 'plan' || kind === 'todo') return { lines: [], extra: [] };
  if (kind === 'edit') return { lines: editLines(tool), extra: printed };
  const { content } = tool.input;
  return kind === 'write' && typeof content === 'string'
    ? { lines: content.split('\n'), extra: [] }
    : { lines: printed, extra: [] };
}

/** What an edit took out and put in, line by line, marked as diffs are. */
function editLines(tool: SourceTool): string[] {
  return changesIn(tool).flatMap(({ removed, added }) => [
    ...removed.map((line) => `- ${line.trim()}`),
    ...added.map((line) => `+ ${line.trim()}`),
    '',
  ]);
}

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

const LONGEST_COMMAND = 160;

/** Condenses one tool call. Paths come without the project's root. */
export function readStep(tool: SourceTool, root: string, lookedAt: SeenLines): Step {
  const { kind, verb } = toolKind(tool);
  const lines = resultLines(tool).map((line) => withoutRoot(line, root));
  const read = outcomeOf(tool, lines);
  const outcome = isHarnessError(tool) ? { ...read, line: '' } : read;
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
  if (kind === 'agent' && !tool.isError) return reportLines(lines).join('\n');
  return '';
}
