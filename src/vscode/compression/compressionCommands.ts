import type { CompressionScope } from '../../core/model/compression';
import { Disposable } from 'vscode';
import * as z from 'zod/mini';
import { compressionStateSchema, type CompressionTarget } from '../../core/versions/view/compressionProtocol';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredSession } from '../../core/sessions/results';
import { registerCommands, type Feature } from '../feature';
import { COMPRESSION_PANEL } from '../ids';
import { PanelSet } from '../panels/panel';
import { panelTitle, type CompressionRunner } from './compressionRunner';
import type { Context } from '../context';
import type { CompressionSource } from './compressionSource';
import type { VersionsTree } from './versionsTree';
import type { CompressionPanel } from './compressionPanel';
import { sessionRefSchema } from '../../core/sessions/view/treeNode';

/** What a compression is about, as rows of the versions view say it. */
const rowSchema = z.object({
  session: sessionRefSchema,
  scope: z.optional(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('whole') }),
      z.object({ kind: z.literal('delta') }),
      z.object({ kind: z.literal('part'), partNumber: z.number() }),
    ]),
  ),
});

interface Meant {
  readonly session: DiscoveredSession;
  /** Of the row; undefined when it says none. */
  readonly scope: CompressionScope | undefined;
}

/** Making versions: by the panel with everything that can be set, or by a level from a list. */
export class CompressionCommands implements Feature {
  readonly name = 'compression';
  private readonly panels: PanelSet<CompressionTarget, CompressionPanel>;

  constructor(
    private readonly context: Context,
    private readonly runner: CompressionRunner,
    private readonly tree: VersionsTree,
    source: CompressionSource,
  ) {
    this.panels = new PanelSet(context, {
      type: COMPRESSION_PANEL,
      icon: 'compression',
      place: 'over',
      scopeOf: (state) => compressionStateSchema.safeParse(state).data?.target,
      make: async (target, panel) => {
        const { CompressionPanel } = await import('./compressionPanel');
        return new CompressionPanel(target, panel, context, { source, runner });
      },
    });
  }

  register(): Disposable {
    return Disposable.from(
      this.panels.registerFollowing(['keepits', 'versions']),
      registerCommands(this.context.notifier, {
        createCompression: (args) => this.create(args),
        compressSession: (args) => this.byLevel(args, { kind: 'whole' }),
        compressNewMessages: (args) => this.byLevel(args, { kind: 'delta' }),
        recompress: (args) => this.byLevel(args, { kind: 'whole' }),
      }),
    );
  }

  private async create(args: readonly unknown[]) {
    const meant = await this.meant(args);
    if (meant !== undefined) await this.openPanel(meant.session, meant.scope);
  }

  private async openPanel(session: DiscoveredSession, scope?: CompressionScope) {
    const { projectId, sessionId } = session;
    if (!(await this.runner.ensureInMemory({ projectId, sessionId }))) return;
    const panel = await this.panels.show({ projectId, sessionId }, panelTitle(titleOf(session)));
    if (scope !== undefined) panel.choose(scope);
  }

  /** `otherwise`: what is compressed when the row does not say it. */
  private async byLevel(args: readonly unknown[], otherwise: CompressionScope) {
    const { runner } = this;
    const meant = await this.meant(args);
    if (meant === undefined) return;
    const { session } = meant;
    const scope = meant.scope ?? otherwise;
    const { projectId, sessionId } = session;
    const ref = { projectId, sessionId };
    if (!(await runner.ensureInMemory(ref))) return;
    const { LevelPicker } = await import('./levelPicker');
    const { memory, settings, formats } = this.context;
    const choice = await new LevelPicker(memory, settings, formats).pick(ref, { title: titleOf(session), scope });
    if (choice === undefined) return;
    if (choice === 'custom') {
      await this.openPanel(session, scope);
      return;
    }
    const compression = { session: ref, title: titleOf(session), request: choice };
    if (!(await runner.confirm(compression))) return;
    const version = await runner.run(compression);
    if (version !== undefined) await runner.present(ref, version);
  }

  private async meant(args: readonly unknown[]): Promise<Meant | undefined> {
    const meant = await this.find(args);
    if (meant !== undefined) this.tree.choose(meant.session);
    return meant;
  }

  /** The row that the command was called on, else the session whose versions are shown, else the one that the user picks. */
  private async find(args: readonly unknown[]): Promise<Meant | undefined> {
    const { model, targets } = this.context;
    const row = rowSchema.safeParse(args[0]);
    const named = row.success ? model.find(row.data.session) : undefined;
    if (row.success && named !== undefined) return { session: named, scope: row.data.scope };
    const current = args[0] === undefined ? this.tree.session : undefined;
    if (current !== undefined) return { session: current, scope: undefined };
    const session = await targets.one(args, { title: 'Keepit: Compress Session' });
    return session === undefined ? undefined : { session, scope: undefined };
  }
}
