import { Disposable, window, type QuickPickItem } from 'vscode';
import { agedLines, agedText } from '../../core/versions/view/compressionDialogs';
import type { Aged } from '../../core/versions/aging';
import type { MemoryService } from '../../core/memory';
import type { OnProgress } from '../../core/sessions/results';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { withProgressMessage } from '../progressMessage';

const HOUR_MS = 60 * 60 * 1000;
const TITLE = 'Keepit: Clear Up Versions';

interface Choice extends QuickPickItem {
  /** What makes it happen by itself. */
  readonly setting?: string;
  readonly work: (
    projectId: string,
    how: { readonly isDryRun: boolean },
    onProgress: OnProgress,
    signal: AbortSignal,
  ) => Promise<Aged>;
}

/** Lets the versions of the workspace's project age, where that is wanted and due, and clears up when somebody asks for it. */
export class Aging implements Feature {
  readonly name = 'aging';
  /** The projects that were looked at when they first came up; from then on the clock says when. */
  private readonly seen = new Set<string>();

  constructor(private readonly context: Uses<'model' | 'memory' | 'log' | 'notifier' | 'targets' | 'formats'>) {}

  register(): Disposable {
    const { model, notifier } = this.context;
    const hourly = setInterval(() => void this.look(model.currentProject?.projectId), HOUR_MS);
    const first = model.onDidChange(() => {
      const projectId = model.currentProject?.projectId;
      if (projectId === undefined || this.seen.has(projectId)) return;
      this.seen.add(projectId);
      void this.look(projectId);
    });
    const commands = registerCommands(notifier, { clearUpVersions: (args) => this.clearUp(args) });
    return Disposable.from(first, commands, new Disposable(() => clearInterval(hourly)));
  }

  private async look(projectId: string | undefined) {
    if (projectId === undefined) return;
    const { model, memory, log } = this.context;
    try {
      const { created, pruned } = await memory.versions.tend(projectId);
      if (created.length + pruned.length === 0) return;
      await model.reload([projectId]);
    } catch (error) {
      log.error('Versions could not age.', error);
    }
  }

  /** Shows what would be done before it is done, and takes it back when that is asked for. */
  private async clearUp(args: readonly unknown[]) {
    const { memory, model, notifier, targets, formats } = this.context;
    const project = targets.project(args) ?? (await targets.pickProject());
    if (project === undefined) return;
    const { projectId, displayName } = project;
    const chosen = await window.showQuickPick(choicesOf(memory), { title: TITLE, placeHolder: displayName });
    if (chosen === undefined) return;
    const work = (title: string, isDryRun: boolean) =>
      withProgressMessage(title, {}, (onProgress, signal) => chosen.work(projectId, { isDryRun }, onProgress, signal));
    const due = await work('Looking what is due', true);
    const isDue = due.created.length + due.pruned.length > 0;
    if (!isDue && chosen.setting === undefined) {
      void notifier.tell(`Nothing is due in ${displayName}.`);
      return;
    }
    const now = `${agedText(due, formats, 'would be')} in ${displayName}.`;
    const question = chosen.setting === undefined ? now : `${now} From now on this happens by itself.`;
    const label = chosen.setting === undefined ? 'Clear Up' : 'From Now On';
    const detail = agedLines(due, (ref) => model.titleOf(ref) ?? ref.sessionId).join('\n');
    if (!(await notifier.isAgreed({ title: question, detail }, label, true))) return;
    if (chosen.setting !== undefined) await memory.config.setProject(projectId, chosen.setting, 'true');
    const aged = await work('Clearing up versions', false);
    await model.reload([projectId]);
    const verb = aged.created.length + aged.pruned.length === 1 ? 'was' : 'were';
    const undo = async () => {
      for (const { trash, ...session } of aged.trashed) await memory.versions.restore(session, trash);
      await model.reload([projectId]);
    };
    await notifier.tell(`${agedText(aged, formats, verb)}.`, { Undo: aged.trashed.length > 0 ? undo : undefined });
  }
}

function choicesOf({ versions }: MemoryService): Choice[] {
  return [
    {
      label: 'Never Used',
      detail: 'Versions that no composition has ever used go to the trash.',
      work: (id, how) => versions.prune(id, { ...how, isUnused: true }),
    },
    {
      label: 'Older Than 60 Days',
      detail: 'Versions that were neither made nor used for 60 days go to the trash.',
      work: (id, how) => versions.prune(id, { ...how, olderThanDays: 60 }),
    },
    {
      label: 'As Sessions Age, From Now On',
      detail:
        'Sessions that rest get smaller versions, and those between go to the trash. The project’s settings end it.',
      setting: 'project.autoDecay.enabled',
      work: (id, how, onProgress, signal) => versions.autoDecay(id, how, onProgress, signal),
    },
  ];
}
