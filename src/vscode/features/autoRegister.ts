import { Disposable, type Memento, StatusBarAlignment, window, type StatusBarItem } from 'vscode';
import * as z from 'zod/mini';
import type { SessionRef, DiscoveredProject, DiscoveredSession } from '../../core/sessions/results';
import type { MemoryService } from '../../core/memory';
import { isShown } from '../../core/sessions/view/sessionTree';
import type { Uses } from '../context';
import type { Feature } from '../feature';
import { expiringSessions, liveSession, liveStatus, retentionWarning } from '../../core/sessions/view/memoryDialogs';
import { commandIds } from '../ids';

const KEY = 'forgottenSessions';
const idsSchema = z.array(z.string());
const MAX_REMEMBERED = 5000;

/** The sessions that the user removed from memory: adding new ones by itself must not bring them back. */
export class ForgottenSessions {
  constructor(private readonly state: Memento) {}

  has({ sessionId }: SessionRef): boolean {
    return this.ids().includes(sessionId);
  }

  add(refs: readonly SessionRef[]): void {
    if (refs.length === 0) return;
    const ids = new Set([...this.ids(), ...refs.map(({ sessionId }) => sessionId)]);
    void this.state.update(KEY, [...ids].slice(-MAX_REMEMBERED));
  }

  /** The user wants these back. */
  remember(refs: readonly SessionRef[]): void {
    const wanted = new Set(refs.map(({ sessionId }) => sessionId));
    const ids = this.ids();
    if (ids.some((id) => wanted.has(id)))
      void this.state.update(
        KEY,
        ids.filter((id) => !wanted.has(id)),
      );
  }

  private ids(): string[] {
    return idsSchema.safeParse(this.state.get<unknown>(KEY)).data ?? [];
  }
}

/** A session that is being worked in is read again only after it has rested. */
const REST_MS = 60_000;

/** Keeps the workspace's sessions in memory by itself, when the user asked for that. */
export class AutoRegister implements Feature {
  readonly name = 'auto-register';
  private isWorking = false;
  /** What failed is not tried again in this window: it would fail at every change. */
  private readonly failed = new Set<string>();

  constructor(
    private readonly context: Uses<'model' | 'memory' | 'settings' | 'log'>,
    private readonly forgotten: ForgottenSessions,
  ) {}

  register(): Disposable {
    const { model, settings } = this.context;
    const look = () => void this.look();
    const rested = setInterval(look, REST_MS);
    return Disposable.from(
      model.onDidChange(look),
      settings.onDidChange(look),
      new Disposable(() => clearInterval(rested)),
    );
  }

  private async look() {
    const { model, memory, log } = this.context;
    const project = model.currentProject;
    if (this.isWorking || project === undefined) return;
    const added = project.sessions.filter((session) => this.isToAdd(session));
    const grown = project.sessions.filter(
      (session) => session.registered && session.newMessages > 0 && hasRested(session),
    );
    if (added.length === 0 && grown.length === 0) return;
    this.isWorking = true;
    try {
      if (!(await this.isWanted(project, memory))) return;
      const { registered, failed } = await memory.sessions.register(added);
      if (grown.length > 0) await memory.sessions.sync(grown);
      for (const { session, error } of failed) {
        this.failed.add(session);
        log.warn(`${session} could not be added to memory by itself: ${error}`);
      }
      log.info(`Kept by itself: ${registered.length} new, ${grown.length} grown sessions.`);
      await model.reload([project.projectId]);
    } catch (error) {
      for (const { sessionId } of added) this.failed.add(sessionId);
      log.error('Sessions could not be added to memory by themselves.', error);
    } finally {
      this.isWorking = false;
    }
  }

  /** The user may want it everywhere, or in one project, which then says so in its manifest. */
  private async isWanted(
    { projectId, sessions }: DiscoveredProject,
    memory: Pick<MemoryService, 'config'>,
  ): Promise<boolean> {
    if (this.context.settings.autoRegister) return true;
    if (!sessions.some(({ registered }) => registered)) return false;
    return (await memory.config.project(projectId)).autoRegisterNewSessions;
  }

  private isToAdd(session: DiscoveredSession): boolean {
    const isWanted = isShown(session) && !session.registered && session.problem === undefined;
    return isWanted && !this.failed.has(session.sessionId) && !this.forgotten.has(session);
  }
}

function hasRested({ mtimeMs }: DiscoveredSession): boolean {
  return Date.now() - mtimeMs > REST_MS;
}

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
    await notifier.tell(retentionWarning(project, sessions), {
      [sessions.length === 1 ? 'Keep It' : 'Keep Them']: () => this.keep(sessions),
      "Don't Warn for This Project": () => state.update(warnedKey(project), NEVER),
    });
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
