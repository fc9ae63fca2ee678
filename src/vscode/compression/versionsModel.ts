import path from 'node:path';
import { EventEmitter, window, type Disposable, type Event, type TextEditor } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import { SessionLookupError } from '../../core/sessions/lookupError';
import type { VersionListing } from '../../core/versions/versionListing';
import type { Log } from '../../core/model/host';
import type { DiscoveredSession, SessionRef } from '../../core/sessions/results';
import type { Memory } from '../../node/createMemory';
import { stampOf, type KeepitChanges, type KeepitListings } from '../keepits/keepitChanges';
import { Lookout } from '../lookout';
import type { MemoryHost } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';
import { targetOf } from '../transcript/transcriptDocuments';
import type { VersionChanges } from './versionChanges';
import { versionOf } from './versionFiles';

export interface VersionsModelOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly listings: KeepitListings;
  readonly changes: KeepitChanges;
  readonly versions: VersionChanges;
  readonly log: Log;
  /** The one session that is selected in the sessions view. */
  readonly selected: () => SessionRef | undefined;
  readonly onDidSelect: Event<void>;
}

/** The versions of a session as they were read last. */
export interface ShownVersions {
  readonly session: DiscoveredSession;
  /** Undefined for a session that is not in memory: it can have none. */
  readonly listing: VersionListing | undefined;
  /** What keepits mark, by their ids. */
  readonly words: ReadonlyMap<string, string>;
}

/**
 * The versions of the session that was selected or opened last. Looks for them only while somebody wants to see them, and again
 * when this window, another one or the command line has changed them.
 */
export class VersionsModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private readonly lookout = new Lookout((isSuperseded) => this.look(isSuperseded));
  private chosen: SessionRef | undefined;
  private current: ShownVersions | undefined;
  private failure: string | undefined;
  private isReady = false;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: VersionsModelOptions) {
    const { host, model, changes, versions, onDidSelect } = options;
    const again = (): void => this.lookout.lookSoon();
    this.subscriptions = [
      model.onDidChange(again),
      changes.onDidChange(again),
      versions.onDidChange(again),
      onDidSelect(() => this.choose(options.selected())),
      window.onDidChangeActiveTextEditor((editor) => this.choose(this.shownIn(editor))),
      host.onDidChange(() => {
        this.chosen = undefined;
        this.current = undefined;
        this.isReady = false;
        again();
      }),
    ];
    this.choose(this.shownIn(window.activeTextEditor) ?? options.selected());
  }

  /** Undefined before the first look, and while no session is meant. */
  get shown(): ShownVersions | undefined {
    return this.current;
  }

  get hasLooked(): boolean {
    return this.isReady;
  }

  /** Why the versions could not be read. */
  get problem(): string | undefined {
    return this.failure;
  }

  /** The session whose versions are to be shown; undefined when it is gone. */
  get session(): DiscoveredSession | undefined {
    return this.chosen === undefined ? undefined : this.options.model.find(this.chosen);
  }

  /** From now on the versions of this session are shown, until another one is selected or opened. */
  choose(ref: SessionRef | undefined): void {
    if (ref === undefined) return; // who looks at something else has not said that they want nothing of this one
    this.chosen = { projectId: ref.projectId, sessionId: ref.sessionId };
    this.lookout.lookSoon();
  }

  /** Somebody sees the versions, or nobody does any more. */
  want(isWanted: boolean): void {
    this.lookout.want(isWanted);
  }

  /** Looks at once: a version was made, and is to be found in the view. */
  lookNow(): Promise<void> {
    return this.lookout.lookNow();
  }

  dispose(): void {
    this.lookout.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private shownIn(editor: TextEditor | undefined): SessionRef | undefined {
    if (editor === undefined) return undefined;
    return targetOf(editor.document.uri) ?? versionOf(editor.document.uri);
  }

  private async look(isSuperseded: () => boolean): Promise<void> {
    const { session } = this;
    try {
      const memory = await this.options.host.memory();
      const shown = session === undefined ? undefined : await this.read(memory, session);
      if (isSuperseded()) return;
      this.failure = undefined;
      this.show(shown);
      this.lookout.followFiles(session?.registered === true ? [manifestOf(memory, session)] : [], memory);
    } catch (error) {
      if (isSuperseded()) return;
      this.options.log.warn(`Versions could not be listed: ${errorText(error)}`);
      this.failure = errorText(error);
      this.show(undefined);
    }
  }

  private show(shown: ShownVersions | undefined): void {
    this.isReady = true;
    this.current = shown;
    this.changed.fire();
  }

  private async read({ service }: Memory, session: DiscoveredSession): Promise<ShownVersions> {
    if (!session.registered) return { session, listing: undefined, words: new Map() };
    try {
      const listing = await service.versions(session);
      const hasReceipts = listing.versions.some(({ receipt = [] }) => receipt.length > 0);
      return { session, listing, words: hasReceipts ? await this.wordsOf(session) : new Map() };
    } catch (error) {
      // It was taken out of memory since the sessions were listed.
      if (!(error instanceof SessionLookupError) || error.reason !== 'not-registered') throw error;
      return { session, listing: undefined, words: new Map() };
    }
  }

  private async wordsOf(session: DiscoveredSession): Promise<ReadonlyMap<string, string>> {
    const { listings, log } = this.options;
    try {
      const { keepits, inactive } = await listings.of(session, stampOf(session));
      return new Map([...inactive, ...keepits].map(({ markerId, content }) => [markerId, content]));
    } catch (error) {
      log.warn(`Receipts are shown without words: ${errorText(error)}`); // the transcript may be gone; the versions are not
      return new Map();
    }
  }
}

/** It tells of what others do: every version is written together with it. */
function manifestOf({ memoryDir }: Memory, { projectId }: SessionRef): string {
  return path.join(memoryDir, 'projects', projectId, 'manifest.json');
}
