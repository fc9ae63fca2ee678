import path from 'node:path';
import { EventEmitter, window, type Disposable, type Event } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { LayersOverview } from '../../core/knowledge/layersService';
import type { Exchange } from '../../core/model/layers';
import type { Log } from '../../core/model/host';
import { readKnowledge, KNOWLEDGE_PAGE, type KnowledgeContent } from '../../core/presentation/knowledgeTree';
import { noKnowledgeFilter, type KnowledgeFilter } from '../../core/presentation/knowledgeFilter';
import type { DiscoveredProject } from '../../core/sessions/results';
import type { Memory } from '../../node/createMemory';
import { Lookout } from '../lookout';
import type { MemoryHost } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';

export interface KnowledgeModelOptions {
  readonly host: MemoryHost;
  readonly sessions: SessionsModel;
  readonly log: Log;
}

/** What was read of one project. */
interface Looked extends Omit<KnowledgeContent, 'unbuilt' | 'exchanges'> {
  readonly projectId: string;
}

type Exchanges = ReadonlyMap<string, readonly Exchange[]>;

/**
 * What is known of the project that is shown. It is read when the project, this window, another one, a hook or the command line has changed
 * something; of exchanges only what is asked for.
 */
export class KnowledgeModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private readonly limitsByGroup = new Map<string, number>();
  private readonly lookout = new Lookout((isSuperseded) => this.look(isSuperseded));
  private builds = 0;
  private areSessionsLoading = false;
  private looked: Looked | undefined;
  private shownId: string | undefined;
  private isFailed = false;
  private currentFilter: KnowledgeFilter = noKnowledgeFilter;
  private exchanges: { readonly all: Promise<Exchanges>; read?: Exchanges } | undefined;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: KnowledgeModelOptions) {
    const { host, sessions } = options;
    this.subscriptions = [
      sessions.onDidChange(() => this.onSessions()),
      host.onDidChange(() => this.forget()),
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.refresh();
      }),
    ];
    this.lookout.want(true); // the badge of what has to be reviewed is seen from everywhere
  }

  /** The project that is shown; undefined while there is none. */
  get project(): DiscoveredProject | undefined {
    return this.options.sessions.shownProject;
  }

  /** Undefined before the first look at the project that is shown. */
  get content(): KnowledgeContent | undefined {
    const { looked, project } = this;
    if (looked === undefined || project?.projectId !== looked.projectId) return undefined;
    return { ...looked, unbuilt: unbuiltIn(project, looked.overview), exchanges: this.exchanges?.read };
  }

  /** Somebody waits for layers to be built, and sees how far that is. */
  get isBuilding(): boolean {
    return this.builds > 0;
  }

  async whileBuilding<T>(build: () => Promise<T>): Promise<T> {
    this.builds += 1;
    this.changed.fire();
    try {
      return await build();
    } finally {
      this.builds -= 1;
      this.refresh();
    }
  }

  /** Nothing could be read; the log tells why. */
  get hasFailed(): boolean {
    return this.isFailed;
  }

  get filter(): KnowledgeFilter {
    return this.currentFilter;
  }

  setFilter(filter: KnowledgeFilter): void {
    this.currentFilter = filter;
    this.limitsByGroup.clear();
    // Words are looked for in exchanges too, which are read for that.
    if (filter.text.trim() !== '' && this.exchanges?.read === undefined) {
      void this.allExchanges().then(() => this.changed.fire());
    }
    this.changed.fire();
  }

  /** Of the groups of which more was asked for. */
  get limits(): readonly (readonly [string, number])[] {
    return [...this.limitsByGroup];
  }

  limitOf(group: string): number {
    return this.limitsByGroup.get(group) ?? KNOWLEDGE_PAGE;
  }

  showMore(group: string): void {
    this.limitsByGroup.set(group, this.limitOf(group) + KNOWLEDGE_PAGE);
    this.changed.fire();
  }

  /** Reads again, soon: many changes at once are one. */
  refresh(): void {
    this.lookout.lookSoon();
  }

  /** The exchanges of one session. */
  async exchangesOf(sessionId: string): Promise<readonly Exchange[]> {
    const known = this.exchanges?.read;
    if (known !== undefined) return known.get(sessionId) ?? [];
    const { looked } = this;
    if (looked === undefined) return [];
    return (await this.read(looked, sessionId)).get(sessionId) ?? [];
  }

  /** Those of all sessions; read once, until something changes. None when they cannot be read, which the log tells. */
  async allExchanges(): Promise<Exchanges> {
    const { looked } = this;
    if (looked === undefined) return new Map();
    if (this.exchanges === undefined) {
      const reading: { readonly all: Promise<Exchanges>; read?: Exchanges } = { all: this.readOrLog(looked) };
      this.exchanges = reading;
      void reading.all.then((read) => (reading.read = read));
    }
    return this.exchanges.all;
  }

  dispose(): void {
    this.lookout.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  /** Their titles, and what of them is new, are known without another look; who asks for everything anew gets it. */
  private onSessions(): void {
    const isLoading = this.options.sessions.phase === 'loading';
    const isAskedAnew = this.areSessionsLoading && !isLoading;
    this.areSessionsLoading = isLoading;
    if (this.project?.projectId !== this.shownId) {
      this.forget();
      return;
    }
    this.changed.fire();
    if (isAskedAnew) this.refresh();
  }

  private forget(): void {
    this.looked = undefined;
    this.exchanges = undefined;
    this.limitsByGroup.clear();
    this.changed.fire();
    this.refresh();
  }

  private async look(isSuperseded: () => boolean): Promise<void> {
    const { host, log } = this.options;
    const projectId = this.project?.projectId;
    this.shownId = projectId;
    try {
      const memory = await host.memory();
      const looked = projectId === undefined ? undefined : await readKnowledge(memory.service, projectId);
      if (isSuperseded()) return;
      this.isFailed = false;
      this.looked = looked === undefined || projectId === undefined ? undefined : { ...looked, projectId };
      this.exchanges = undefined;
      this.lookout.followFiles(this.looked === undefined ? [] : writtenFiles(memory, this.looked), memory);
    } catch (error) {
      if (isSuperseded()) return;
      log.warn(`What is known could not be read: ${errorText(error)}`);
      this.isFailed = true;
      this.looked = undefined;
    }
    this.changed.fire();
    if (this.currentFilter.text.trim() !== '') void this.allExchanges().then(() => this.changed.fire());
  }

  private async readOrLog(looked: Looked): Promise<Exchanges> {
    try {
      return await this.read(looked);
    } catch (error) {
      this.options.log.warn(`Exchanges could not be read: ${errorText(error)}`);
      return new Map();
    }
  }

  private async read({ projectId }: Looked, sessionId?: string): Promise<Exchanges> {
    const { service } = await this.options.host.memory();
    const content = await service.layers.layer(projectId, 'l2', sessionId);
    const sessions = content.layer === 'l2' ? content.sessions : [];
    return new Map(sessions.map((session) => [session.sessionId, session.exchanges]));
  }
}

/** What hooks, the command line and other windows write. */
function writtenFiles({ memoryDir }: Memory, { projectId, overview, notes }: Looked): string[] {
  const { isEnabled, dir, notebook } = overview.status;
  return [
    path.join(memoryDir, 'projects', projectId, 'manifest.json'),
    ...(isEnabled ? ['facts.json', 'layers.json', 'memory-index.json'].map((name) => path.join(dir, name)) : []),
    // A folder that is not there is looked at every other second: only where there are notes.
    ...(notes.length > 0 ? [path.join(notebook.dir, 'notebook.json')] : []),
  ];
}

/** How many sessions have grown, or come, since the layers were built. */
function unbuiltIn(project: DiscoveredProject, { sessions, status }: LayersOverview): number {
  if (!status.isEnabled) return 0;
  const known = new Map(sessions.map(({ sessionId, sourceBytes }) => [sessionId, sourceBytes]));
  return project.sessions.filter(({ sessionId, messages, problem, bytes }) => {
    return messages > 0 && problem === undefined && bytes > (known.get(sessionId) ?? 0);
  }).length;
}
