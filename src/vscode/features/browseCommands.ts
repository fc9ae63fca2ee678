import { commands, env, QuickPickItemKind, ThemeIcon, window, type Disposable, type QuickPickItem } from 'vscode';
import { liveSession } from '../../core/sessions/view/memoryDialogs';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { commandIds, EXTENSION_ID, viewIds, type CommandId } from '../ids';
import { revealFile } from '../revealFile';

interface ActionItem extends QuickPickItem {
  readonly command?: CommandId;
}

const anySession = (session: DiscoveredSession): boolean => session.problem === undefined;

/** Finding one's way: refresh, choose a project, reveal and copy. */
export class BrowseCommands implements Feature {
  readonly name = 'browse commands';

  constructor(
    private readonly context: Uses<'model' | 'memory' | 'targets' | 'notifier'>,
    private readonly showLog: () => void,
  ) {}

  register(): Disposable {
    const { notifier, targets } = this.context;
    const { showLog } = this;
    return registerCommands(notifier, {
      refresh: () => this.refresh(),
      selectProject: (args) => this.selectProject(args),
      sessionActions: (args) => this.actions(args),
      revealFile: async (args) => {
        const session = await targets.one(args, { title: 'Keepit: Reveal File', wants: anySession });
        if (session !== undefined) await revealFile(session.file);
      },
      copySessionId: (args) => this.copy(args, (it) => it.sessionId),
      copyPath: (args) => this.copy(args, (it) => it.file),
      showLog: showLog,
      openSettings: () => commands.executeCommand('workbench.action.openSettings', `@ext:${EXTENSION_ID}`),
      projectSettings: async (args) => {
        const project = targets.project(args) ?? (await targets.pickProject());
        if (project === undefined) return;
        const { editProjectSettings } = await import('./projectSettings');
        await editProjectSettings(project, this.context);
      },
    });
  }

  private async refresh() {
    const { model } = this.context;
    await window.withProgress({ location: { viewId: viewIds.sessions } }, () => model.refresh());
    await model.countExactly();
  }

  private async selectProject(args: readonly unknown[]) {
    const { model, targets } = this.context;
    if (args[0] === undefined) await model.wantAll();
    const project = args[0] === undefined ? await targets.pickProject() : targets.project(args);
    if (project === undefined) return;
    model.showProject(project.projectId);
    await model.countExactly();
  }

  /** What can be done with the live session: the status bar's click. */
  private async actions(args: readonly unknown[]) {
    const { model, targets } = this.context;
    const project = model.currentProject;
    const live = project === undefined ? undefined : liveSession(project);
    const named = args[0] === undefined ? live : await targets.one(args, { title: 'Keepit', wants: anySession });
    if (named === undefined) {
      await commands.executeCommand(`${viewIds.sessions}.focus`);
      return;
    }
    const chosen = await window.showQuickPick(actionItems(named), { title: `Keepit: ${titleOf(named)}` });
    if (chosen?.command !== undefined) await commands.executeCommand(chosen.command, refOf(named));
    else if (chosen !== undefined) await commands.executeCommand(`${viewIds.sessions}.focus`);
  }

  private async copy(args: readonly unknown[], what: (session: DiscoveredSession) => string) {
    const sessions = await this.context.targets.many(args, { title: 'Keepit: Copy', wants: anySession });
    if (sessions !== undefined) await env.clipboard.writeText(sessions.map(what).join('\n'));
  }
}

function actionItems(session: DiscoveredSession): ActionItem[] {
  const items: ActionItem[] = [
    { label: 'Open Transcript', iconPath: new ThemeIcon('open-preview'), command: commandIds.openTranscript },
  ];
  if (!session.registered) {
    items.push({ label: 'Add to Memory…', iconPath: new ThemeIcon('bookmark'), command: commandIds.addToMemory });
  } else {
    const fresh = session.newMessages === 0 ? 'nothing new' : `${session.newMessages} new`;
    const label = 'Sync';
    items.push({ label, description: fresh, iconPath: new ThemeIcon('sync'), command: commandIds.sync });
  }
  return [
    ...items,
    { label: 'Copy Session Id', iconPath: new ThemeIcon('copy'), command: commandIds.copySessionId },
    { label: '', kind: QuickPickItemKind.Separator },
    { label: 'Show All Sessions', iconPath: new ThemeIcon('list-tree') },
  ];
}

function refOf({ projectId, sessionId }: DiscoveredSession): { projectId: string; sessionId: string } {
  return { projectId, sessionId };
}
