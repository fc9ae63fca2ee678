import { formatBytes } from '../../core/text/formats';
import {
  addDialog,
  expiringSessions,
  registerOutcome,
  removeDialog,
  syncOutcome,
} from '../../core/sessions/view/memoryDialogs';
import { isShown } from '../../core/sessions/view/sessionTree';
import type {
  DiscoveredSession,
  OnProgress,
  RegistrationPreview,
  SessionRef,
  UnregisterPreview,
  UnregisterResult,
} from '../../core/sessions/results';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { withProgressMessage } from '../progressMessage';
import { trashTotals } from '../../core/sessions/upkeep';
import type { ForgottenSessions } from './autoRegister';
import { sumOf } from '../../core/text/ownValue';

/** Work on this much is done in a moment: a message that can cancel it would only flash. */
const FEW_SESSIONS = 5;
const FEW_BYTES = 16 * 1024 * 1024;

/** A question is asked with the figures of at most this many sessions read; beyond, the trees' own figures must do. */
const MAX_PREVIEWS = 50;

/** Adding to memory, removing from it, bringing in what is new. */
export class MemoryCommands implements CommandSet {
  constructor(
    private readonly context: Uses<'model' | 'host' | 'memory' | 'targets' | 'formats' | 'notifier' | 'settings'>,
    private readonly forgotten: ForgottenSessions,
  ) {}

  readonly commands: CommandHandlers = {
    addToMemory: (args) => this.add(args),
    addAllToMemory: (args) => this.addAll(args),
    keepExpiring: (args) => this.keepExpiring(args),
    removeFromMemory: (args) => this.remove(args),
    sync: (args) => this.sync(args),
    syncAll: (args) => this.syncAll(args),
  };

  /** Adds sessions without a question; used where the question has been answered already. */
  async keep(refs: readonly SessionRef[]): Promise<void> {
    const { memory, model, formats, notifier } = this.context;
    const { forgotten } = this;
    const result = await this.withProgress('Adding to memory', refs, (onProgress, signal) =>
      memory.sessions.register(refs, onProgress, signal),
    );
    forgotten.remember(refs);
    await model.reload(projectsOf(refs));
    void notifier.tell(registerOutcome(result, formats));
  }

  private async add(args: readonly unknown[]) {
    const { targets } = this.context;
    const sessions = await targets.many(args, {
      title: 'Keepit: Add to Memory',
      wants: canBeAdded,
    });
    if (sessions !== undefined && sessions.length > 0) await this.confirmAndKeep(sessions);
  }

  private async addAll(args: readonly unknown[]) {
    const { targets, notifier } = this.context;
    const project = targets.project(args);
    if (project === undefined) return;
    const sessions = targets.sessionsOf(args, project).filter(canBeAdded);
    if (sessions.length === 0) {
      void notifier.tell(`All sessions of ${project.displayName} are in memory already.`);
      return;
    }
    await this.confirmAndKeep(sessions);
  }

  private async keepExpiring(args: readonly unknown[]) {
    const { targets, notifier, settings } = this.context;
    const project = targets.project(args);
    if (project === undefined) return;
    const sessions = expiringSessions(project, settings.retentionWarningDays);
    if (sessions.length > 0) await this.keep(sessions);
    else void notifier.tell(`No session of ${project.displayName} is about to be deleted.`);
  }

  private async confirmAndKeep(sessions: readonly DiscoveredSession[]) {
    const { formats, notifier } = this.context;
    const dialog = addDialog(await this.previews(sessions), formats);
    if (await notifier.isAgreed(dialog, 'Add to Memory')) await this.keep(sessions);
  }

  private async previews(sessions: readonly DiscoveredSession[]): Promise<RegistrationPreview[]> {
    const { memory } = this.context;
    return this.withProgress('Reading what would be added', sessions, async (onProgress, signal) => {
      const previews: RegistrationPreview[] = [];
      for (const [done, session] of sessions.entries()) {
        onProgress({ step: 'register', done, total: sessions.length, label: session.title });
        const isRead = done < MAX_PREVIEWS;
        previews.push(isRead ? await memory.sessions.preview(session, signal) : previewFromTree(session));
      }
      return previews;
    });
  }

