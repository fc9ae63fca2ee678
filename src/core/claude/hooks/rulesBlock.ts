import type { HookCard, KeptSession } from '../../model/hookCard';
import type { MemoryStore } from '../../model/memoryStore';
import type { LayersService } from '../../knowledge/layersService';
import { MaterialReader, type MaterialReaderParts } from '../../sessions/sessionMaterial';
import { usualCompression } from '../../keepits/decay';
import { SCHEMA_VERSION } from '../../model/schemaVersion';
import { conversationNotes } from '../../knowledge/notes/conversationNotes';
import { writeNote } from '../../knowledge/notes/noteDocument';
import { readSummary, type PointLabel } from '../../knowledge/notes/trackingPoint';
import type { KeepitService } from '../../sessions/keepits';
import type { SessionRef } from '../../sessions/results';
import type { SessionSources } from '../../sessions/sessionSources';
import type { SliceableTokenCounter } from '../../text/tokens/tokenCounter';
import { runStepsWithPauses } from '../../transcript/steps';
import type { HookStore } from './hookStore';

interface RulesBlockParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly layers: Pick<LayersService, 'status'>;
}

const END = '<!-- keepit:rules:end -->';
const BEGIN = /<!-- keepit:rules:begin (new|[012]) -->/;
const LINE_END = /\r?\n/g;

/** Keeps the rules of a project in a block of its `CLAUDE.md`, for those who asked for that (seed 004). */
export class RulesBlock {
  constructor(private readonly parts: RulesBlockParts) {}

  /** Writes the block, brings it up to date, or takes it out again. Touches no project whose layers are not enabled, but to take it out. */
  async update(projectId: string, card: Pick<HookCard, 'rules' | 'settings'>): Promise<void> {
    const { hookStore, store, layers } = this.parts;
    const projectPath = (await store.readManifest(projectId))?.originalPath ?? '';
    if (projectPath === '') return;
    const isWanted = card.settings.syncRulesToClaudeMd && (await layers.status(projectId)).isEnabled;
    const before = await hookStore.readInstructions(projectPath);
    const rules = isWanted ? card.rules?.text : undefined;
    const after = withRulesBlock(before, rules === undefined ? undefined : asBytes(rules));
    if (after !== before) await hookStore.writeInstructions(projectPath, after);
  }
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

/** UTF-8, each byte as one character: a file of any encoding is left as it is around the block. */
function asBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

interface KeptSessionsParts extends MaterialReaderParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly sources: SessionSources;
  readonly keepits: Pick<KeepitService, 'decayPreview'>;
}

/** Nobody asks how long this is. */
const countsNothing: SliceableTokenCounter = {
  id: 'estimate',
  count: () => 0,
  countBytes: () => 0,
  *countInSlices() {
    yield;
    return 0;
  },
};

/** Finds what of a session must outlive its compaction, and keeps it where the hook finds it. */
export class KeptSessions {
  private readonly material: MaterialReader;

  constructor(private readonly parts: KeptSessionsParts) {
    this.material = new MaterialReader(parts);
  }

  /**
   * Reads the session as it is now. The keepits are there first, because somebody may be waiting for them; the rest takes longer. Throws
   * `SessionLookupError`, `TranscriptUnreadableError`.
   */
  async update(ref: SessionRef, signal?: AbortSignal): Promise<KeptSession> {
    const source = await this.parts.sources.locate(ref, signal);
    const keepits = await this.survivors(ref, signal);
    const { bytes } = source.file;
    const before = (await this.parts.hookStore.keptSessions(ref.projectId, 1, ref.sessionId))[0];
    const known = { at: before?.at ?? '', title: before?.title ?? '' };
    const { decisions = [], openEnds = [] } = before ?? {};
    const base = { version: SCHEMA_VERSION, sessionId: ref.sessionId, bytes, keepits };
    await this.parts.hookStore.saveKept(ref.projectId, { ...base, ...known, decisions, openEnds });
    const { messages, title } = await this.material.read(source.file.path, countsNothing, signal);
    const notes = conversationNotes({ sessionId: ref.sessionId, title, messages });
    const sections = await runStepsWithPauses(notes, this.parts.pause, signal);
    const { points } = readSummary(
      writeNote(sections.map(({ heading, blocks }) => ({ heading, blocks: blocks.map(({ text }) => text) }))),
    );
    const textsOf = (...labels: PointLabel[]): string[] =>
      points.filter(({ label }) => labels.includes(label)).map(({ text }) => text);
    const kept: KeptSession = {
      ...base,
      title,
      at: messages.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp ?? known.at,
      decisions: textsOf('Decision', 'Rule'),
      openEnds: textsOf('Open', 'Question'),
    };
    await this.parts.hookStore.saveKept(ref.projectId, kept);
    return kept;
  }

  /** The keepits that the project's usual compression would keep at its hardest, pinned ones first. */
  private async survivors(ref: SessionRef, signal?: AbortSignal): Promise<KeptSession['keepits']> {
    const { store, keepits } = this.parts;
    const manifest = await store.readManifest(ref.projectId);
    const { defaults } = await store.readConfig();
    const usual = usualCompression(manifest?.settings.defaultCompressionPreset ?? defaults.compressionPreset);
    const { markers, isDecayOn } = await keepits.decayPreview(ref, usual, signal);
    return markers
      .filter(({ survives }) => survives || !isDecayOn)
      .map(({ weight, content }) => ({ weight, text: content }))
      .sort((a, b) => b.weight - a.weight);
  }
}
