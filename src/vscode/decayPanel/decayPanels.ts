import { Disposable, Uri, ViewColumn, window, type WebviewPanel } from 'vscode';
import * as z from 'zod/mini';
import { decayStateSchema, type DecayScope } from '../../core/presentation/decayProtocol';
import { Debouncer } from '../../node/claude/debouncer';
import { registerCommands } from '../commandTable';
import type { Feature } from '../feature';
import { commandIds, DECAY_PANEL } from '../ids';
import type { KeepitChanges } from '../keepits/keepitChanges';
import type { KeepitScope } from '../keepits/keepitsModel';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import { DecayPanel, type DecayPanelOptions } from './decayPanel';

export interface DecayPanelsOptions extends DecayPanelOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly targets: SessionTargets;
  readonly changes: KeepitChanges;
  readonly notifier: Notifier;
  /** Whose keepits the keepits view shows. */
  readonly shown: () => KeepitScope | undefined;
}

/** A project's row, as menus pass it. */
const projectRowSchema = z.object({ kind: z.literal('project'), projectId: z.string() });

/** A session that is being worked in changes with every message. */
const CHANGE_TIMES = { quietMs: 150, maxWaitMs: 1000 };

/** The decay previews: one for each session or project, made again after a restart. */
export class DecayPanels implements Feature {
  readonly name = 'decay preview';
  private readonly open = new Set<DecayPanel>();
  private readonly changed = new Debouncer<DecayPanel>(CHANGE_TIMES, (panels) => {
    for (const panel of panels) if (this.open.has(panel)) panel.tellChanged();
  });

  constructor(private readonly options: DecayPanelsOptions) {}

  register(): Disposable {
    const { model, changes, host, notifier } = this.options;
    return Disposable.from(
      registerCommands(
        [{ id: commandIds.previewDecay, doing: 'previewing decay', run: (...args) => this.preview(args) }],
        notifier,
      ),
      window.registerWebviewPanelSerializer(DECAY_PANEL, {
        deserializeWebviewPanel: async (panel: WebviewPanel, state: unknown) => {
          const remembered = decayStateSchema.safeParse(state);
          if (remembered.success) this.adopt(remembered.data.scope, panel);
          else panel.dispose(); // it was closed before it knew what to show
        },
      }),
      changes.onDidChange(({ memory, session }) =>
        this.tellChanged(({ scope }) => scope.memory === memory && scope.projectId === session.projectId),
      ),
      model.onDidChange(() => this.tellChanged(({ scope }) => scope.memory === host.current)),
      new Disposable(() => {
        this.changed.dispose();
        for (const panel of this.open) panel.dispose();
      }),
    );
  }

  private async preview(args: readonly unknown[]): Promise<void> {
    const scope = await this.meant(args);
    if (scope === undefined) return;
    const shown = [...this.open].find((panel) => isSame(panel.scope, scope));
    if (shown !== undefined) {
      shown.reveal();
      return;
    }
    this.adopt(scope, window.createWebviewPanel(DECAY_PANEL, 'Decay', this.column()));
  }

  /** Where another preview is, else beside the text that is being read: never a third column for the second preview. */
  private column(): ViewColumn {
    const [column] = [...this.open].flatMap((panel) => panel.viewColumn ?? []);
    return column ?? (window.activeTextEditor === undefined ? ViewColumn.Active : ViewColumn.Beside);
  }

  /** The row that the command was called on, else what the keepits view shows, else what the user picks. */
  private async meant(args: readonly unknown[]): Promise<DecayScope | undefined> {
    const { host, targets, shown } = this.options;
    const memory = host.current;
    const row = projectRowSchema.safeParse(args[0]);
    if (row.success) return { memory, projectId: row.data.projectId };
    const scope = args[0] === undefined ? shown() : undefined;
    if (scope !== undefined) return scopeOf(memory, scope.project.projectId, scope.session?.sessionId);
    const title = 'Keepit: Preview Decay';
    const session = await targets.one(args, { title, wants: ({ problem }) => problem === undefined });
    return session === undefined ? undefined : scopeOf(memory, session.projectId, session.sessionId);
  }

  private adopt(scope: DecayScope, webviewPanel: WebviewPanel): void {
    const icon = (name: string): Uri => Uri.joinPath(this.options.extensionUri, 'media', name);
    webviewPanel.iconPath = { dark: icon('decayDark.svg'), light: icon('decayLight.svg') };
    const panel = new DecayPanel(scope, webviewPanel, this.options);
    this.open.add(panel);
    webviewPanel.onDidDispose(() => {
      this.open.delete(panel);
      panel.dispose();
    });
  }

  private tellChanged(isAbout: (panel: DecayPanel) => boolean): void {
    for (const panel of this.open) if (isAbout(panel)) this.changed.add(panel);
  }
}

function scopeOf(memory: DecayScope['memory'], projectId: string, sessionId: string | undefined): DecayScope {
  return sessionId === undefined ? { memory, projectId } : { memory, projectId, sessionId };
}

function isSame(a: DecayScope, b: DecayScope): boolean {
  return a.memory === b.memory && a.projectId === b.projectId && a.sessionId === b.sessionId;
}
