import { Disposable, Uri, window, workspace, type TextDocument } from 'vscode';
import * as z from 'zod/mini';
import { keepitTree, type KeepitRow } from '../../core/sessions/view/keepitTree';
import { distanceIn, outlookOf } from '../../core/sessions/view/keepitOutlook';
import type { DecayContext, DiscoveredSession, KeepitRef } from '../../core/sessions/results';
import { errorText } from '../../core/text/keepitError';
import type { Memory } from '../../node/createMemory';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { rowsMeant, NodeTree, WatchedTree } from '../watchedTree';
import { commandIds, contextKeys, viewIds } from '../ids';
import type { MarkedDocument, MarkSources } from './markSources';
import { sessionRefSchema } from '../../core/sessions/view/treeNode';
import { type KeepitScope, eachMarked } from './keepitListings';

/** What commands need to know of a keepit. */
interface KeepitFacts extends Pick<MarkedDocument['marks'][number], 'weight' | 'ownWeight' | 'state' | 'origin'> {
  /** What is marked. */
  readonly content: string;
}

/** A keepit that a command is about: in memory, or a marker in a document of the user's own. */
export type KeepitTarget =
  | (KeepitFacts & { readonly kind: 'memory'; readonly ref: KeepitRef })
  | (KeepitFacts & {
      readonly kind: 'text';
      readonly document: TextDocument;
      readonly mark: MarkedDocument['marks'][number];
    });

/** A row of the view, as menus and clicks pass it, and what lenses and hovers pass. */
const rowSchema = z.object({ keepit: z.extend(sessionRefSchema, { markerId: z.string() }) });
const placeSchema = z.object({ uri: z.string(), line: z.number(), column: z.number() });

/** The view *Keepits*: those of the selected session, or of the shown project. */
export class KeepitsTree extends WatchedTree<readonly KeepitRow[]> implements Feature {
  readonly name = 'keepits view';
  private isWholeProject = false;

  constructor(
    private readonly context: Uses<'host' | 'model' | 'views' | 'listings' | 'formats' | 'notifier' | 'log'>,
    private readonly sources: MarkSources,
  ) {
    const tree = new NodeTree(viewIds.keepits, {
      commandOf: ({ keepit, id }) => {
        if (keepit === undefined) return undefined;
        return { command: commandIds.openKeepit, title: 'Go to Keepit', arguments: [{ keepit, id, from: 'row' }] };
      },
    });
    super({ host: context.host, log: context.log, tree, what: 'Keepits' });
  }

  register(): Disposable {
    const { host, model, views, notifier } = this.context;
    const again = () => this.whenVisible.lookSoon();
    this.begin([model.onDidChange(again), host.onDidWriteOf(['keepits'], again), views.onDidSelect(again)]);
    return Disposable.from(
      this,
      this.tree,
      registerCommands(notifier, {
        showProjectKeepits: () => this.showWholeProject(true),
        showSessionKeepits: () => this.showWholeProject(false),
      }),
    );
  }

  /** Undefined while no project is shown. */
  get scope(): KeepitScope | undefined {
    const { model, views } = this.context;
    const project = model.shownProject;
    if (project === undefined) return undefined;
    const ref = this.isWholeProject ? undefined : views.selectedSession;
    return { project, session: ref?.projectId === project.projectId ? model.find(ref) : undefined };
  }

  /** The keepits that a command is about: those of rows, the mark under a lens or the cursor, or the view's selection. */
  async meant(args: readonly unknown[]): Promise<KeepitTarget[]> {
    const place = placeSchema.safeParse(args[0]);
    if (place.success) {
      const document = await workspace.openTextDocument(Uri.parse(place.data.uri, true));
      return this.ofDocument(document, place.data);
    }
    const rows = rowsMeant(args, this.selection);
    if (rows !== undefined) return this.ofRows(rows);
    const editor = window.activeTextEditor;
    const { line, character } = editor?.selection.active ?? { line: 0, character: 0 };
    const atCursor = editor === undefined ? [] : await this.ofDocument(editor.document, { line, column: character });
    return atCursor.length > 0 ? atCursor : this.ofRows(this.selection);
  }

