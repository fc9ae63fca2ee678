import { EventEmitter, type Disposable, type Event } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { noKeepitFilter, type KeepitFilter } from '../../core/presentation/keepitFilter';
import { distanceIn, outlookOf } from '../../core/presentation/keepitOutlook';
import type { KeepitRow } from '../../core/presentation/keepitRow';
import { isShown } from '../../core/presentation/sessionTree';
import { mapLimited } from '../../core/text/mapLimited';
import type {
  DecayContext,
  DiscoveredProject,
  DiscoveredSession,
  KeepitRef,
  SessionRef,
} from '../../core/sessions/results';
import { Lookout } from '../lookout';
import type { MemoryHost } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';
import { stampOf, type KeepitChanges, type KeepitListings } from './keepitChanges';

export interface KeepitsModelOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly listings: KeepitListings;
  readonly changes: KeepitChanges;
  readonly log: Log;
  /** The one session that is selected in the sessions view. */
  readonly selected: () => SessionRef | undefined;
  readonly onDidSelect: Event<void>;
}

/** Whose keepits are shown. */
export interface KeepitScope {
  readonly project: DiscoveredProject;
  /** Only this session's. */
  readonly session?: DiscoveredSession;
}

const PARALLEL_READINGS = 4;

/** The keepits of the selected session, or of the shown project. Looks for them only while somebody wants to see them. */
export class KeepitsModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[] = [];
  private readonly lookout = new Lookout((isSuperseded) => this.look(isSuperseded));
  private isAllOfProject = false;
  private currentFilter: KeepitFilter = noKeepitFilter;
  private currentRows: readonly KeepitRow[] = [];
  private currentContext: DecayContext | undefined;
  private isReady = false;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: KeepitsModelOptions) {
    const { host, model, listings, changes } = options;
    const again = (): void => this.lookout.lookSoon();
    this.subscriptions.push(
      model.onDidChange(again),
      changes.onDidChange(again),
      options.onDidSelect(again),
      host.onDidChange(() => {
        listings.forget();
        this.isReady = false;
        again();
      }),
    );
  }

  /** Undefined while no project is shown. */
  get scope(): KeepitScope | undefined {
    const { model, selected } = this.options;
    const project = model.shownProject;
    if (project === undefined) return undefined;
    const ref = this.isAllOfProject ? undefined : selected();
    const session = ref?.projectId === project.projectId ? model.find(ref) : undefined;
    return session === undefined ? { project } : { project, session };
  }

  get rows(): readonly KeepitRow[] {
    return this.currentRows;
  }

  /** Whether the rows are those of the scope; false at the first look. */
  get hasLooked(): boolean {
    return this.isReady;
  }

  /** What survival in the shown project depends on; undefined before the first look. */
  get context(): DecayContext | undefined {
    return this.currentContext;
  }

  get filter(): KeepitFilter {
    return this.currentFilter;
  }

  get isWholeProject(): boolean {
    return this.isAllOfProject;
  }

  setFilter(filter: KeepitFilter): void {
    this.currentFilter = filter;
    this.changed.fire();
  }

  showWholeProject(isAll: boolean): void {
    this.isAllOfProject = isAll;
    this.lookout.lookSoon();
  }

  /** Somebody sees the rows, or nobody does any more. */
  want(isWanted: boolean): void {
    this.lookout.want(isWanted);
  }

  find(ref: KeepitRef): KeepitRow | undefined {
    return this.currentRows.find(
      ({ keepit }) =>
        keepit.markerId === ref.markerId && keepit.sessionId === ref.sessionId && keepit.projectId === ref.projectId,
    );
  }

  dispose(): void {
    this.lookout.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private async look(isSuperseded: () => boolean): Promise<void> {
    const { host, log, model } = this.options;
    const { scope } = this;
    try {
      const { service } = await host.memory();
      if (scope === undefined) {
        if (model.phase === 'ready' || model.phase === 'failed') this.show([], undefined);
        return;
      }
      const { project, session } = scope;
      const context = await service.decayContext(project.projectId);
      const sessions = session === undefined ? project.sessions.filter(isShown) : [session];
      const marked = sessions.filter(({ markers, problem }) => markers > 0 && problem === undefined);
      const rows = await mapLimited(marked, PARALLEL_READINGS, (one) =>
        isSuperseded() ? Promise.resolve([]) : this.rowsOf(one, context),
      );
      if (isSuperseded()) return;
      this.show(rows.flat(), context);
    } catch (error) {
      log.warn(`Keepits could not be listed: ${errorText(error)}`); // the sessions view has told what is wrong with the memory
      if (!isSuperseded()) this.show([], undefined);
    }
  }

  private show(rows: readonly KeepitRow[], context: DecayContext | undefined): void {
    this.isReady = true;
    this.currentRows = rows;
    this.currentContext = context;
    this.changed.fire();
  }

  private async rowsOf(session: DiscoveredSession, context: DecayContext): Promise<KeepitRow[]> {
    const { listings, log } = this.options;
    const distance = distanceIn(session, context);
    try {
      const { keepits, inactive } = await listings.of(session, stampOf(session));
      return [...keepits, ...inactive].map((keepit) => {
        return { keepit, session, outlook: outlookOf(keepit.effectiveWeight, context, distance) };
      });
    } catch (error) {
      log.warn(`The keepits of ${session.sessionId} could not be read: ${errorText(error)}`); // the others are shown
      return [];
    }
  }
}
