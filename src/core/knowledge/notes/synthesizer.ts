import { hash64 } from '../../text/hash64';
import type { NotebookState } from '../../model/notebook';
import { ownValue } from '../../text/ownValue';
import { type NoteSection, readSummary } from './noteDocument';
import type { NoteChange, NoteDraft, NoteFiles } from './noteFiles';
import { type ProjectLook, NotebookError } from '../layerStore';
import { gather, masterNote, partNote, prunable, type SourceSummary } from './synthesis';

export const MASTER = 'master.md';
export const CONVERSATIONS = 'conversations';
const ARCHIVE = 'archive/master.md';
const MAX_MASTER_TOKENS = 8000;

/** What a synthesis found, and what it would make, or has made, of `master.md`. */
export interface Synthesized extends NoteChange {
  /** All summaries, and those that are new, or have changed, since the last synthesis. */
  readonly sources: readonly string[];
  readonly newSources: readonly string[];
  readonly docs: readonly string[];
  readonly tokens: number;
  /** How many points were let go of for the sake of the size; they are in `archive/master.md`. */
  readonly pruned: number;
}

/** All that a synthesis writes, to the byte. Plain data. */
export interface SynthesisPlan {
  readonly scope?: string | undefined;
  /** In this order: what is let go of is in the archive before it leaves the note. */
  readonly drafts: readonly NoteDraft[];
  readonly synthesis: NonNullable<NotebookState['synthesis']>;
  /** Of the notebook that it was made of. */
  readonly mark: string;
}

export interface PlannedSynthesis {
  readonly found: Synthesized;
  /** Absent when nothing is new. */
  readonly plan?: SynthesisPlan;
}

export interface SynthesizerOptions {
  /** The summaries' own, absolute. */
  readonly folder: string;
  readonly look: (paths: readonly string[]) => Promise<ProjectLook>;
  readonly count: (text: string) => number;
  readonly nowIso: string;
  /** Also when nothing is new. */
  readonly isFull?: boolean | undefined;
  readonly maxTokens?: number | undefined;
}

/** Works out what `master.md` is to become; writes nothing. Throws `NotebookError` where there is nothing to put together. */
export async function planSynthesis(
  notes: NoteFiles,
  { folder, look: lookAt, count, nowIso, isFull, maxTokens = MAX_MASTER_TOKENS }: SynthesizerOptions,
): Promise<PlannedSynthesis> {
  const mark = await markOf(notes);
  const stats = await statsOf(notes);
  const current = await notes.read(MASTER);
  if (stats.size === 0 && current === undefined) throw new NotebookError('no-summaries', folder);
  const gathered = gather(await summariesIn(notes, stats));
  const look = await lookAt(gathered.paths);
  const newSources = newSourcesOf(notes, stats);
  const project = hash64(JSON.stringify([look, maxTokens]));
  const known = { sources: [...stats.keys()], newSources, docs: look.docs.map((doc) => doc.file) };
  const isSame = newSources.length === 0 && current !== undefined && notes.synthesis?.project === project;
  const isGone = Object.keys(notes.synthesis?.sources ?? {}).some((name) => !stats.has(name));
  if (isSame && !isGone && isFull !== true) {
    const name = notes.nameOf(MASTER);
    const unchanged = { name, outcome: 'unchanged', before: current, after: current, hunks: [] } as const;
    return { found: { ...known, ...unchanged, tokens: count(current), pruned: 0 } };
  }
  const order = prunable(gathered);
  const { kept, pruned, figures } = await fit(notes, masterNote(gathered, look, nowIso), { order, count, maxTokens });
  const master = await notes.draft(MASTER, kept);
  const hasArchive = figures.pruned > 0 || (await notes.read(ARCHIVE)) !== undefined;
  const drafts = [...(hasArchive ? [await notes.draft(ARCHIVE, pruned)] : []), master];
  const synthesis = { at: nowIso, sources: Object.fromEntries(stats), project };
  return { found: { ...known, ...master.change, ...figures }, plan: { scope: notes.scope, drafts, synthesis, mark } };
}

/** Tells a notebook from itself after anything has happened that a synthesis depends on. */
export async function markOf(notes: NoteFiles): Promise<string> {
  const texts = [await notes.read(MASTER), await notes.read(ARCHIVE)];
  const known = [notes.stateOf(MASTER), notes.stateOf(ARCHIVE), notes.synthesis];
  return hash64(JSON.stringify([texts, known, [...(await statsOf(notes))]]));
}

/** Summaries that are new, or have changed, since the last synthesis. */
export async function newSourcesIn(notes: NoteFiles): Promise<string[]> {
  return newSourcesOf(notes, await statsOf(notes));
}

interface Stat {
  bytes: number;
  mtimeMs: number;
}

async function statsOf(notes: NoteFiles): Promise<Map<string, Stat>> {
  const stats = new Map<string, Stat>();
  for (const name of await notes.names(CONVERSATIONS)) {
    const stat = await notes.stat(`${CONVERSATIONS}/${name}`);
    if (stat !== undefined) stats.set(name, stat);
  }
  return stats;
}

function newSourcesOf(notes: NoteFiles, stats: ReadonlyMap<string, Stat>): string[] {
  const known = notes.synthesis?.sources ?? {};
  return [...stats].flatMap(([name, { bytes, mtimeMs }]) => {
    const before = ownValue(known, name);
    return before?.bytes === bytes && before.mtimeMs === mtimeMs ? [] : [name];
  });
}

async function summariesIn(notes: NoteFiles, stats: ReadonlyMap<string, Stat>): Promise<SourceSummary[]> {
  const summaries: SourceSummary[] = [];
  for (const [name, { mtimeMs }] of stats) {
    const summary = readSummary((await notes.read(`${CONVERSATIONS}/${name}`)) ?? '');
    summaries.push({ name, summary, date: summary.date ?? new Date(mtimeMs).toISOString().slice(0, 10) });
  }
  return summaries;
}

/** Lets go of the oldest points until the note, with what people wrote into it, is small enough. */
async function fit(
  notes: NoteFiles,
  sections: readonly NoteSection[],
  { order, count, maxTokens }: { order: readonly string[]; count: (text: string) => number; maxTokens: number },
): Promise<{ kept: NoteSection[]; pruned: NoteSection[]; figures: { tokens: number; pruned: number } }> {
  const sizes = new Map(
    sections.flatMap(({ blocks }) => blocks.map(({ key, text }) => [key, count(text) + 1] as const)),
  );
  const left = order.filter((key) => sizes.has(key));
  const gone = new Set<string>();
  for (;;) {
    const parted = partNote(sections, gone);
    const tokens = count((await notes.draft(MASTER, parted.kept)).change.after);
    if (tokens <= maxTokens || left.length === 0) return { ...parted, figures: { tokens, pruned: gone.size } };
    for (let over = tokens - maxTokens; over > 0 && left.length > 0;) {
      const key = left.shift() ?? '';
      gone.add(key);
      over -= sizes.get(key) ?? 0;
    }
  }
}
