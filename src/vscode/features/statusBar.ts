import { Disposable, StatusBarAlignment, window, type StatusBarItem } from 'vscode';
import type { Formats } from '../../core/text/formats';
import { liveSession, liveStatus } from '../../core/presentation/memoryDialogs';
import type { Feature } from '../feature';
import { commandIds } from '../ids';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { Settings } from '../settings';

const PRIORITY = 60;

/** The session that is being worked in, in the status bar; nothing is shown while there is none. */
export class StatusBar implements Feature {
  readonly name = 'status bar';

  constructor(
    private readonly model: SessionsModel,
    private readonly settings: Settings,
    private readonly formats: Formats,
  ) {}

  register(): Disposable {
    const item = window.createStatusBarItem('keepit.live', StatusBarAlignment.Right, PRIORITY);
    item.name = 'Keepit: Live Session';
    item.command = commandIds.sessionActions;
    const show = (): void => this.show(item);
    show();
    return Disposable.from(item, this.model.onDidChange(show), this.settings.onDidChange(show));
  }

  private show(item: StatusBarItem): void {
    const project = this.model.currentProject;
    const session = project === undefined ? undefined : liveSession(project);
    if (session === undefined || !this.settings.isStatusBarEnabled) {
      item.hide();
      return;
    }
    const { text, tooltip, spoken } = liveStatus(session, this.formats);
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: spoken };
    item.show();
  }
}
