import { hunksOf, type NoteHunk } from '../knowledge/notes/noteFiles';
import { LayersError } from '../knowledge/layerStore';
import type { LayersService } from '../knowledge/layersService';
import { isTrusted, type FactView } from '../knowledge/facts/factViews';
import { decoded, encoded } from '../text/byteText';
import { singleSpaced } from '../text/cleanText';
import { harmless } from './hooks/briefText';
import type { HookStore } from './hooks/hookStore';

type InstructionsName = 'CLAUDE.md' | 'AGENTS.md';

export interface PromoteRequest {
  readonly file: InstructionsName;
  /** Rules and decisions, by their ids. */
  readonly facts?: readonly string[] | undefined;
  /** Also what all summaries say together, as an import of Claude Code's. */
  readonly isMemoryImported?: boolean | undefined;
  /** Takes the same lines out again, where nobody has changed them. */
  readonly isTakenBack?: boolean | undefined;
}

/** What a file of instructions would become. Plain data. */
export interface Promotion {
  readonly file: InstructionsName;
  /** Absolute. */
  readonly path: string;
  /** Undefined where there is no such file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly hunks: readonly NoteHunk[];
}

const HEADING = '## Rules and decisions';
const IMPORT = '@_memory/master.md';

interface PromotingParts {
  readonly layers: Pick<LayersService, 'facts' | 'enabledPlace'>;
  readonly hookStore: Pick<HookStore, 'readInstructions' | 'writeInstructions'>;
}

/**
 * Writes rules and decisions into the file of instructions that every session is given. Lines are added and, where nobody has changed them,
 * taken out again; no other line is touched.
 */
export class Promoting {
  constructor(private readonly parts: PromotingParts) {}

  /** What would be written; nothing is. Throws `LayersError` for a fact that is not there, or is not stated or proved. */
  async propose(projectId: string, request: PromoteRequest): Promise<Promotion> {
    const { projectPath, location } = await this.parts.layers.enabledPlace(projectId, 'read');
    if (projectPath === '' || (request.isMemoryImported === true && location === 'home'))
      throw new LayersError('no-folder', projectPath);
    const lines = await this.lines(projectId, request.facts ?? []);
    const before = await this.read(projectPath, request.file);
    const imports = request.isMemoryImported === true ? [IMPORT] : [];
    const after = request.isTakenBack === true ? without(before, lines, imports) : withLines(before, lines, imports);
    const path = `${projectPath.replace(/[\\/]$/, '')}/${request.file}`;
    return { file: request.file, path, before, after, hunks: hunksOf(before ?? '', after ?? '') };
  }

  /** Writes just that; `false`, and nothing is written, where the file is not what the proposal was made of. */
  async apply(projectId: string, { file, before, after }: Promotion): Promise<boolean> {
    const { projectPath } = await this.parts.layers.enabledPlace(projectId);
    if ((await this.read(projectPath, file)) !== before) return false;
    if (after !== before)
      await this.parts.hookStore.writeInstructions(projectPath, after === undefined ? undefined : encoded(after), file);
    return true;
  }

  private async read(projectPath: string, file: InstructionsName): Promise<string | undefined> {
    const bytes = await this.parts.hookStore.readInstructions(projectPath, file);
    if (bytes === undefined) return undefined;
    const text = decoded(bytes);
    if (encoded(text) !== bytes) throw new LayersError('not-text', file);
    return text;
  }

  private async lines(projectId: string, ids: readonly string[]): Promise<string[]> {
    const facts = await this.parts.layers.facts(projectId, { all: true });
    return ids.map((id) => {
      const fact = facts.find((one) => one.id === id);
      if (fact === undefined || !isTrusted(fact) || fact.kind === 'solutions')
        throw new LayersError('not-promotable', id);
      return lineOf(fact);
    });
  }
}

function lineOf({ content }: FactView): string {
  return `- ${harmless(singleSpaced(content))}`;
}

/** What the file says already, in whatever place, is not said twice. */
function withLines(
  before: string | undefined,
  lines: readonly string[],
  imports: readonly string[],
): string | undefined {
  const said = plain(before ?? '');
  const missing = [...new Set(lines)].filter((line) => !said.includes(plain(line)));
  const missingImports = imports.filter((line) => !linesOf(before ?? '').includes(line));
  if (missing.length + missingImports.length === 0) return before;
  const eol = before?.includes('\r\n') === true ? '\r\n' : '\n';
  const all = linesOf(before ?? '');
  const at = all.indexOf(HEADING);
  if (at !== -1 && missing.length > 0) all.splice(endOfList(all, at), 0, ...missing);
  while (all.at(-1) === '') all.pop();
  const section = at === -1 && missing.length > 0 ? [HEADING, '', ...missing] : [];
  for (const block of [section, missingImports])
    if (block.length > 0) all.push(...(all.length > 0 ? [''] : []), ...block);
  return `${all.join(eol)}${eol}`;
}

/** After the last item of the list below a heading. */
function endOfList(all: readonly string[], heading: number): number {
  let end = heading + 1;
  for (let at = heading + 1; at < all.length && !/^#{1,6}\s/.test(all[at] ?? ''); at++)
    if ((all[at] ?? '').trim() !== '') end = at + 1;
  return end;
}

/** Undefined where nothing but our own lines was in the file. */
function without(before: string | undefined, lines: readonly string[], imports: readonly string[]): string | undefined {
  if (before === undefined) return undefined;
  const eol = before.includes('\r\n') ? '\r\n' : '\n';
  const ours = new Set([...lines, ...imports]);
  const left = linesOf(before).filter((line) => !ours.has(line));
  if (left.length === linesOf(before).length) return before;
  const at = left.indexOf(HEADING);
  if (at !== -1 && endOfList(left, at) === at + 1) left.splice(at, left[at + 1] === '' ? 2 : 1);
  while (left.at(-1) === '') left.pop();
  return left.length === 0 ? undefined : `${left.join(eol)}${eol}`;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/\r?\n/);
}

function plain(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}