  private async remove(args: readonly unknown[]) {
    const { targets, memory, model, formats, notifier } = this.context;
    const wants = (session: DiscoveredSession): boolean => session.registered;
    const sessions = await targets.many(args, { title: 'Keepit: Remove from Memory', wants });
    if (sessions === undefined || sessions.length === 0) return;
    if (model.ui.confirmDestructiveActions) {
      const previews: UnregisterPreview[] = [];
      for (const session of sessions) previews.push(await memory.sessions.previewUnregister(session));
      if (!(await notifier.isAgreed(removeDialog(previews, formats), 'Remove from Memory', true))) return;
    }
    await this.removeNow(sessions);
  }

  private async removeNow(sessions: readonly SessionRef[]) {
    const { memory, model, formats, notifier } = this.context;
    const { forgotten } = this;
    const removed: UnregisterResult[] = [];
    try {
      for (const session of sessions) removed.push(await memory.sessions.unregister(session));
    } finally {
      forgotten.add(removed);
      await model.reload(projectsOf(sessions));
    }
    const undo = async () => {
      for (const { projectId, trash } of removed) await memory.sessions.restore(projectId, trash);
      forgotten.remember(removed);
      await model.reload(projectsOf(removed));
      void notifier.tell(`${formats.plural(removed.length, 'session')} back in memory, with all versions and keepits.`);
    };
    await notifier.tell(`${formats.plural(removed.length, 'session')} removed from memory.`, { Undo: undo });
  }

  private async sync(args: readonly unknown[]) {
    const { targets } = this.context;
    const wants = (session: DiscoveredSession): boolean => session.registered && !session.isOriginalGone;
    const sessions = await targets.many(args, { title: 'Keepit: Sync', wants });
    if (sessions !== undefined && sessions.length > 0) await this.syncNow(sessions);
  }

  /** A project's row narrows it; else all that memory has. */
  private async syncAll(args: readonly unknown[]) {
    const { targets, model, notifier } = this.context;
    const projects = args[0] === undefined ? model.projects : [targets.project(args)];
    const sessions = projects.flatMap((project) => project?.sessions.filter(({ registered }) => registered) ?? []);
    if (sessions.length > 0) await this.syncNow(sessions);
    else void notifier.tell('Nothing is in memory yet.');
  }

  private async syncNow(sessions: readonly SessionRef[]) {
    const { memory, model, formats, notifier } = this.context;
    const result = await this.withProgress('Bringing in what is new', sessions, (onProgress, signal) =>
      memory.sessions.sync(sessions, onProgress, signal),
    );
    await model.reload(projectsOf(sessions));
    void notifier.tell(syncOutcome(result, formats));
  }

  private withProgress<T>(
    title: string,
    sessions: readonly SessionRef[],
    work: (onProgress: OnProgress, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const bytes = sumOf(sessions, (ref) => this.context.model.find(ref)?.bytes ?? 0);
    return withProgressMessage(title, { isShort: sessions.length <= FEW_SESSIONS && bytes <= FEW_BYTES }, work);
  }
}

function canBeAdded(session: DiscoveredSession): boolean {
  return isShown(session) && !session.registered && session.problem === undefined;
}

function projectsOf(refs: readonly SessionRef[]): string[] {
  return [...new Set(refs.map(({ projectId }) => projectId))];
}

/** What is known without reading the transcript: no keepits. */
function previewFromTree(session: DiscoveredSession): RegistrationPreview {
  return { ...session, keepits: [], malformedKeepits: 0, alreadyRegistered: session.registered };
}

/** Deletes for good what was taken out of memory, after a question that says how much that is. */
export class EmptyTrash implements CommandSet {
  constructor(private readonly context: Uses<'memory' | 'formats' | 'notifier'>) {}

  readonly commands: CommandHandlers = { emptyTrash: () => this.run() };

  private async run() {
    const { memory, formats, notifier } = this.context;
    const { items, bytes } = trashTotals(await memory.trash.list());
    if (items === 0) {
      notifier.say('The trash of Keepit is empty.');
      return;
    }
    const things = formats.plural(items, 'thing');
    const detail = `Sessions, versions and compositions that were removed, of all projects: ${formatBytes(bytes)}. Nothing brings them back. Transcripts of Claude Code stay.`;
    const title = `Delete ${things} in Keepit’s trash for good?`;
    if (!(await notifier.isAgreed({ title, detail }, 'Empty Trash', true))) return;
    const emptied = trashTotals(await memory.trash.empty());
    const freed = `${formats.plural(emptied.items, 'thing')}, ${formatBytes(emptied.bytes)}`;
    notifier.say(`The trash is empty: ${freed} deleted.`);
  }
}
