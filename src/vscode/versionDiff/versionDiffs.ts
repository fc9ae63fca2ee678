import { Disposable, window, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import { ORIGINAL } from '../../core/versions/diff/types';
import { versionDiffStateSchema, type VersionDiffScope } from '../../core/versions/view/versionDiffProtocol';
import { endName } from '../../core/versions/view/versionDiffView';
import { outcomeText } from '../../core/versions/view/versionTexts';
import type { SessionRef } from '../../core/sessions/results';
import { registerCommands, type Feature } from '../feature';
import type { VersionsTree } from '../compression/versionsTree';
import { VERSION_DIFF_PANEL } from '../ids';
import { PanelSet } from '../panels/panel';
import type { Context } from '../context';
import type { VersionDiffPanel } from './versionDiffPanel';

/** Messages about a version say what it is compared with; rows do not. */
const againstSchema = z.object({ against: z.literal(ORIGINAL) });

interface EndItem extends QuickPickItem {
  readonly versionId: string;
}

/** Comparing versions, in a panel that says what was lost. */
export class VersionDiffs implements Feature {
  readonly name = 'version diff';
  private readonly panels: PanelSet<VersionDiffScope, VersionDiffPanel>;

  constructor(
    private readonly context: Context,
    private readonly versions: VersionsTree,
  ) {
    this.panels = new PanelSet(context, {
      type: VERSION_DIFF_PANEL,
      icon: 'versionDiff',
      place: 'over',
      scopeOf: (state) => versionDiffStateSchema.safeParse(state).data?.scope,
      make: async (scope, panel) => {
        const { VersionDiffPanel } = await import('./versionDiffPanel');
        return new VersionDiffPanel(scope, panel, context);
      },
    });
  }

  register(): Disposable {
    const { host, notifier } = this.context;
    return Disposable.from(
      this.panels.register(),
      registerCommands(notifier, {
        compareVersions: (args) => this.compare(args),
      }),
      host.onDidWriteOf(['keepits', 'versions'], (session) =>
        this.panels.tellChanged(({ sessionId }) => sessionId === (session?.sessionId ?? sessionId)),
      ),
    );
  }

  private async compare(args: readonly unknown[]) {
    const scope = await this.meant(args, 'Keepit: Compare Versions');
    if (scope === undefined) return;
    const { projectId, sessionId } = scope;
    const title = this.context.model.titleOf({ projectId, sessionId });
    const panel = await this.panels.show(scope, title === undefined ? 'Compare' : `Compare: ${title}`);
    panel.choose(scope.a, scope.b);
  }

  /** Two that were selected, the older one first; one against the original, or against what the user picks; else two picks. */
  private async meant(args: readonly unknown[], title: string): Promise<VersionDiffScope | undefined> {
    const given = this.versions.given(args);
    const [first, second] = [...(given?.versionIds ?? [])].sort();
    if (given !== undefined && first !== undefined) {
      const { session } = given;
      if (second !== undefined) return scopeOf(session, first, second);
      if (againstSchema.safeParse(args[0]).success) return scopeOf(session, ORIGINAL, first);
      const other = await this.pick(session, { title, placeHolder: `Compare ${first} with …`, without: first });
      if (other === undefined) return undefined;
      return other === ORIGINAL || other < first ? scopeOf(session, other, first) : scopeOf(session, first, other);
    }
    return this.pickBoth(args, title);
  }

  private async pickBoth(args: readonly unknown[], title: string): Promise<VersionDiffScope | undefined> {
    const session = await this.versions.kept(args, title);
    if (session === undefined) return undefined;
    const a = await this.pick(session, { title, placeHolder: 'What to compare from' });
    if (a === undefined) return undefined;
    const b = await this.pick(session, {
      title,
      placeHolder: `Compare ${endName({ versionId: a })} with …`,
      without: a,
    });
    return b === undefined ? undefined : scopeOf(session, a, b);
  }

  private async pick(
    session: SessionRef,
    { without, ...options }: { title: string; placeHolder: string; without?: string },
  ): Promise<string | undefined> {
    const { memory, formats } = this.context;
    const { versions } = await memory.versions.list(session);
    if (versions.length === 0) {
      void window.showInformationMessage('This session has no versions yet: create a compression first.');
      return undefined;
    }
    const items: EndItem[] = [
      { versionId: ORIGINAL, label: endName({ versionId: ORIGINAL }), description: 'the session itself' },
      ...versions.map((version) => ({
        versionId: version.versionId,
        label: version.versionId,
        description: outcomeText(version, formats).replace(/^[^:]*: /, ''),
      })),
    ];
    const shown = items.filter(({ versionId }) => versionId !== without);
    return (await window.showQuickPick(shown, { ...options, matchOnDescription: true }))?.versionId;
  }
}

function scopeOf({ projectId, sessionId }: SessionRef, a: string, b: string): VersionDiffScope {
  return { projectId, sessionId, a, b };
}
