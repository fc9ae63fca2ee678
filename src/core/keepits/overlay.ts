import { KeepitMarkError } from './keepitMarkError';
import type { KeepitChange, KeepitMarker } from '../model/keepit';
import { keepitMarker, placeKey } from './collectKeepits';
import { type EffectiveKeepit } from './effectiveKeepits';
import type { PlacedSpan } from './markSpan';
import { isWeight } from './weights';

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
