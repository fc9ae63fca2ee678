import { ORIGINAL, type VersionDiff } from '../../core/versions/diff/types';
import { SessionLookupError } from '../../core/sessions/lookup';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { VersionDiffData, VersionDiffScope } from '../../core/presentation/versionDiffProtocol';
import { diffData } from '../../core/presentation/versionDiffView';
import { versionTitle } from '../../core/presentation/versionTexts';
import { stampOf, type KeepitListings } from '../keepits/keepitListings';
import type { MemoryHost } from '../memory/memoryHost';

/** What a panel shows, and the words of its hunks, which it asks for later. */
export interface LoadedDiff {
  readonly data: VersionDiffData;
  readonly diff: VersionDiff;
}

/** Collects what the version diff shows. */
export class VersionDiffSource {
  private lastStamp = 0;

  constructor(
    private readonly host: MemoryHost,
    private readonly listings: KeepitListings,
  ) {}

  /** A version that was deleted meanwhile gives way to the original, or to the latest one. Throws `SessionLookupError`. */
  async load(wanted: VersionDiffScope, signal: AbortSignal): Promise<LoadedDiff> {
    const { projectId, sessionId } = wanted;
    const ref = { projectId, sessionId };
    const { service } = await this.host.memory();
    const { projects } = await service.discover({ projectIds: [projectId] }, signal);
    const [project] = projects;
    const session = project?.sessions.find((one) => one.sessionId === sessionId);
    if (project === undefined || session === undefined) throw new SessionLookupError('not-found', sessionId);
    const { versions } = await service.versions(ref, signal);
    const ids = [ORIGINAL, ...versions.map(({ versionId }) => versionId)];
    const a = ids.includes(wanted.a) ? wanted.a : ORIGINAL;
    const b = ids.includes(wanted.b) ? wanted.b : (ids.at(-1) ?? ORIGINAL);
    const diff = await service.diffVersions(ref, a, b, signal);
    const { keepits } = await this.listings.of(session, stampOf(session));
    const words = new Map(keepits.map(({ markerId, content }) => [markerId, content]));
    const choices = versions.map((version) => ({ versionId: version.versionId, label: labelOf(version) }));
    const about = {
      scope: { ...wanted, a, b },
      title: titleOf(session),
      project: project.displayName,
      choices: [{ versionId: ORIGINAL, label: 'Original' }, ...choices],
      stamp: ++this.lastStamp,
    };
    return { data: diffData(diff, about, (markerId) => words.get(markerId)), diff };
  }
}

/** `v002 Aggressive 30:1`, `part1_v002 Light`: the part belongs to the name where versions of all parts are listed. */
function labelOf(version: Parameters<typeof versionTitle>[0]): string {
  const { versionId } = version;
  return [/^part\d+_/.exec(versionId)?.[0] ?? '', versionTitle(version)].join('');
}
