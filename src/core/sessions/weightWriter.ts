import { KeepitMarkError } from '../keepits/keepitMarkError';
import { TranscriptEditError } from './transcriptEditError';
import { textPlaces } from '../keepits/collectKeepits';
import type { EffectiveKeepit } from '../keepits/effectiveKeepits';
import { isWeight, markerText } from '../keepits/weights';
import type { SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Clock } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import type { TranscriptEditor, WeightOverwrite } from './transcriptEditor';
import { oneLine } from '../text/cleanText';
import { rawOffsets } from '../presentation/recordBlocks';
import type { ByteRange, Conversation, TextBlock } from '../transcript/types';
import { isLiveAt } from './discoveredSession';
import { keepitsOf, type KeepitReader } from './keepitReader';
import { withOverlay, type KeepitService } from './keepits';
import type { KeepitRef } from './results';
import type { SessionSource, SessionSources } from './sessionSources';

export interface WeightWriterParts {
  claude: ClaudeFolder;
  store: MemoryStore;
  clock: Clock;
  editor: TranscriptEditor;
  sources: SessionSources;
  reader: KeepitReader;
  keepits: KeepitService;
}

/** A weight that is about to be written into a transcript, with all that a person has to see before. Valid while the file stays as it is. */
export interface WeightEdit {
  readonly ref: KeepitRef;
  readonly path: string;
  /** Of the record, from 1. */
  readonly line: number;
  /** The marker as it is written, and as it will be. */
  readonly before: string;
  readonly after: string;
  /** Some words on either side of the marker, in one line. */
  readonly wordsBefore: string;
  readonly wordsAfter: string;
  /** What counts now: another weight than the written one when a person has changed it in memory. */
  readonly effectiveWeight: number;
  readonly weight: number;
  /** What memory has kept is a second name of the same file, and gets bytes of its own first. */
  readonly separatesOriginal: boolean;
  readonly overwrite: WeightOverwrite;
}

const MARKER_PREFIX = '##keepit';
const CONTEXT_BEFORE = 60;
const CONTEXT_AFTER = 100;

/**
 * Writes the weight of a marker into Claude Code's own transcript (seed 000, 5.4), when somebody has asked for just that. Everything
 * else that people change about keepits goes beside the transcript.
 */
export class WeightWriter {
  constructor(private readonly parts: WeightWriterParts) {}

  /** What writing would do; writes nothing. Throws `TranscriptEditError` with what stands against it, `KeepitMarkError`, `SessionLookupError`. */
  async prepare({ markerId, ...session }: KeepitRef, weight: number, signal?: AbortSignal): Promise<WeightEdit> {
    if (!isWeight(weight)) throw new KeepitMarkError('bad-weight', String(weight));
    const source = await this.parts.sources.locate(session, signal);
    const opened = await this.parts.reader.open(session, signal);
    const keepit = keepitsOf(opened).find((candidate) => candidate.markerId === markerId);
    if (keepit === undefined) throw new KeepitMarkError('unknown', markerId);
    this.checkAllowed(keepit, source, weight);
    const block = opened.conversation && blockOf(opened.conversation, keepit);
    if (block === undefined) throw new TranscriptEditError('not-there', source.file.path);
    const bytes = await this.read(source.file.path, block.range, signal);
    const weightAt = weightPlace(block, bytes, keepit);
    if (weightAt === undefined) throw new TranscriptEditError('not-there', source.file.path);
    const { path, bytes: size, mtimeMs } = source.file;
    const { start } = keepit.position;
    const markerEnd = start + markerText(keepit.weight).length;
    return {
      ref: { projectId: session.projectId, sessionId: session.sessionId, markerId },
      path,
      line: block.line,
      before: block.text.slice(start, markerEnd),
      after: block.text.slice(start, markerEnd).replace(keepit.weight.toFixed(2), weight.toFixed(2)),
      wordsBefore: wordsBefore(block.text, start),
      wordsAfter: oneLine(block.text.slice(markerEnd), CONTEXT_AFTER),
      effectiveWeight: keepit.effectiveWeight,
      weight,
      separatesOriginal: source.entry?.kept?.method === 'link',
      overwrite: {
        seen: { bytes: size, mtimeMs },
        literal: { offset: block.range.offset, bytes },
        weightAt,
        before: keepit.weight.toFixed(2),
        after: weight.toFixed(2),
      },
    };
  }