  protected async read({ service }: Memory, isSuperseded: () => boolean): Promise<readonly KeepitRow[]> {
    const { scope } = this;
    if (scope === undefined) return this.isSettled() ? [] : (this.found ?? []);
    const context = await service.keepits.decayContext(scope.project.projectId);
    return eachMarked(scope, async (session) => (isSuperseded() ? [] : this.rowsOf(session, context)));
  }

  protected follow(): void {
    // The sessions view follows what others do.
  }

  protected render(): void {
    const { tree, scope } = this;
    const isOneSession = scope?.session !== undefined;
    tree.showChanged(keepitTree(this.found ?? [], { formats: this.context.formats, isOneSession }));
    const { view } = tree;
    view.description =
      (scope?.session && this.context.model.titleOf(scope.session)) ?? scope?.project.displayName ?? '';
    this.contextValues.set({
      [contextKeys.keepits]: this.state(),
      [contextKeys.isWholeProject]: this.isWholeProject,
    });
  }

  private state(): string {
    const { scope } = this;
    if (!this.hasLooked) return 'loading';
    if (this.tree.rows.length > 0) return 'ready';
    if (scope === undefined) return this.isSettled() ? 'noProject' : 'loading';
    return scope.session === undefined ? 'empty' : 'emptySession';
  }

  /** Whether it is known that there is no project, rather than not known yet. */
  private isSettled(): boolean {
    const { phase } = this.context.model;
    return phase === 'ready' || phase === 'failed';
  }

  private async rowsOf(session: DiscoveredSession, context: DecayContext): Promise<KeepitRow[]> {
    const { listings, log } = this.context;
    const distance = distanceIn(session, context);
    try {
      const { keepits, inactive } = await listings.of(session);
      return [...keepits, ...inactive].map((keepit) => {
        return { keepit, session, outlook: outlookOf(keepit.effectiveWeight, context, distance) };
      });
    } catch (error) {
      log.warn(`The keepits of ${session.sessionId} could not be read: ${errorText(error)}`); // the others are shown
      return [];
    }
  }

  private showWholeProject(isWholeProject: boolean) {
    this.isWholeProject = isWholeProject;
    this.whenVisible.lookSoon();
  }

  private async ofRows(rows: readonly unknown[]): Promise<KeepitTarget[]> {
    const refs = rows.flatMap((row) => rowSchema.safeParse(row).data?.keepit ?? []);
    const targets: KeepitTarget[] = [];
    for (const ref of refs) targets.push(...(await this.ofRef(ref, this.find(ref))));
    return targets;
  }

  private find(ref: KeepitRef): KeepitRow['keepit'] | undefined {
    const row = this.found?.find(
      ({ keepit }) =>
        keepit.markerId === ref.markerId && keepit.sessionId === ref.sessionId && keepit.projectId === ref.projectId,
    );
    return row?.keepit;
  }

  private async ofRef(ref: KeepitRef, shown?: KeepitRow['keepit']): Promise<KeepitTarget[]> {
    const known = shown ?? (await this.context.listings.find(ref));
    if (known === undefined) return [];
    const { effectiveWeight, weight, state, origin, content } = known;
    return [{ kind: 'memory', ref, weight: effectiveWeight, ownWeight: weight, state, origin, content }];
  }

  private async ofDocument(document: TextDocument, place: { line: number; column: number }): Promise<KeepitTarget[]> {
    const marked = await this.sources.get(document);
    const mark = marked?.index.at(place);
    if (marked === undefined || mark === undefined) return [];
    if (mark.ref !== undefined) return this.ofRef(mark.ref);
    if (mark.origin !== 'text') return [];
    const { weight, ownWeight, state, origin, preview } = mark;
    return [{ kind: 'text', document, mark, weight, ownWeight, state, origin, content: preview }];
  }
}
