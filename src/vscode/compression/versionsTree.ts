import path from 'node:path';
import { Disposable, window, type QuickPickItem, type TextEditor } from 'vscode';
import * as z from 'zod/mini';
import type { TreeNode, VersionRef } from '../../core/sessions/view/treeNode';
import { versionNode, versionTree } from '../../core/versions/view/versionTree';
import { SessionLookupError } from '../../core/sessions/sessionLookupError';
import type { DiscoveredSession, SessionRef } from '../../core/sessions/results';
import { errorText } from '../../core/text/keepitError';
import type { ListedVersion, VersionListing } from '../../core/versions/versionEntries';
import type { Memory } from '../../node/createMemory';
import type { Uses } from '../context';
import { commandIds, contextKeys, viewIds } from '../ids';
import { rowsMeant, NodeTree, WatchedTree } from '../watchedTree';
import { transcriptUris } from '../transcript/transcriptDocuments';
import { versionSchema, versionUris } from './versionFiles';

/** The versions of a session as they were read last. */
interface ShownVersions {
  readonly session: DiscoveredSession;
  /** Undefined for a session that is not in memory: it can have none. */
  readonly listing: VersionListing | undefined;
  /** What keepits mark, by their ids. */
  readonly words: ReadonlyMap<string, string>;
}

/** Versions of one session. */
export interface VersionTarget {
  readonly session: SessionRef;
  readonly versionIds: readonly string[];
}

interface VersionItem extends QuickPickItem {
  readonly versionId: string;
}

/** A row of the view, as menus and clicks pass it, and what panels and messages pass. */
const rowSchema = z.object({ version: versionSchema });

/** The view *Versions*: those of the session that was selected or opened last. */
export class VersionsTree extends WatchedTree<ShownVersions | undefined> {
  readonly name = 'versions view';
  private chosen: SessionRef | undefined;

  constructor(private readonly context: Uses<'host' | 'model' | 'views' | 'targets' | 'listings' | 'formats' | 'log'>) {
    const tree = new NodeTree(viewIds.versions, {
      commandOf: ({ version, id }) => {
        if (version === undefined) return undefined;
        return { command: commandIds.openVersion, title: 'Open Version', arguments: [{ version, id, from: 'row' }] };
      },
    });
    super({ host: context.host, log: context.log, tree, what: 'Versions' });
  }

  register(): Disposable {
    const { host, model, views } = this.context;
    const again = () => this.whenVisible.lookSoon();
    this.choose(shownIn(window.activeTextEditor) ?? views.selectedSession);
    this.begin([
      model.onDidChange(again),
      host.onDidWriteOf(['keepits', 'versions'], again),
      views.onDidSelect(() => this.choose(views.selectedSession)),
      window.onDidChangeActiveTextEditor((editor) => this.choose(shownIn(editor))),
    ]);
    return Disposable.from(this, this.tree);
  }

  /** The session whose versions are to be shown; undefined when it is gone. */
  get session(): DiscoveredSession | undefined {
    return this.chosen === undefined ? undefined : this.context.model.find(this.chosen);
  }

  /** A session in memory: the one of a menu, else the one whose versions are shown, else one that the user picks. */
  async kept(args: readonly unknown[], title: string): Promise<DiscoveredSession | undefined> {
    const shown = args[0] === undefined ? this.session : undefined;
    if (shown?.registered === true) return shown;
    return this.context.targets.one(args, { title, wants: ({ registered }) => registered });
  }

  /** From now on the versions of this session are shown, until another one is selected or opened. */
  choose(ref: SessionRef | undefined): void {
    if (ref === undefined) return; // who looks at something else has not said that they want nothing of this one
    this.chosen = { projectId: ref.projectId, sessionId: ref.sessionId };
    this.whenVisible.lookSoon();
  }

  /** Selects a version in the view, and opens the view when it is closed. The focus stays where it is. */
  async reveal(versionId: string): Promise<void> {
    const { tree, whenVisible } = this;
    whenVisible.setVisible(true);
    await whenVisible.lookNow();
    const row = tree.rows.flatMap(({ children }) => children).find(({ version }) => version?.versionId === versionId);
    if (row !== undefined) await tree.view.reveal(row, { select: true, focus: false });
    whenVisible.setVisible(tree.view.visible);
  }

  /** All versions meant; they are of one session. Undefined when the user went away. */
  async many(args: readonly unknown[], title: string): Promise<VersionTarget | undefined> {
    return this.named(args) === undefined ? this.pick(title, true) : this.given(args);
  }

  /** The versions that the call, the selection or the open document names, without asking; undefined when there are none. */
  given(args: readonly unknown[]): VersionTarget | undefined {
    return ofOneSession(this.named(args) ?? []);
  }

  async one(args: readonly unknown[], title: string): Promise<VersionRef | undefined> {
    const named = this.named(args);
    if (named !== undefined) return named[0];
    const picked = await this.pick(title, false);
    const [versionId] = picked?.versionIds ?? [];
    return picked === undefined || versionId === undefined ? undefined : { ...picked.session, versionId };
  }

