import { settingsOf } from '../../model/manifest';
import { MaterialReader, type MaterialReaderParts } from '../../sessions/sessionMaterial';
import type { MemoryStore } from '../../model/memoryStore';
import type { SessionIndex } from '../../sessions/sessionIndex';
import type { KeepitService } from '../../sessions/keepits';
import { countsNothing } from '../../transcript/uncounted';
import type { SessionRef } from '../../sessions/results';
import type { KeptSession } from '../../model/hookCard';
import { SCHEMA_VERSION } from '../../model/schemaVersion';
import { conversationNotes } from '../../knowledge/notes/conversationNotes';
import { readSummary, type PointLabel } from '../../knowledge/notes/trackingPoint';
import { writeNote } from '../../knowledge/notes/noteDocument';
import { usualCompression } from '../../keepits/decay';
import type { HookStore } from './hookStore';

export interface KeptSessionsParts extends MaterialReaderParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly sources: SessionIndex;
  readonly keepits: Pick<KeepitService, 'decayPreview'>;
}

/**
 * Finds what of a session must outlive its compaction, and keeps it where the hook finds it. The keepits are there first, because somebody may be waiting for them; the rest takes longer. Throws
 * `SessionLookupError`, `TranscriptUnreadableError`.
 */
export async function updateKeptSession(
  parts: KeptSessionsParts,
  ref: SessionRef,
  signal?: AbortSignal,
): Promise<KeptSession> {
  const source = await parts.sources.locate(ref, signal);
  const keepits = await survivors(parts, ref, signal);
  const { bytes } = source.file;
  const before = (await parts.hookStore.keptSessions(ref.projectId, 1, ref.sessionId))[0];
  const known = { at: before?.at ?? '', title: before?.title ?? '' };
  const { decisions = [], openEnds = [] } = before ?? {};
  const base = { version: SCHEMA_VERSION, sessionId: ref.sessionId, bytes, keepits };
  await parts.hookStore.saveKept(ref.projectId, { ...base, ...known, decisions, openEnds });
  const { messages, title } = await new MaterialReader(parts).read(source.file.path, countsNothing, signal);
  signal?.throwIfAborted();
  const sections = conversationNotes({ sessionId: ref.sessionId, title, messages });
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
  await parts.hookStore.saveKept(ref.projectId, kept);
  return kept;
}

/** The keepits that the project's usual compression would keep at its hardest, pinned ones first. */
async function survivors(
  parts: KeptSessionsParts,
  ref: SessionRef,
  signal?: AbortSignal,
): Promise<KeptSession['keepits']> {
  const { store, keepits } = parts;
  const manifest = await store.readManifest(ref.projectId);
  const usual = usualCompression(settingsOf(manifest, await store.readConfig()).defaultCompressionPreset);
  const { markers, isDecayOn } = await keepits.decayPreview(ref, usual, signal);
  return markers
    .filter(({ survives }) => survives || !isDecayOn)
    .map(({ weight, content }) => ({ weight, text: content }))
    .sort((a, b) => b.weight - a.weight);
}
