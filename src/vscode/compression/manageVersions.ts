import { window, type Disposable } from 'vscode';
import type { ListedVersion } from '../../core/versions/versionListing';
import { deleteVersionsDialog } from '../../core/presentation/compressionDialogs';
import { formatCount, type Formats } from '../../core/text/formats';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { DiscoveredSession } from '../../core/sessions/results';
import { registerCommands } from '../commandTable';
import type { Feature } from '../feature';
import { commandIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { SessionTargets } from '../sessions/sessionTargets';
import type { VersionTarget } from './versionTargets';

export interface ManageVersionsOptions {
  readonly host: MemoryHost;
  readonly targets: SessionTargets;
  readonly formats: Formats;
  readonly notifier: Notifier;
  /** The session whose versions are shown. */
  readonly shown: () => DiscoveredSession | undefined;
  readonly delete: (target: VersionTarget, force: boolean) => Promise<void>;
}

/** *Manage Compressions* (seed 000, 5.5): all versions of a session, to be deleted by the handful. */
export class ManageVersions implements Feature {
  readonly name = 'manage compressions';

  constructor(private readonly options: ManageVersionsOptions) {}

  register(): Disposable {
    const { notifier } = this.options;
    return registerCommands(
      [{ id: commandIds.manageCompressions, doing: 'managing compressions', run: (...args) => this.manage(args) }],
      notifier,
    );
  }

  private async manage(args: readonly unknown[]): Promise<void> {
    const { host, notifier, shown, targets } = this.options;
    const wants = ({ registered }: DiscoveredSession): boolean => registered;
    const session =
      (args[0] === undefined ? shown() : undefined) ??
      (await targets.one(args, { title: 'Keepit: Manage Compressions', wants }));
    if (session === undefined) return;
    const { service } = await host.memory();
    const { versions, original } = await service.versions(session);
    if (versions.length === 0) {
      void notifier.tell(`“${titleOf(session)}” has no versions yet.`);
      return;
    }
    const title = `Keepit: Manage Compressions of “${titleOf(session)}” (original: ${formatCount(original.tokens)} tokens)`;
    const { chooseVersions } = await import('./versionChooser');
    const chosen = await chooseVersions(title, versions, this.options.formats);
    if (chosen === undefined || chosen.length === 0) return;
    const isUsed = chosen.some(({ usedIn }) => usedIn.length > 0);
    if (isUsed && !(await this.confirm(chosen))) return;
    const { projectId, sessionId } = session;
    const versionIds = chosen.map(({ versionId }) => versionId);
    await this.options.delete({ session: { projectId, sessionId }, versionIds }, isUsed);
  }

  /** What is used by compositions is not deleted by a slip of the hand; the rest can be undone. */
  private async confirm(chosen: readonly ListedVersion[]): Promise<boolean> {
    const { title, detail } = deleteVersionsDialog(chosen, this.options.formats);
    const label = 'Delete All the Same';
    return (await window.showWarningMessage(title, { modal: true, detail }, label)) === label;
  }
}
