import { Disposable } from 'vscode';
import * as z from 'zod/mini';
import type { AddedSession } from '../../core/compositions/view/compositionForm';
import { compositionStateSchema, type CompositionScope } from '../../core/compositions/view/compositionProtocol';
import { type CompositionRef, sessionRefSchema } from '../../core/sessions/view/treeNode';
import type { DiscoveredSession, SessionRef } from '../../core/sessions/results';
import type { SharedMemoryLink } from '../../core/sessions/links';
import { registerCommands, type Feature } from '../feature';
import { COMPOSITION_PANEL } from '../ids';
import { PanelSet } from '../panels/panel';
import { sessionKey } from '../../core/model/fields';
import type { Context } from '../context';
import { isUsable } from '../sessions/sessionTargets';
import type { CompositionPanel, CompositionPanelOptions } from './compositionPanel';
import type { CompositionsTree } from './compositionsTree';

/** A session's row, with those that are selected beside it. */
const rowSchema = z.object({ session: sessionRefSchema });

/** Opening Composition Builders, and bringing sessions into them. */
export class CompositionBuilders implements Feature {
  readonly name = 'composition builder';
  private readonly panels: PanelSet<CompositionScope, CompositionPanel>;
  /** The one that was shown last: sessions are added to it. */
  private latest: CompositionPanel | undefined;

  constructor(
    private readonly context: Context,
    private readonly compositions: CompositionsTree,
    made: Pick<CompositionPanelOptions, 'runner' | 'deliveries'>,
  ) {
    this.panels = new PanelSet(context, {
      type: COMPOSITION_PANEL,
      icon: 'composition',
      place: 'over',
      isSame: (a, b) => a.projectId === b.projectId && a.opened === b.opened,
      scopeOf: (state) => compositionStateSchema.safeParse(state).data?.scope,
      make: async (scope, webviewPanel) => {
        const { CompositionPanel } = await import('./compositionPanel');
        const { CompositionSource } = await import('./compositionSource');
        const { runner, deliveries } = made;
        const panel = new CompositionPanel(scope, webviewPanel, context, {
          source: new CompositionSource(context),
          runner,
          deliveries,
          chooseSessions: (present) => this.choose(scope.projectId, present),
          bringIn: (sessions) => this.bringIn(sessions),
        });
        this.latest = panel;
        webviewPanel.onDidChangeViewState(() => {
          if (webviewPanel.active) this.latest = panel;
        });
        webviewPanel.onDidDispose(() => {
          if (this.latest === panel) this.latest = undefined;
        });
        return panel;
      },
    });
  }

  register(): Disposable {
    const { host, notifier } = this.context;
    return Disposable.from(
      this.panels.registerFollowing(['keepits', 'versions']),
      registerCommands(notifier, {
        composeContext: (args) => this.compose(args),
        addToComposition: (args) => this.addTo(args),
        editComposition: (args) => this.edit(args),
      }),
      host.onDidWrite('compositions', () => this.panels.tellChanged()),
    );
  }

  /** Sessions that were dropped on a composition of the view. */
  async addToSaved(place: CompositionRef, sessions: readonly SessionRef[]): Promise<void> {
    const added = await this.bringIn(sessions);
    if (added.length === 0) return;
    (await this.open({ projectId: place.projectId, opened: place.name })).add(added);
  }

  /** A builder for a new composition, with these sessions in it. */
  async composeOf(sessions: readonly SessionRef[]): Promise<void> {
    const [first] = sessions;
    const added = await this.bringIn(sessions);
    if (first === undefined || added.length === 0) return;
    (await this.open({ projectId: first.projectId })).add(added);
  }

  private async open(scope: CompositionScope): Promise<CompositionPanel> {
    const panel = await this.panels.show(scope, 'Compose');
    this.latest = panel;
    return panel;
  }

  private async compose(args: readonly unknown[]) {
    const { model, notifier } = this.context;
    const named = sessionsIn(args);
    if (named.length > 0) {
      await this.composeOf(named);
      return;
    }
    const { projectId } = model.shownProject ?? {};
    if (projectId === undefined) void notifier.tell('Choose a project first: in the Projects view.');
    else await this.open({ projectId });
  }

  private async addTo(args: readonly unknown[]) {
    const { targets } = this.context;
    const named = sessionsIn(args);
    const sessions = named.length > 0 ? named : await targets.many(args, { title: 'Keepit: Add to Composition' });
    if (sessions === undefined || sessions.length === 0) return;
    const { latest } = this;
    if (latest === undefined) {
      await this.composeOf(sessions);
      return;
    }
    const added = await this.bringIn(sessions);
    (await this.open(latest.scope)).add(added);
  }

  private async edit(args: readonly unknown[]) {
    const place = await this.compositions.one(args, 'Keepit: Edit Composition');
    if (place !== undefined) await this.open({ projectId: place.projectId, opened: place.name });
  }

  private async choose(projectId: string, present: readonly SessionRef[]): Promise<AddedSession[]> {
    const there = new Set(present.map(sessionKey));
    const wants = (session: DiscoveredSession): boolean => isUsable(session) && !there.has(sessionKey(session));
    const { links } = await this.context.memory.links.list(projectId);
    const linked = (session: DiscoveredSession): string | undefined =>
      links.find((link) => link.targetProject === projectId && leadsTo(link, session))?.reason;
    const chosen = await this.context.targets.many([], { title: 'Add Sessions to the Composition', wants, linked });
    return chosen === undefined ? [] : this.bringIn(chosen);
  }

  /** Asks once for all that are not in memory yet; what cannot be brought in is told, and the others are. */
  private async bringIn(refs: readonly SessionRef[]): Promise<AddedSession[]> {
    const { memory, model, formats, notifier } = this.context;
    const known = refs.flatMap((ref) => model.find(ref) ?? []);
    const strangers = known.filter(({ registered }) => !registered);
    if (strangers.length === 0) return known.map(addedOf);
    const title = `Add ${strangers.length === 1 ? 'this session' : formats.plural(strangers.length, 'session')} to memory?`;
    const detail = 'Compositions are made of sessions in memory. Their transcripts stay as they are.';
    if (!(await notifier.isAgreed({ title, detail }, 'Add to Memory')))
      return known.filter(({ registered }) => registered).map(addedOf);
    const { failed } = await memory.sessions.register(
      strangers.map(({ projectId, sessionId }) => ({ projectId, sessionId })),
    );
    await model.reload(strangers.map(({ projectId }) => projectId));
    const [failure] = failed;
    if (failure !== undefined) void notifier.tell(`Not all could be added to memory: ${failure.error}`);
    const failures = new Set(failed.map(({ session }) => session));
    return known.filter(({ sessionId }) => !failures.has(sessionId)).map(addedOf);
  }
}

function leadsTo({ sourceProject, sourceSession }: SharedMemoryLink, { projectId, sessionId }: SessionRef): boolean {
  return sourceProject === projectId && (sourceSession === undefined || sourceSession === sessionId);
}

function addedOf({ projectId, sessionId, firstTimestamp }: DiscoveredSession): AddedSession {
  return { projectId, sessionId, firstTimestamp };
}

/** The rows that a menu passes: the one that was clicked, and all that are selected with it. */
function sessionsIn([first, rows]: readonly unknown[]): SessionRef[] {
  const meant = Array.isArray(rows) && rows.length > 0 ? rows : [first];
  return meant.flatMap((row: unknown) => rowSchema.safeParse(row).data?.session ?? []);
}
