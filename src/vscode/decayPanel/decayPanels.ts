import { Disposable } from 'vscode';
import * as z from 'zod/mini';
import { decayStateSchema, type DecayScope } from '../../core/sessions/view/decayPanel';
import { registerCommands, type Feature } from '../feature';
import { DECAY_PANEL } from '../ids';
import { PanelSet } from '../panels/panel';
import type { Uses } from '../context';
import type { KeepitCommands } from '../keepits/keepitCommands';
import type { KeepitsTree } from '../keepits/keepitsTree';
import type { DecayPanel } from './decayPanel';

/** A project's row, as menus pass it. */
const projectRowSchema = z.object({ kind: z.literal('project'), projectId: z.string() });

/** The decay previews: one for each session or project, made again after a restart. */
export class DecayPanels implements Feature {
  readonly name = 'decay preview';
  private readonly panels: PanelSet<DecayScope, DecayPanel>;

  constructor(
    private readonly context: Uses<
      'host' | 'memory' | 'model' | 'targets' | 'registering' | 'listings' | 'extensionUri' | 'notifier' | 'log'
    >,
    private readonly keepits: KeepitsTree,
    commands: KeepitCommands,
  ) {
    this.panels = new PanelSet({
      type: DECAY_PANEL,
      extensionUri: context.extensionUri,
      icon: 'decay',
      place: 'beside',
      isSame: (a, b) => a.projectId === b.projectId && a.sessionId === b.sessionId,
      scopeOf: (state) => decayStateSchema.safeParse(state).data?.scope,
      make: async (scope, panel) => new (await import('./decayPanel')).DecayPanel(scope, panel, context, commands),
    });
  }

  register(): Disposable {
    const { host, model, notifier } = this.context;
    return Disposable.from(
      registerCommands(notifier, {
        previewDecay: (args) => this.preview(args),
      }),
      this.panels.register(),
      host.onDidWriteOf(['keepits'], (session) =>
        this.panels.tellChanged(({ projectId }) => projectId === (session?.projectId ?? projectId)),
      ),
      model.onDidChange(() => this.panels.tellChanged()),
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