  /** What is known of a version that is shown. */
  listed({ projectId, sessionId, versionId }: VersionRef): ListedVersion | undefined {
    const { session, listing } = this.found ?? {};
    const isShown = session?.projectId === projectId && session.sessionId === sessionId;
    return isShown ? listing?.versions.find((version) => version.versionId === versionId) : undefined;
  }

  protected override forget(): void {
    this.chosen = undefined;
    super.forget();
  }

  protected async read({ service }: Memory): Promise<ShownVersions | undefined> {
    const { session } = this;
    if (session?.registered !== true) return session && { session, listing: undefined, words: new Map() };
    try {
      const listing = await service.versions.list(session);
      const hasReceipts = listing.versions.some(({ receipt = [] }) => receipt.length > 0);
      return { session, listing, words: hasReceipts ? await this.wordsOf(session) : new Map() };
    } catch (error) {
      // It was taken out of memory since the sessions were listed.
      if (!(error instanceof SessionLookupError) || error.reason !== 'not-registered') throw error;
      return { session, listing: undefined, words: new Map() };
    }
  }

  /** The manifest tells of what others do: every version is written together with it. */
  protected follow(memory: Memory, found: ShownVersions | undefined): void {
    const files =
      found?.session.registered === true
        ? [path.join(memory.memoryDir, 'projects', found.session.projectId, 'manifest.json')]
        : [];
    this.whenVisible.followFiles(files, memory);
  }

  protected render(): void {
    const { found, chosen, problem, tree } = this;
    tree.showChanged(found === undefined ? [] : this.nodes(found));
    tree.view.description = (chosen && this.context.model.titleOf(chosen)) ?? '';
    tree.view.message = problem === undefined ? '' : `The versions could not be read: ${problem}`;
    this.contextValues.set({ [contextKeys.versions]: this.state() });
  }

  private nodes({ session: { projectId, sessionId }, listing, words }: ShownVersions): TreeNode[] {
    if (listing === undefined) return [];
    const { formats } = this.context;
    const wordsOf = (markerId: string): string | undefined => words.get(markerId);
    return versionTree(listing, { session: { projectId, sessionId }, formats, nowMs: Date.now(), wordsOf });
  }

  private state(): string {
    if (!this.hasLooked) return 'loading';
    if (this.problem !== undefined) return 'failed';
    if (this.tree.rows.length > 0) return 'ready';
    if (this.found === undefined) return 'noSession';
    return this.found.listing === undefined ? 'notInMemory' : 'empty';
  }

  private async wordsOf(session: DiscoveredSession): Promise<ReadonlyMap<string, string>> {
    const { listings, log } = this.context;
    try {
      return await listings.words(session);
    } catch (error) {
      log.warn(`Receipts are shown without words: ${errorText(error)}`); // the transcript may be gone; the versions are not
      return new Map();
    }
  }

  /** Of rows, of the selection, or of the document that is read. */
  private named(args: readonly unknown[]): VersionRef[] | undefined {
    const rows = rowsMeant(args, this.selection);
    if (rows !== undefined) return rows.flatMap((row) => rowSchema.safeParse(row).data?.version ?? []);
    const uri = window.activeTextEditor?.document.uri;
    const open = uri && versionUris.ref(uri);
    return open && [open];
  }

  private async pick(title: string, canPickMany: boolean): Promise<VersionTarget | undefined> {
    const session = this.found?.session ?? this.session;
    const versions = this.found?.listing?.versions ?? [];
    if (session === undefined || versions.length === 0) {
      void window.showInformationMessage('Select a session that has versions first.');
      return undefined;
    }
    const context = { session, formats: this.context.formats, nowMs: Date.now(), wordsOf: () => undefined };
    const items = versions.map((version): VersionItem => {
      const { description } = versionNode(version, context);
      return { versionId: version.versionId, label: version.versionId, description };
    });
    const options = { title, placeHolder: 'Type to find a version', matchOnDescription: true };
    const chosen = canPickMany
      ? await window.showQuickPick(items, { ...options, canPickMany: true })
      : await window.showQuickPick(items, options);
    const picked = chosen === undefined ? [] : Array.isArray(chosen) ? chosen : [chosen];
    if (picked.length === 0) return undefined;
    const { projectId, sessionId } = session;
    return { session: { projectId, sessionId }, versionIds: picked.map(({ versionId }) => versionId) };
  }
}

function shownIn(editor: TextEditor | undefined): SessionRef | undefined {
  return editor && (transcriptUris.ref(editor.document.uri) ?? versionUris.ref(editor.document.uri));
}

/** The view shows one session at a time: all of its rows are of the same one. */
function ofOneSession(versions: readonly VersionRef[]): VersionTarget | undefined {
  const [first] = versions;
  if (first === undefined) return undefined;
  const { projectId, sessionId } = first;
  const own = versions.filter((version) => version.projectId === projectId && version.sessionId === sessionId);
  return { session: { projectId, sessionId }, versionIds: own.map(({ versionId }) => versionId) };
}
