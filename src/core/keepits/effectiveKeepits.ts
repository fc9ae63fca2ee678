import type { Conversation } from '../transcript/types';
import { placeKey, type KeepitChange, type KeepitMarker } from '../model/keepit';
import { collectKeepits, textPlaces, keepitMarker, markerIdOf, type MessageDiagnostic } from './collectKeepits';
import { KeepitMarkError } from './keepitMarkError';
import type { PlacedSpan } from './markSpan';
import { isWeight } from './weights';
import type { ProjectManifest } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import { isErased } from '../text/secrets/privateText';

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
interface FoundBlock {
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
 * there at the end. No change is left out, but for those of words that were erased on purpose.
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
    .filter(({ marker }) => !ids.has(marker.markerId) && !isErased(marker.content))
    .filter(({ marker }) => !isErased(found.blocks.get(placeKey(marker))?.text ?? ''))
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
    return change?.removed === true || isErased(marker.content)
      ? []
      : [{ ...marker, weight: change?.weight ?? marker.weight }];
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

/**
 * The changes that people make to keepits, as pure functions from one overlay to the next. They never change their arguments, and throw
 * `KeepitMarkError` for what must not be. A change that says nothing any more is taken out, so that undoing leaves no trace.
 */
export type Overlay = readonly KeepitChange[];

/** Gives a keepit another weight; its own weight takes the change back. */
export function withWeight(overlay: Overlay, keepit: EffectiveKeepit, weight: number, nowIso: string): Overlay {
  if (!isWeight(weight)) throw new KeepitMarkError('bad-weight', String(weight));
  if (keepit.state === 'removed') throw new KeepitMarkError('removed', keepit.markerId);
  const { weight: _weight, ...change } = changeOf(overlay, keepit);
  return withChange(overlay, weight === keepit.weight ? change : { ...change, weight }, nowIso);
}

/** Takes a keepit out of all that counts. It stays known, so that it can be restored. */
export function withRemoval(overlay: Overlay, keepit: EffectiveKeepit, nowIso: string): Overlay {
  if (keepit.state === 'removed') throw new KeepitMarkError('removed', keepit.markerId);
  return withChange(overlay, { ...changeOf(overlay, keepit), removed: true }, nowIso);
}

/**
 * Brings back a removed keepit, with the weight that it had; one that is not removed gets its own weight back. `all` are the keepits of
 * the session: the place may have been marked anew meanwhile.
 */
export function withRestoration(
  overlay: Overlay,
  keepit: EffectiveKeepit,
  all: readonly EffectiveKeepit[],
  nowIso: string,
): Overlay {
  const { weight, removed, ...change } = changeOf(overlay, keepit);
  if (removed === true) {
    checkFree(keepit, all);
    return withChange(overlay, weight === undefined ? change : { ...change, weight }, nowIso);
  }
  if (weight === undefined) throw new KeepitMarkError('unchanged', keepit.markerId);
  return withChange(overlay, change, nowIso);
}

/** Marks words that were said. The same span again, after a removal, is the same keepit. */
export function withAddition(
  overlay: Overlay,
  { place, start, end }: PlacedSpan,
  { weight, all, nowIso }: { weight: number; all: readonly EffectiveKeepit[]; nowIso: string },
): { overlay: Overlay; markerId: string } {
  if (!isWeight(weight)) throw new KeepitMarkError('bad-weight', String(weight));
  const text = place.block.text.slice(start, end);
  const content = text.trim();
  const contentStart = start + text.indexOf(content);
  const span = { weight, start, end, contentStart, contentEnd: contentStart + content.length, content };
  const marker = keepitMarker(span, place, nowIso);
  checkFree(marker, all);
  const known = overlay.find((change) => change.marker.markerId === marker.markerId)?.marker;
  const history = known === undefined ? {} : { survivedIn: known.survivedIn, summarizedIn: known.summarizedIn };
  const change = { marker: { ...marker, ...history }, origin: 'overlay' as const, changedAt: nowIso };
  return { overlay: withChange(overlay, change, nowIso), markerId: marker.markerId };
}

/** The change that is recorded for a keepit, else one that changes nothing yet. */
function changeOf(overlay: Overlay, keepit: EffectiveKeepit): KeepitChange {
  const known = overlay.find(({ marker }) => marker.markerId === keepit.markerId);
  return known ?? { marker: markerOf(keepit), origin: keepit.origin, changedAt: '' };
}

function markerOf(keepit: EffectiveKeepit): KeepitMarker {
  const {
    projectId: _p,
    sessionId: _s,
    effectiveWeight: _e,
    overridden: _o,
    origin: _r,
    state: _t,
    ...marker
  } = keepit;
  return marker;
}

function withChange(overlay: Overlay, change: KeepitChange, nowIso: string): Overlay {
  const { markerId } = change.marker;
  const isEmpty = change.origin === 'transcript' && change.weight === undefined && change.removed !== true;
  if (isEmpty) return overlay.filter(({ marker }) => marker.markerId !== markerId);
  const changed = { ...change, changedAt: nowIso };
  const isKnown = overlay.some(({ marker }) => marker.markerId === markerId);
  return isKnown ? overlay.map((one) => (one.marker.markerId === markerId ? changed : one)) : [...overlay, changed];
}

/** Spans must not overlap: what lies in two keepits would be kept twice, or kept and summarized. An orphan's words are not there. */
function checkFree(marker: KeepitMarker, all: readonly EffectiveKeepit[]): void {
  const key = placeKey(marker);
  const { start, end } = marker.position;
  const inTheWay = all.find(
    (other) =>
      (other.state === 'live' || other.state === 'abandoned') &&
      placeKey(other) === key &&
      other.position.start < end &&
      start < other.position.end,
  );
  if (inTheWay !== undefined) throw new KeepitMarkError('overlap', `${start}–${end}`, inTheWay.markerId);
}

/** Finds all keepits of a conversation, and what is needed to place the ones that were added to it. */
export function findKeepits({ messages, abandoned, copiedMarkers }: Conversation): FoundKeepits {
  const left = abandoned.flatMap((branch) => branch.messages);
  const blocks = new Map<string, FoundBlock>();
  for (const [said, isLive] of [[messages, true] as const, [left, false] as const]) {
    for (const { block, blockIndex } of textPlaces(said)) {
      const key = placeKey({ messageUuid: block.uuid, blockIndex });
      if (!blocks.has(key)) blocks.set(key, { text: block.text, isLive, order: blocks.size });
    }
  }
  return {
    ...collectKeepits(messages, copiedMarkers),
    abandoned: collectKeepits(left, copiedMarkers).markers,
    blocks,
  };
}

/** The ids that keepits get when words in them are overwritten, by the ones that they had. */
export function renewedIds(before: ProjectManifest, after: ProjectManifest): Map<string, string> {
  const renewed = new Map<string, string>();
  for (const [sessionId, entry] of Object.entries(before.sessions)) {
    const overwritten = markersOf(ownValue(after.sessions, sessionId));
    for (const [index, marker] of markersOf(entry).entries()) {
      const now = overwritten[index];
      if (now === undefined || now.content === marker.content || idOf(marker) !== marker.markerId) continue;
      renewed.set(marker.markerId, idOf(now));
    }
  }
  return renewed;
}

/** Without the keepits of words that were erased; receipts name them still, and say so. `isGone` knows the records that were erased. */
export function withoutErasedKeepits(
  manifest: ProjectManifest,
  isGone: (messageUuid: string) => boolean,
): ProjectManifest {
  const stays = ({ content, messageUuid }: KeepitMarker): boolean => !isErased(content) && !isGone(messageUuid);
  const sessions = Object.entries(manifest.sessions).map(([sessionId, entry]) => {
    const keepitMarkers = entry.keepitMarkers.filter(stays);
    const keepitOverlay = entry.keepitOverlay?.filter(({ marker }) => stays(marker));
    const gone = new Set(markersOf(entry).flatMap((marker) => (stays(marker) ? [] : marker.markerId)));
    if (gone.size === 0) return [sessionId, entry] as const;
    const compressions = entry.compressions.map((version) => ({
      ...version,
      receipt: version.receipt?.map((one) =>
        gone.has(one.markerId) ? { ...one, kept: false, reason: 'its words were erased' } : one,
      ),
    }));
    return [sessionId, { ...entry, keepitMarkers, keepitOverlay, compressions }] as const;
  });
  return { ...manifest, sessions: Object.fromEntries(sessions) };
}

function markersOf(entry: ProjectManifest['sessions'][string] | undefined): KeepitMarker[] {
  return [...(entry?.keepitMarkers ?? []), ...(entry?.keepitOverlay ?? []).map(({ marker }) => marker)];
}

function idOf({ messageUuid, blockIndex = 0, position, content }: KeepitMarker): string {
  return markerIdOf({ messageUuid, blockIndex, start: position.start, content });
}
