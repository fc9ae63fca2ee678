import type { SourceTool } from '../../material/types';
import { chunkLines } from './pieces';
import { withoutRoot } from '../../material/projectRoot';

/** A few lines of what a step changed, wrote, read or printed. */
export interface LineChunk {
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
export function shownLines(
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
function editLines({ input }: SourceTool): string[] {
  const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  return edits.flatMap((edit) => {
    if (typeof edit !== 'object' || edit === null) return [];
    const before = 'old_string' in edit && typeof edit.old_string === 'string' ? edit.old_string : '';
    const after = 'new_string' in edit && typeof edit.new_string === 'string' ? edit.new_string : input['new_source'];
    return [...changedLines(before.split('\n'), typeof after === 'string' ? after.split('\n') : []), ''];
  });
}

function changedLines(before: readonly string[], after: readonly string[]): string[] {
  const kept = new Set(before);
  const put = new Set(after);
  const removed = before.filter((line) => line.trim() !== '' && !put.has(line)).map((line) => `- ${line.trim()}`);
  const added = after.filter((line) => line.trim() !== '' && !kept.has(line)).map((line) => `+ ${line.trim()}`);
  return [...removed, ...added];
}

/** What a tool call was for, as far as its kind tells. */
export type StepKind = 'edit' | 'write' | 'read' | 'command' | 'search' | 'web' | 'agent' | 'plan' | 'todo' | 'other';
