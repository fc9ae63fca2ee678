import { Disposable, window } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { Context, Uses } from '../context';
import type { Feature } from '../feature';
import { VisibleRefresh } from '../visibleRefresh';
import { FileHistoryFeature } from './fileHistoryFeature';
import { SearchFeature } from './searchFeature';
import { WorkAtHand } from './workAtHand';

/** So long nothing is opened or closed before it is looked again: nobody waits for it. */
const SETTLE_MS = 1000;

/** Composes what finds the right past, asked or not. */
export function searchFeatures(context: Context): Feature[] {
  return [new SearchFeature(context), new SuggestedSessions(context), new FileHistoryFeature(context)];
}

/** *Suggested*, below the sessions: what the work at hand may need. Looked for while somebody sees the list, and again when that work is another one. */
class SuggestedSessions implements Feature {
  readonly name = 'suggested sessions';
  private readonly whenVisible = new VisibleRefresh((isSuperseded) => this.look(isSuperseded), SETTLE_MS);
  private readonly work: WorkAtHand;
  private asked = '';

  constructor(private readonly context: Uses<'memory' | 'model' | 'views' | 'log'>) {
    this.work = new WorkAtHand(context);
  }

  register(): Disposable {
    const { model, views } = this.context;
    const again = () => this.whenVisible.lookSoon();
    return Disposable.from(
      this.whenVisible,
      views.whenSessionsSeen((isVisible) => this.whenVisible.setVisible(isVisible)),
      model.onDidChange(again),
      window.tabGroups.onDidChangeTabs(again),
      window.onDidChangeWindowState(again), // the branch may be another one
    );
  }

  private async look(isSuperseded: () => boolean) {
    const { memory, model, views, log } = this.context;
    try {
      const project = model.shownProject;
      const kept = project?.sessions.filter(({ registered }) => registered) ?? [];
      const isEmpty = project === undefined || kept.length === 0;
      const request = isEmpty ? undefined : await this.work.asked(project.projectId);
      const asked = JSON.stringify([request, kept.map(({ sessionId, messages }) => [sessionId, messages])]);
      if (isSuperseded() || asked === this.asked) return;
      const found = request === undefined ? [] : await memory.search.suggest(request);
      if (isSuperseded()) return;
      this.asked = asked;
      views.suggest(found);
    } catch (error) {
      log.debug(`Nothing is suggested: ${errorText(error)}`);
      if (!isSuperseded()) views.suggest([]);
    }
  }
}
