import { Disposable, type Memento } from 'vscode';
import { expiringSessions, retentionWarning } from '../../core/presentation/memoryDialogs';
import type { DiscoveredProject, SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import type { Feature } from '../feature';

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
    const look = (): void => void this.look();
    return Disposable.from(model.onDidChange(look), settings.onDidChange(look));
  }

  private async look(): Promise<void> {
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