  /**
   * Writes it. From then on the written weight counts, whatever was set in memory before; what memory has kept of the transcript stays
   * as it is. Throws `TranscriptEditError`, and the transcript is then as it was.
   */
  async write(edit: WeightEdit, signal?: AbortSignal): Promise<void> {
    const { projectId, sessionId } = edit.ref;
    const { store, editor } = this.parts;
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined) return editor.overwriteWeight(edit.path, edit.overwrite);
    await store.updateManifest(manifest, async (current) => {
      const entry = ownValue(current.sessions, sessionId);
      if (entry !== undefined) await store.separateOriginal(projectId, sessionId, signal);
      signal?.throwIfAborted();
      await editor.overwriteWeight(edit.path, edit.overwrite);
      if (entry === undefined) return current;
      return { ...current, sessions: { ...current.sessions, [sessionId]: withWritten(entry, edit) } };
    });
  }

  /** Writes back what was there before, after the same checks; a weight that counted in its place counts again. */
  async takeBack({ ref, overwrite, effectiveWeight }: WeightEdit, signal?: AbortSignal): Promise<void> {
    const written = Number(overwrite.before);
    await this.write(await this.prepare(ref, written, signal), signal);
    if (effectiveWeight !== written) await this.parts.keepits.setWeight(ref, effectiveWeight, signal);
  }

  private checkAllowed(keepit: EffectiveKeepit, { isKept, file }: SessionSource, weight: number): void {
    const { markerId } = keepit;
    if (keepit.state === 'removed') throw new KeepitMarkError('removed', markerId);
    if (keepit.origin === 'overlay') throw new TranscriptEditError('not-written', markerId);
    if (isKept) throw new TranscriptEditError('only-copy', markerId);
    if (isLiveAt(file.mtimeMs, this.parts.clock.now())) throw new TranscriptEditError('in-use', file.path);
    if (keepit.weight === weight) throw new TranscriptEditError('unchanged', markerId);
  }

  private async read(path: string, { offset, length }: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    let done = 0;
    for await (const chunk of this.parts.claude.read(path, { start: offset, end: offset + length }, signal)) {
      bytes.set(chunk, done);
      done += chunk.length;
    }
    return bytes.subarray(0, done);
  }
}

/** The last words before an offset, from a word's beginning. */
function wordsBefore(text: string, offset: number): string {
  if (offset <= CONTEXT_BEFORE) return oneLine(text.slice(0, offset), CONTEXT_BEFORE);
  const words = text.slice(offset - CONTEXT_BEFORE, offset).replace(/^\S+\s/, '');
  return `…${oneLine(words, CONTEXT_BEFORE)}`;
}

function blockOf(
  { messages, abandoned }: Conversation,
  { messageUuid, blockIndex = 0 }: EffectiveKeepit,
): TextBlock | undefined {
  for (const place of textPlaces([...messages, ...abandoned.flatMap((branch) => branch.messages)])) {
    if (place.block.uuid === messageUuid && place.blockIndex === blockIndex) return place.block;
  }
  return undefined;
}

/** Where the weight stands in the bytes of the literal; undefined unless the marker is there in plain characters, not escaped ones. */
function weightPlace(block: TextBlock, bytes: Uint8Array, { position, weight }: EffectiveKeepit): number | undefined {
  const literal = decodeExactly(bytes);
  const rawOffset = literal === undefined ? undefined : rawOffsets(block, literal);
  if (literal === undefined || rawOffset === undefined) return undefined;
  const start = rawOffset(position.start);
  const marker = markerText(weight);
  if (literal.slice(start, start + marker.length).toLowerCase() !== marker) return undefined;
  return new TextEncoder().encode(literal.slice(0, start + MARKER_PREFIX.length)).length;
}

/** Undefined where bytes are damaged: places in what was made of them would not be places in the file. */
function decodeExactly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the caller says that the marker is not there as it should be
  }
}

function withWritten(entry: SessionManifestEntry, { ref, weight }: WeightEdit): SessionManifestEntry {
  const { keepitMarkers, keepitOverlay = [], kept } = entry;
  const written = {
    ...entry,
    keepitMarkers: keepitMarkers.map((marker) => (marker.markerId === ref.markerId ? { ...marker, weight } : marker)),
    ...(kept !== undefined && { kept: kept.method === 'link' ? { ...kept, method: 'copy' as const } : kept }),
  };
  return withOverlay(
    written,
    keepitOverlay.filter(({ marker }) => marker.markerId !== ref.markerId),
  );
}
