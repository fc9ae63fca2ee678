import { Disposable, type WebviewPanel } from 'vscode';
import * as z from 'zod/mini';
import {
  decayStateSchema,
  type DecayScope,
  decayRequestSchema,
  type DecayData,
  type DecayMarker,
  type DecayPanelRequest,
} from '../../core/sessions/view/decayPanel';
import { registerCommands, type Feature } from '../feature';
import { DECAY_PANEL } from '../ids';
import { PanelSet, Panel, scopeShown } from '../panels/panel';
import type { Context, Uses } from '../context';
import type { KeepitCommands } from '../keepits/keepitCommands';
import type { KeepitsTree } from '../keepits/keepitsTree';
import { oneLine } from '../../core/text/cleanText';
import { distanceIn } from '../../core/sessions/view/keepitOutlook';
import { titleOf } from '../../core/text/formats';
import type { KeepitRef } from '../../core/sessions/results';
import { eachMarked } from '../keepits/keepitListings';

const PREVIEW_LENGTH = 240;

/** One decay preview that is open. */
class DecayPanel extends Panel<DecayScope> {
  /** Which keepit each row is. */
  private readonly refs = new Map<string, KeepitRef>();

  constructor(
    scope: DecayScope,
    panel: WebviewPanel,
    private readonly context: Uses<'memory' | 'listings' | 'extensionUri' | 'log'>,
    private readonly keepits: KeepitCommands,
  ) {
    super(scope, panel, context, { name: 'decay', title: 'Decay Preview' });
  }

  protected async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const request: DecayPanelRequest = decayRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load(signal);
      case 'open': {
        const ref = this.refs.get(request.key);
        const isShown = ref !== undefined && (await this.keepits.show(ref, { viewColumn: this.otherColumn }));
        return { isShown };
      }
    }
  }

  /** Throws `SessionLookupError` when the session, or all of the project, is gone. */
  private async load(signal: AbortSignal): Promise<DecayData> {
    const { memory, listings } = this.context;
    const { project, session } = await scopeShown(memory, this.scope, signal);
    const decay = await memory.keepits.decayContext(project.projectId);
    const markers = await eachMarked({ project, session }, async (one) => {
      signal.throwIfAborted();
      const { keepits } = await listings.of(one);
      const distance = distanceIn(one, decay);
      return keepits.map(({ projectId, sessionId, markerId, effectiveWeight: weight, content }): DecayMarker => {
        const key = `${sessionId}/${markerId}`;
        this.refs.set(key, { projectId, sessionId, markerId });
        return { key, weight, preview: oneLine(content, PREVIEW_LENGTH), distance, session: titleOf(one) };
      });
    });
    const title = session === undefined ? project.displayName : titleOf(session);
    this.panel.title = `Decay: ${title}`;
    const { config, usual, isDecayOn } = decay;
    return { scope: this.scope, title, project: project.displayName, isDecayOn, config, usual, markers };
  }
}

/** A project's row, as menus pass it. */
const projectRowSchema = z.object({ kind: z.literal('project'), projectId: z.string() });

/** The decay previews: one for each session or project, made again after a restart. */
export class DecayPanels implements Feature {
  readonly name = 'decay preview';
  private readonly panels: PanelSet<DecayScope, DecayPanel>;

  constructor(
    private readonly context: Context,
    private readonly keepits: KeepitsTree,
    commands: KeepitCommands,
  ) {
    this.panels = new PanelSet(context, {
      type: DECAY_PANEL,
      icon: 'decay',
      place: 'beside',
      scopeOf: (state) => decayStateSchema.safeParse(state).data?.scope,
      make: async (scope, panel) => new DecayPanel(scope, panel, context, commands),
    });
  }

  register(): Disposable {
    return Disposable.from(
      registerCommands(this.context.notifier, { previewDecay: (args) => this.preview(args) }),
      this.panels.registerFollowing(['keepits']),
    );
  }

  private async preview(args: readonly unknown[]) {
    const scope = await this.meant(args);
    if (scope !== undefined) await this.panels.show(scope, 'Decay');
  }

  /** The row that the command was called on, else what the keepits view shows, else what the user picks. */
  private async meant(args: readonly unknown[]): Promise<DecayScope | undefined> {
    const row = projectRowSchema.safeParse(args[0]);
    if (row.success) return { projectId: row.data.projectId };
    const scope = args[0] === undefined ? this.keepits.scope : undefined;
    if (scope !== undefined) return scopeOf(scope.project.projectId, scope.session?.sessionId);
    const title = 'Keepit: Preview Decay';
    const session = await this.context.targets.one(args, { title, wants: ({ problem }) => problem === undefined });
    return session === undefined ? undefined : scopeOf(session.projectId, session.sessionId);
  }
}

function scopeOf(projectId: string, sessionId: string | undefined): DecayScope {
  return sessionId === undefined ? { projectId } : { projectId, sessionId };
}
