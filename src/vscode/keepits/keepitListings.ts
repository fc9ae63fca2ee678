import { Disposable } from 'vscode';
import type {
  DiscoveredSession,
  KeepitListing,
  KeepitRef,
  SessionRef,
  DiscoveredProject,
} from '../../core/sessions/results';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MemoryHost } from '../memory/memoryHost';
import { sessionKey } from '../../core/model/fields';
import { mapLimited } from '../../core/text/mapLimited';
import { isShown } from '../../core/sessions/view/sessionTree';

interface Known {
  readonly stamp: string;
  readonly listing: Promise<KeepitListing>;
}

/** Whose keepits are meant. */
export interface KeepitScope {
  readonly project: DiscoveredProject;
  /** Only this session's. */
  readonly session?: DiscoveredSession | undefined;
}

const MAX_KEPT = 2000;

/** The keepits of sessions, remembered while their transcripts stay as they are: finding them takes a look into each. */
export class KeepitListings implements Disposable {
  private readonly known = new Map<string, Known>();
  private readonly subscriptions: Disposable;

  constructor(private readonly host: MemoryHost) {
    this.subscriptions = Disposable.from(
      host.onDidWriteOf(['keepits'], (session) => session && this.known.delete(sessionKey(session))),
      host.onDidChange(() => this.known.clear()),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** What is marked, by the keepits' ids. */
  async words(session: DiscoveredSession): Promise<ReadonlyMap<string, string>> {
    const { keepits, inactive } = await this.of(session);
    return new Map([...inactive, ...keepits].map(({ markerId, content }) => [markerId, content]));
  }

  of(session: DiscoveredSession): Promise<KeepitListing> {
    return this.at(session, stampOf(session));
  }

  /** `stamp` is whatever changes with the transcript. */
  async at(ref: SessionRef, stamp: string): Promise<KeepitListing> {
    const key = sessionKey(ref);
    const before = this.known.get(key);
    if (before?.stamp === stamp) return before.listing;
    const listing = this.read(ref);
    const known = { stamp, listing };
    this.known.set(key, known);
    const oldest = this.known.keys().next().value;
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    listing.catch(() => {
      if (this.known.get(key) === known) this.known.delete(key); // the next one who asks tries again
    });
    return listing;
  }

  /** The keepit as it counts now; undefined when there is none any more. */
  async find(ref: KeepitRef): Promise<EffectiveKeepit | undefined> {
    const { keepits, inactive } = await this.read(ref);
    return [...keepits, ...inactive].find(({ markerId }) => markerId === ref.markerId);
  }

  private async read({ projectId, sessionId }: SessionRef): Promise<KeepitListing> {
    return this.host.service.keepits.list({ projectId, sessionId });
  }
}

const PARALLEL_READINGS = 4;

/** Reads each session that has keepits: that one, or all of the project. */
export async function eachMarked<T>(
  { project, session }: KeepitScope,
  read: (session: DiscoveredSession) => Promise<readonly T[]>,
): Promise<T[]> {
  const sessions = session === undefined ? project.sessions.filter(isShown) : [session];
  const marked = sessions.filter(({ markers, problem }) => markers > 0 && problem === undefined);
  return (await mapLimited(marked, PARALLEL_READINGS, read)).flat();
}

/** Changes with the transcript of a session and its keepits, and when it is added to memory or removed from there. */
export function stampOf(session: DiscoveredSession): string {
  return [session.bytes, session.mtimeMs, session.registered, keepitStampOf(session)].join(' ');
}

/** Changes with what people change about the keepits of a session, here or elsewhere. */
export function keepitStampOf({ markers, keepitsChangedAt }: DiscoveredSession): string {
  return `${markers} ${keepitsChangedAt ?? ''}`;
}
