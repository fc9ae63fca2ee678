import { Disposable, StatusBarAlignment, window, type Memento, type StatusBarItem } from 'vscode';
import { expiringSessions, liveSession, liveStatus, retentionWarning } from '../../core/sessions/view/memoryDialogs';
import type { DiscoveredProject, SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import type { Feature } from '../feature';
import { commandIds } from '../ids';

const NEVER = 'never';

/** Warns once a day, for the workspace's project, of sessions that Claude Code is about to delete. */
export class Retention implements Feature {
  readonly name = 'retention warning';

  constructor(
    private readonly context: Uses<'model' | 'settings' | 'notifier'>,
    /** Shared by all windows, so that two of them do not warn twice. */
    private readonly state: Memento,
    private readonly keep: (refs: readonly SessionRef[]) => Promise<void>,
  ) {}

  register(): Disposable {
    const { model, settings } = this.context;
    const look = () => void this.look();
    return Disposable.from(model.onDidChange(look), settings.onDidChange(look));
  }

  private async look() {
    const { model, settings, notifier } = this.context;
    const { state } = this;
    const project = model.currentProject;
    if (project === undefined || settings.retentionWarningDays === 0) return;
    const sessions = expiringSessions(project, settings.retentionWarningDays);
    if (sessions.length === 0 || this.isWarned(project)) return;
    await state.update(warnedKey(project), today());
    const keepThem = sessions.length === 1 ? 'Keep It' : 'Keep Them';
    const dontWarn = "Don't Warn for This Project";
    const answer = await notifier.tell(retentionWarning(project, sessions), keepThem, dontWarn);
    try {
      if (answer === keepThem) await this.keep(sessions);
      if (answer === dontWarn) await state.update(warnedKey(project), NEVER);
    } catch (error) {
      notifier.showError(error, 'keeping sessions');
    }
  }

  private isWarned(project: DiscoveredProject): boolean {
    const warned = this.state.get<unknown>(warnedKey(project));
    return warned === NEVER || warned === today();
  }
}

function warnedKey({ projectId }: DiscoveredProject): string {
  return `retentionWarned:${projectId}`;
}

function today(): string {
  return new Date().toDateString();
}

const PRIORITY = 60;

/** The session that is being worked in, in the status bar; nothing is shown while there is none. */
export class StatusBar implements Feature {
  readonly name = 'status bar';

  constructor(private readonly context: Uses<'model' | 'formats'>) {}

  register(): Disposable {
    const { model } = this.context;
    const item = window.createStatusBarItem('keepit.live', StatusBarAlignment.Right, PRIORITY);
    item.name = 'Keepit: Live Session';
    item.command = commandIds.sessionActions;
    const show = () => this.show(item);
    show();
    return Disposable.from(item, model.onDidChange(show));
  }

  private show(item: StatusBarItem) {
    const { model, formats } = this.context;
    const project = model.currentProject;
    const session = project === undefined ? undefined : liveSession(project);
    if (session === undefined) {
      item.hide();
      return;
    }
    const { text, tooltip, spoken } = liveStatus(session, formats);
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: spoken };
    item.show();
  }
}
