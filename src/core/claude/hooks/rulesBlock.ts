import type { MemoryStore } from '../../model/host';
import type { LayersService } from '../../knowledge/layersService';
import type { HookSettings } from '../../model/hookSettings';
import type { FactView } from '../../knowledge/facts/factViews';
import { encoded } from '../../text/byteText';
import { factItem } from './briefMaker';
import { itemsText } from './briefText';
import type { HookStore } from './hookStore';

interface RulesBlockParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly layers: Pick<LayersService, 'status'>;
}

const END = '<!-- keepit:rules:end -->';

const BEGIN = /<!-- keepit:rules:begin (new|[012]) -->/;

const LINE_END = /\r?\n/g;

/** Writes the block, brings it up to date, or takes it out again. Touches no project whose layers are not enabled, but to take it out. */
export async function updateRulesBlock(
  parts: RulesBlockParts,
  projectId: string,
  { settings, rules: facts }: { readonly settings: HookSettings; readonly rules: readonly FactView[] },
): Promise<void> {
  const { hookStore, store, layers } = parts;
  const projectPath = (await store.readManifest(projectId))?.originalPath ?? '';
  if (projectPath === '') return;
  const isWanted = settings.syncRulesToClaudeMd && (await layers.status(projectId)).isEnabled;
  const before = await hookStore.readInstructions(projectPath);
  const rules = isWanted && facts.length > 0 ? itemsText(facts.map(factItem)) : undefined;
  const after = withRulesBlock(before, rules === undefined ? undefined : encoded(rules));
  if (after !== before) await hookStore.writeInstructions(projectPath, after);
}

/**
 * A file with the block of rules in it, or without it. Everything else stays as it was, to the byte: line ends, a byte order mark, a missing
 * newline at the end; taking the block out gives what was there before it came. Undefined stands for no file.
 */
export function withRulesBlock(file: string | undefined, rules: string | undefined): string | undefined {
  const found = file === undefined ? undefined : findBlock(file);
  if (rules === undefined) return found === undefined ? file : found.without;
  const eol = file?.includes('\r\n') === true ? '\r\n' : '\n';
  const block = (gap: string): string =>
    [`<!-- keepit:rules:begin ${gap} -->`, ...rules.split('\n'), END].join(eol) + eol;
  if (file !== undefined && found !== undefined) {
    return file.slice(0, found.start) + block(found.gap) + file.slice(found.end);
  }
  if (file === undefined) return block('new');
  const gap = file === '' ? 0 : file.endsWith('\n') ? 1 : 2;
  return file + eol.repeat(gap) + block(String(gap));
}

interface FoundBlock {
  readonly start: number;
  readonly end: number;
  /** How many line ends were put before it, or that there was no file. */
  readonly gap: string;
  /** What the file is without the block. */
  readonly without: string | undefined;
}

/** Undefined too where only one of the two marks is left: nobody knows then what is between them. */
function findBlock(file: string): FoundBlock | undefined {
  const begin = BEGIN.exec(file);
  const close = begin === null ? -1 : file.indexOf(END, begin.index);
  if (begin === null || close === -1) return undefined;
  const [, gap = '0'] = begin;
  const start = begin.index;
  const end = close + END.length + (/^\r?\n/.exec(file.slice(close + END.length))?.[0].length ?? 0);
  const before = file.slice(0, start - gapLength(file.slice(0, start), Number(gap)));
  const rest = before + file.slice(end);
  return { start, end, gap, without: gap === 'new' && rest === '' ? undefined : rest };
}

/** So many line ends at the end of what stands before the block; fewer where somebody took some out. */
function gapLength(before: string, count: number): number {
  const ends = [...before.matchAll(LINE_END)].slice(before.length === 0 || !(count > 0) ? Infinity : -count);
  let length = 0;
  for (const [end] of ends.reverse()) {
    if (!before.slice(0, before.length - length).endsWith(end)) break;
    length += end.length;
  }
  return length;
}
