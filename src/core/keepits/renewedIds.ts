import type { ProjectManifest } from '../model/manifest';
import type { KeepitMarker } from '../model/keepit';
import { ownValue } from '../text/ownValue';
import { markerIdOf } from './collectKeepits';

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

function markersOf(entry: ProjectManifest['sessions'][string] | undefined): KeepitMarker[] {
  return [...(entry?.keepitMarkers ?? []), ...(entry?.keepitOverlay ?? []).map(({ marker }) => marker)];
}

function idOf({ messageUuid, blockIndex = 0, position, content }: KeepitMarker): string {
  return markerIdOf({ messageUuid, blockIndex, start: position.start, content });
}
