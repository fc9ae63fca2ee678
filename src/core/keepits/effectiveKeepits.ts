import type { KeepitChange, KeepitMarker } from '../model/keepit';
import { placeKey, type MessageDiagnostic } from './collectKeepits';
import { markerIdOf } from './markerId';

/**
 * Whether a keepit counts. Only a `live` one does; the others are kept and shown, and come back when their message or their user
 * does. `abandoned`: in a message that a rewind has left behind. `orphaned`: its words are not in the transcript any more.
 */
export type KeepitState = 'live' | 'removed' | 'abandoned' | 'orphaned';

/** A marker with everything that people have changed about it. `weight` stays what the marker itself says. */
export interface EffectiveKeepit extends KeepitMarker {
  projectId: string;
  sessionId: string;
  /** What counts. */
  effectiveWeight: number;
  /** Whether a person has given it another weight than its own. */
  overridden: boolean;
  /** `overlay`: added by a person, and stands nowhere in the transcript. */
  origin: KeepitChange['origin'];
  state: KeepitState;
}

/** What a transcript says of keepits. */
export interface FoundKeepits {
  /** Of the live conversation, in its order. */
  readonly markers: readonly KeepitMarker[];
  /** In messages that a rewind has left behind. */
  readonly abandoned: readonly KeepitMarker[];
  /** Of the live conversation. */
  readonly diagnostics: readonly MessageDiagnostic[];
  /** Every text block, by {@link placeKey}. */
  readonly blocks: ReadonlyMap<string, FoundBlock>;
}

/** A text block, by which a keepit that was added is found again. */
export interface FoundBlock {
  readonly text: string;
  readonly isLive: boolean;
  /** Position in the conversation; abandoned blocks come after all others. */
  readonly order: number;
}

/** What is known of a session's keepits when its transcript is gone altogether: what the manifest has. */
export function knownKeepits(markers: readonly KeepitMarker[]): FoundKeepits {
  return { markers, abandoned: [], diagnostics: [], blocks: new Map() };
}

/**
 * What the transcript says and what people changed about it, put together; in the order of the conversation, what has no place
 * there at the end. No change is ever left out.
 */
export function effectiveKeepits(
  { projectId, sessionId }: { projectId: string; sessionId: string },
  found: FoundKeepits,
  changes: readonly KeepitChange[] = [],
): EffectiveKeepit[] {
  const changeOf = new Map(changes.map((change) => [change.marker.markerId, change]));
  const written = [...placed(found.markers, 'live'), ...placed(found.abandoned, 'abandoned')];
  const ids = new Set(written.map(({ marker }) => marker.markerId));
  const others = changes
    .filter(({ marker }) => !ids.has(marker.markerId))
    .map(({ marker, origin }) => ({ origin, ...foundAgain(marker, origin, found) }));
  return [...written, ...others]
    .map((one) => ({ ...one, order: found.blocks.get(placeKey(one.marker))?.order ?? Infinity }))
    .sort((a, b) => byNumber(a.order, b.order) || a.marker.position.start - b.marker.position.start)
    .map(({ marker, origin, state }) => {
      const change = changeOf.get(marker.markerId);
      const effectiveWeight = change?.weight ?? marker.weight;
      return {
        ...marker,
        projectId,
        sessionId,
        effectiveWeight,
        overridden: effectiveWeight !== marker.weight,
        origin,
        state: change?.removed === true ? 'removed' : state,
      };
    });
}

/**
 * The keepits that count as far as the manifest alone can tell, with the weight that counts: for figures in lists, which must not open
 * transcripts. Takes every added one for live.
 */
export function storedKeepits(stored: {
  keepitMarkers: readonly KeepitMarker[];
  keepitOverlay?: readonly KeepitChange[] | undefined;
}): KeepitMarker[] {
  const { keepitMarkers, keepitOverlay = [] } = stored;
  const changeOf = new Map(keepitOverlay.map((change) => [change.marker.markerId, change]));
  const added = keepitOverlay.filter(({ origin }) => origin === 'overlay').map(({ marker }) => marker);
  return [...keepitMarkers, ...added].flatMap((marker) => {
    const change = changeOf.get(marker.markerId);
    return change?.removed === true ? [] : [{ ...marker, weight: change?.weight ?? marker.weight }];
  });
}

interface PlacedMarker {
  marker: KeepitMarker;
  origin: KeepitChange['origin'];
  state: KeepitState;
}

function placed(markers: readonly KeepitMarker[], state: KeepitState): PlacedMarker[] {
  return markers.map((marker) => ({ marker, origin: 'transcript', state }));
}

/**
 * A marker of the transcript that was not found is gone; one that was added counts while its words are where they were. Its id says whether
 * they are, and the transcript which: what is stored of them may lack secrets.
 */
function foundAgain(
  marker: KeepitMarker,
  origin: KeepitChange['origin'],
  { blocks }: FoundKeepits,
): Pick<PlacedMarker, 'marker' | 'state'> {
  const block = origin === 'overlay' ? blocks.get(placeKey(marker)) : undefined;
  const { messageUuid, blockIndex = 0, position } = marker;
  const content = block?.text.slice(position.start, position.end).trim();
  if (block === undefined || content === undefined) return { marker, state: 'orphaned' };
  const markerId = markerIdOf({ messageUuid, blockIndex, start: position.start, content });
  if (markerId !== marker.markerId) return { marker, state: 'orphaned' };
  return { marker: { ...marker, content }, state: block.isLive ? 'live' : 'abandoned' };
}

/** As subtraction, for numbers that may both be infinite. */
function byNumber(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** Markers as they were found, with what the store knows of the same ones: in which versions they survived. */
export function withHistory(found: readonly KeepitMarker[], known: readonly KeepitMarker[]): KeepitMarker[] {
  const byId = new Map(known.map((marker) => [marker.markerId, marker]));
  return found.map((marker) => {
    const before = byId.get(marker.markerId);
    if (before === undefined) return marker;
    return { ...before, ...marker, survivedIn: before.survivedIn, summarizedIn: before.summarizedIn };
  });
}
