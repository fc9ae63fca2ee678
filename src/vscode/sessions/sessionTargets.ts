import { QuickPickItemKind, ThemeIcon, window, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import { joinParts, type Formats } from '../../core/text/formats';
import { isShown, lastTimeOf, sessionNode } from '../../core/sessions/view/sessionTree';
import type { DiscoveredProject, DiscoveredSession, SessionRef } from '../../core/sessions/results';
import { rowsMeant } from '../watchedTree';
import type { Settings } from '../settings';
import type { SessionViews } from './sessionViews';
import type { SessionsModel } from './sessionsModel';
import { sessionRefSchema } from '../../core/sessions/view/treeNode';
import { SessionLookupError } from '../../core/sessions/sessionLookupError';
import { Notifier } from '../notifier';
import type { MemoryService } from '../../core/memory';

/** A row of a view, as menus and clicks pass it. */
const rowSchema = z.object({ session: sessionRefSchema });
const monthSchema = z.object({ children: z.array(rowSchema) });
const groupSchema = z.object({ projectId: z.string() });

export interface PickOptions {
  readonly title: string;
  /** Without it: in which something was said, and that can be read. */
  readonly wants?: (session: DiscoveredSession) => boolean;
  /** Why a session of another project comes before the others of its like. */
  readonly linked?: ((session: DiscoveredSession) => string | undefined) | undefined;
}

export function isUsable({ problem, messages }: DiscoveredSession): boolean {
  return problem === undefined && messages > 0;
}

interface SessionItem extends QuickPickItem {
  readonly session?: DiscoveredSession;
}

/**
 * Finds out which sessions a command is about: the rows that it was called on, the selection, or, from the palette, the
 * ones that the user picks.
 */
export class SessionTargets {
  constructor(
    private readonly model: SessionsModel,
    private readonly views: SessionViews,
    private readonly settings: Settings,
    private readonly formats: Formats,
  ) {}

  /** All sessions meant; picked from a list when the arguments name none. Undefined when the user went away. */
  async many(args: readonly unknown[], pick: PickOptions): Promise<DiscoveredSession[] | undefined> {
    const named = this.named(args);
    if (named !== undefined) return named.filter(pick.wants ?? isUsable);
    const { items, picker } = this.list(pick);
    const chosen = await window.showQuickPick(items, { ...picker, canPickMany: true });
    return chosen?.flatMap(({ session }) => (session === undefined ? [] : [session]));
  }

  /** The one session meant. */
  async one(args: readonly unknown[], pick: PickOptions): Promise<DiscoveredSession | undefined> {
    const named = this.named(args);
    if (named !== undefined) return named.find(pick.wants ?? isUsable);
    const { items, picker } = this.list(pick);
    return (await window.showQuickPick(items, picker))?.session;
  }

  /** The project meant by a row or an id, else the one that is shown. */
  project(args: readonly unknown[]): DiscoveredProject | undefined {
    const { model } = this;
    const row = groupSchema.safeParse(args[0]);
    const id = typeof args[0] === 'string' ? args[0] : row.success ? row.data.projectId : undefined;
    return id === undefined ? model.shownProject : model.projects.find(({ projectId }) => projectId === id);
  }

  /** The sessions under a row, a month for example; all of the project's when the row has none under it. */
  sessionsOf([row]: readonly unknown[], project: DiscoveredProject): DiscoveredSession[] {
    const group = monthSchema.safeParse(row);
    return group.success && group.data.children.length > 0 ? this.known(group.data.children) : project.sessions;
  }

  /** A project that the user picks. */
  async pickProject(
    title = 'Keepit: Show Sessions of a Project',
    wants: (project: DiscoveredProject) => boolean = (project) => project.sessions.some(isShown),
  ): Promise<DiscoveredProject | undefined> {
    const { model, formats } = this;
    const items = model.projects
      .filter(wants)
      .sort((a, b) => lastTimeOf(b.sessions[0]) - lastTimeOf(a.sessions[0]))
      .map((project) => ({
        project,
        label: project.displayName,
        description: formats.plural(project.sessions.filter(isShown).length, 'session'),
        detail: project.originalPath,
        iconPath: new ThemeIcon(project === model.shownProject ? 'folder-opened' : 'folder'),
      }));
    const chosen = await window.showQuickPick(items, {
      title,
      placeHolder: 'Type to find a project by its name or folder',
      matchOnDetail: true,
    });
    return chosen?.project;
  }

  private named(args: readonly unknown[]): DiscoveredSession[] | undefined {
    const rows = rowsMeant(args, this.views.selection);
    return rows === undefined ? undefined : this.known(rows);
  }

  private known(rows: readonly unknown[]): DiscoveredSession[] {
    return rows.flatMap((row) => {
      const ref = rowSchema.safeParse(row).data?.session ?? sessionRefSchema.safeParse(row).data;
      return (ref && this.model.find(ref)) ?? [];
    });
  }

  /** The shown project's sessions first, then what is linked to it, then those of the others. */
  private list({ title, wants = isUsable, linked = () => undefined }: PickOptions): {
    items: SessionItem[];
    picker: { title: string; placeHolder: string; matchOnDescription: true; matchOnDetail: true };
  } {
    const shown = this.model.shownProject;
    const others = this.model.projects.filter((project) => project !== shown);
    const offered = ({ sessions }: DiscoveredProject) =>
      sessions.filter((session) => isShown(session) && wants(session));
    const reasons = new Map(
      others.flatMap(offered).flatMap((session) => {
        const reason = linked(session);
        return reason === undefined ? [] : [[session, reason] as const];
      }),
    );
    const group = (label: string, sessions: readonly DiscoveredSession[]): SessionItem[] =>
      sessions.length === 0 ? [] : [separator(label), ...sessions.map((one) => this.item(one, reasons.get(one)))];
    const items = [
      ...(shown === undefined ? [] : group(shown.displayName, offered(shown))),
      ...group('Linked', [...reasons.keys()]),
      ...others.flatMap((one) =>
        group(
          one.displayName,
          offered(one).filter((session) => !reasons.has(session)),
        ),
      ),
    ];
    const placeHolder = items.length === 0 ? 'There is none' : 'Type to find a session by its title, branch or id';
    return { items, picker: { title, placeHolder, matchOnDescription: true, matchOnDetail: true } };
  }

  private item(session: DiscoveredSession, linked?: string): SessionItem {
    const { model, settings, formats } = this;
    const showsEstimates = model.ui.showTokenEstimates;
    const context = { formats, nowMs: Date.now(), warningDays: settings.retentionWarningDays, showsEstimates };
    const row = sessionNode(session, context);
    return {
      session,
      label: row.label,
      description: row.description,
      detail: joinParts([linked === undefined ? '' : `linked: ${linked}`, session.gitBranch, session.sessionId]),
      ...(row.icon !== undefined && { iconPath: new ThemeIcon(row.icon.id) }),
    };
  }
}

function separator(label: string): SessionItem {
  return { label, kind: QuickPickItemKind.Separator };
}

/** Why a session has to be in memory. */
const whys = {
  keepits: 'What you change about keepits is kept in memory, beside the transcript, which stays as it is.',
  versions: 'Versions are kept in memory, beside the transcript, which stays as it is.',
} as const;

/** Does what can only be done with sessions that are in memory: asks to add one that is not there yet. */
export class RegisterFirst {
  constructor(
    private readonly memory: MemoryService,
    private readonly model: SessionsModel,
    private readonly notifier: Notifier,
  ) {}

  /** Undefined when the user would not add the session to memory. */
  async run<F extends keyof typeof whys, T>(
    session: SessionRef,
    feature: F,
    work: (feature: MemoryService[F]) => Promise<T>,
  ): Promise<T | undefined> {
    const part = this.memory[feature];
    try {
      return await work(part);
    } catch (error) {
      if (!(error instanceof SessionLookupError) || error.reason !== 'not-registered') throw error;
      return (await this.register(session, whys[feature])) ? await work(part) : undefined;
    }
  }

  private async register({ projectId, sessionId }: SessionRef, why: string): Promise<boolean> {
    const detail = `${why} This session is not in memory yet.`;
    if (!(await this.notifier.isAgreed({ title: 'Add this session to memory?', detail }, 'Add to Memory')))
      return false;
    const [failure] = (await this.memory.sessions.register([{ projectId, sessionId }])).failed;
    await this.model.reload([projectId]);
    if (failure !== undefined) throw new Error(failure.error);
    return true;
  }
}
