import type { KeepitMarker } from '../model/keepit';
import type { SourceSession, VersionOption } from './types';
import { isKeptIn } from './versionOptions';

/** The keepits of a session that are in a composition, and those that are not. */
export interface KeepitFigures {
  readonly included: readonly KeepitMarker[];
  readonly left: readonly KeepitMarker[];
}

/** What becomes of a session's keepits with an option; undefined when nothing of the session is in. */
export function keepitsIn(
  { keepits, pinned, versions }: SourceSession,
  option: VersionOption | undefined,
): KeepitFigures {
  const isPinned = new Set(pinned.map(({ markerId }) => markerId));
  const taken = versions.filter(({ versionId }) => option?.pieces.some((piece) => piece.versionId === versionId));
  const isIn = (keepit: KeepitMarker): boolean => {
    if (option === undefined || option.kind === 'nothing') return false;
    if (option.kind === 'original' || isPinned.has(keepit.markerId)) return true;
    return taken.some((version) => isKeptIn(version, keepit));
  };
  return { included: keepits.filter(isIn), left: keepits.filter((keepit) => !isIn(keepit)) };
}
