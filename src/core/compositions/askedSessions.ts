import { sessionDistance } from '../keepits/distance';
import { isPinned, type DecayConfig } from '../keepits/decay';
import { storedKeepits } from '../keepits/effectiveKeepits';
import type { CompositionRequest, RequestedComponent } from '../model/composition';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { MemoryStore } from '../model/memoryStore';
import { mapLimited } from '../text/mapLimited';
import type { SessionRef } from '../sessions/results';
import { titleOf } from '../sessions/sessionTitle';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import { BLOCK_SEPARATOR } from '../versions/blockText';
import { partsOf } from '../sessions/sessionParts';
import { CompositionError } from './compositionError';
import { pinnedBlock, sectionFrame } from './contextSection';
import type { AskedSession } from './askedOptions';
import type { SourceSession } from './types';
import type { SectionSizes } from './versionOptions';
import { sessionKey } from '../model/sessionKey';

/** Files are looked for, not read. */
const PARALLEL_LOOKS = 8;

/** Finds what a request speaks of, in manifests alone. */
export class AskedSessions {
  constructor(private readonly store: Pick<MemoryStore, 'readManifest' | 'readConfig' | 'originalPath'>) {}

  /** In the order of the request, each session once. Throws `CompositionError` for one that is not in memory. */
  async find(
    projectId: string,
    request: Pick<CompositionRequest, 'components'>,
    counter: TokenCounter,
  ): Promise<AskedSession[]> {
    const { keepitDecay } = await this.store.readConfig();
    const groups = new Map<string, { ref: SessionRef; asked: RequestedComponent[] }>();
    for (const component of request.components) {
      const ref = { projectId: component.projectId ?? projectId, sessionId: component.sessionId };
      const key = sessionKey(ref);
      const group = groups.get(key) ?? { ref, asked: [] };
      group.asked.push(component);
      groups.set(key, group);
    }
    const manifests = new Map<string, ProjectManifest | undefined>();
    for (const { ref } of groups.values()) {
      if (!manifests.has(ref.projectId)) manifests.set(ref.projectId, await this.store.readManifest(ref.projectId));
    }
    return mapLimited([...groups.values()], PARALLEL_LOOKS, async ({ ref, asked }) => {
      const session = await this.#session(ref, manifests.get(ref.projectId), keepitDecay);
      return { session, asked, sizes: sizesOf(session, counter) };
    });
  }

  async #session(ref: SessionRef, manifest: ProjectManifest | undefined, decay: DecayConfig): Promise<SourceSession> {
    const entry = entryOf(manifest, ref);
    const keepits = storedKeepits(entry);
    const { sessionId, metadata, firstTimestamp, lastTimestamp, originalTokens, originalMessages } = entry;
    const kept = await this.store.originalPath(ref.projectId, ref.sessionId);
    return {
      ref,
      title: titleOf({ title: metadata.title ?? '', sessionId }),
      firstTimestamp,
      lastTimestamp,
      originalTokens,
      originalMessages,
      versions: entry.compressions,
      parts: partsOf(entry),
      distance: sessionDistance(entry, Object.values(manifest?.sessions ?? {}), { rehearsal: decay.rehearsal }),
      keepits,
      pinned: keepits.filter(({ weight }) => isPinned(weight, decay)),
      transcript: kept,
    };
  }
}

function entryOf(manifest: ProjectManifest | undefined, { sessionId }: SessionRef): SessionManifestEntry {
  const sessions = manifest?.sessions ?? {};
  const entry = ownValue(sessions, sessionId);
  if (entry === undefined) throw new CompositionError('not-registered', sessionId);
  return entry;
}

/** A frame is as large for every version: ids differ by a few characters. */
const USUAL_PIECES = [{ versionId: 'part1_v001', tokens: 0 }];
const USUAL_NUMBER = 99;

function sizesOf(session: SourceSession, counter: TokenCounter): SectionSizes {
  const { heading, footer } = sectionFrame(session, USUAL_PIECES, USUAL_NUMBER);
  const keepit = new Map(
    session.pinned.map((marker) => [marker.markerId, counter.count(pinnedBlock(marker).text + BLOCK_SEPARATOR)]),
  );
  const frame = counter.count([heading, footer, ''].join(BLOCK_SEPARATOR));
  return { frame, keepit, pinned: [...keepit.values()].reduce((sum, tokens) => sum + tokens, 0) };
}
