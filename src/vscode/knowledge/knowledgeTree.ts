import path from 'node:path';
import { window, Uri } from 'vscode';
import * as z from 'zod/mini';
import { errorText } from '../../core/text/keepitError';
import type { LayersOverview } from '../../core/knowledge/layersService';
import type { Exchange } from '../../core/model/layers';
import { readKnowledge } from '../../core/knowledge/view/knowledgeTree';
import {
  knowledgePage,
  exchangeRows,
  knowledgeSummary,
  knowledgeTree,
  reviewCount,
  type KnowledgeContent,
  type FoundExchange,
  type KnowledgeTreeOptions,
} from '../../core/knowledge/view/knowledgeTree';
import type { DiscoveredProject } from '../../core/sessions/results';
import type { Memory } from '../../node/createMemory';
import { type TreeNode, sessionRefSchema } from '../../core/sessions/view/treeNode';
import { WatchedTree, RowClicks, rowsMeant, type NodeTree } from '../watchedTree';
import { contextKeys } from '../ids';
import type { Uses } from '../context';

/** What was read of one project. */
interface Looked extends Omit<KnowledgeContent, 'unbuilt'> {
  readonly projectId: string;
}

type Exchanges = ReadonlyMap<string, readonly Exchange[]>;

const READING = 'What was said in this project is being read.';
const moreSchema = z.object({ id: z.string(), more: z.string() });

/**
 * The view *Knowledge*: what is known of the project that is shown. Of exchanges only what is asked for is read.
 */
export class KnowledgeTree extends WatchedTree<Looked | undefined> {
  private readonly limits = new Map<string, number>();
  private builds = 0;
  private areSessionsLoading = false;
  private shownId: string | undefined;
  private exchanges: { readonly all: Promise<Exchanges>; read?: Exchanges } | undefined;

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'formats' | 'notifier' | 'log'>,
    tree: NodeTree,
  ) {
    super({ host: context.host, log: context.log, tree, what: 'What is known' });
    const subscriptions = [
      context.model.onDidChange(() => this.onSessions()),
      ...(['layers', 'notebook', 'rolling'] as const).map((one) => context.host.onDidWrite(one, () => this.refresh())),
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.refresh();
      }),
    ];
    this.begin(subscriptions, { isAlwaysWanted: true }); // the badge of what has to be reviewed is seen from everywhere
  }

  /** The project that is shown; undefined while there is none. */
  get project(): DiscoveredProject | undefined {
    return this.context.model.shownProject;
  }

  /** Undefined before the first look at the project that is shown. */
  get content(): KnowledgeContent | undefined {
    const { found, project } = this;
    if (found === undefined || project?.projectId !== found.projectId) return undefined;
    return { ...found, unbuilt: unbuiltIn(project, found.overview) };
  }

  private refresh() {
    this.whenVisible.lookSoon();
  }

  async whileBuilding<T>(build: () => Promise<T>): Promise<T> {
    this.builds += 1;
    this.render();
    try {
      return await build();
    } finally {
      this.builds -= 1;
      this.render();
    }
  }

  /** The first of the rows that came has the focus then: who listens, or works by keys, would have lost their place. */
  async showMore([row]: readonly unknown[]): Promise<void> {
    const { tree } = this;
    const parsed = moreSchema.safeParse(row);
    if (!parsed.success) return;
    const parent = tree.parentOf(parsed.data.id);
    if (parent === undefined) return;
    const known = new Set((await tree.getChildren(parent)).map(({ id }) => id));
    const { more } = parsed.data;
    this.limits.set(more, this.limitOf(more) + knowledgePage(more));
    this.render();
    const now = tree.rows.find(({ id }) => id === parent.id) ?? parent;
    const first = (await tree.getChildren(now)).find(({ id }) => !known.has(id));
    if (first !== undefined) await tree.view.reveal(first, { focus: true });
  }

  /** The exchanges under a session or a concept. */
  async childrenOf(node: TreeNode): Promise<TreeNode[]> {
    const { project } = this;
    if (project === undefined) return [];
    try {
      return exchangeRows(node, await this.exchangesUnder(node), this.treeOptions(project));
    } catch (error) {
      this.context.notifier.showError(error, 'reading exchanges');
      return [];
    }
  }

  protected override forget(): void {
    this.exchanges = undefined;
    this.limits.clear();
    super.forget();
    this.render();
  }

  protected async read({ service: memory }: Memory): Promise<Looked | undefined> {
    const { projectId } = this.project ?? {};
    this.shownId = projectId;
    return projectId === undefined ? undefined : { ...(await readKnowledge(memory, projectId)), projectId };
  }

  protected follow(memory: Memory, found: Looked | undefined): void {
    this.exchanges = undefined;
    this.whenVisible.followFiles(found === undefined ? [] : writtenFiles(memory, found), memory);
  }

  protected render(): void {
    const { tree, content, project } = this;
    const { view } = tree;
    const { formats } = this.context;
    const rows =
      content === undefined || project === undefined ? [] : knowledgeTree(content, this.treeOptions(project));
    tree.showChanged(rows, [content?.overview.sessions, [...this.limits]]);
    const facts = content?.overview.facts ?? [];
    const isEnabled = content?.overview.status.isEnabled === true;
    const reviews = reviewCount(facts);
    view.description = isEnabled ? knowledgeSummary(facts, formats) : '';
    view.badge =
      reviews === 0
        ? undefined
        : { value: reviews, tooltip: `${formats.plural(reviews, 'fact')} of ${project?.displayName ?? ''} to review` };
    view.message = this.message(content);
    this.contextValues.set({
      [contextKeys.knowledge]: this.state(content),
      [contextKeys.isKnowledgeEnabled]: isEnabled,
    });
  }

  private limitOf(group: string): number {
    return this.limits.get(group) ?? knowledgePage(group);
  }

  /** Their titles, and what of them is new, are known without another look; who asks for everything anew gets it. */
  private onSessions() {
    const isLoading = this.context.model.phase === 'loading';
    const isAskedAnew = this.areSessionsLoading && !isLoading;
    this.areSessionsLoading = isLoading;
    if (this.project?.projectId !== this.shownId) {
      this.forget();
      return;
    }
    this.render();
    if (isAskedAnew) this.refresh();
  }

  /** The exchanges of one session. */
  private async exchangesOf(sessionId: string): Promise<readonly Exchange[]> {
    const known = this.exchanges?.read;
    if (known !== undefined) return known.get(sessionId) ?? [];
    const { found } = this;
    if (found === undefined) return [];
    return (await this.readExchanges(found, sessionId)).get(sessionId) ?? [];
  }

  /** Those of all sessions; read once, until something changes. None when they cannot be read, which the log tells. */
  private async allExchanges(): Promise<Exchanges> {
    const { found } = this;
    if (found === undefined) return new Map();
    if (this.exchanges === undefined) {
      const reading: { readonly all: Promise<Exchanges>; read?: Exchanges } = { all: this.readOrLog(found) };
      this.exchanges = reading;
      void reading.all.then((read) => (reading.read = read));
    }
    return this.exchanges.all;
  }

  private async exchangesUnder({ id, session }: TreeNode): Promise<FoundExchange[]> {
    if (session !== undefined) {
      const { sessionId } = session;
      return (await this.exchangesOf(sessionId)).map((exchange) => ({ sessionId, exchange }));
    }
    const { project, content } = this;
    const concept = content?.overview.concepts.find((one) => id === `concept:${project?.projectId}:${one.id}`);
    const wanted = new Set(concept?.exchanges ?? []);
    return [...(await this.allExchanges())].flatMap(([sessionId, exchanges]) =>
      exchanges.filter((exchange) => wanted.has(exchange.id)).map((exchange) => ({ sessionId, exchange })),
    );
  }

  /** A message takes the place of the welcome text that says what to do: only where there is nothing to be done. */
  private message(content: KnowledgeContent | undefined): string {
    return this.builds > 0 && content?.overview.sessions.length === 0 ? READING : '';
  }

  private state(content: KnowledgeContent | undefined): string {
    if (this.problem !== undefined) return 'failed';
    if (this.project === undefined) return this.context.model.phase === 'ready' ? 'noProject' : 'loading';
    if (content === undefined) return 'loading';
    const { status, sessions: layered } = content.overview;
    if (!status.isEnabled) return 'notEnabled';
    if (status.problem !== undefined) return 'unreachable';
    if (this.tree.rows.length > 0) return 'ready';
    return layered.length === 0 ? 'notBuilt' : 'empty';
  }

  private treeOptions({ projectId }: DiscoveredProject): KnowledgeTreeOptions {
    const { model, formats } = this.context;
    return {
      projectId,
      formats,
      nowMs: Date.now(),
      limitOf: (group) => this.limitOf(group),
      titleOf: (sessionId) => model.titleOf({ projectId, sessionId }),
    };
  }

  private async readOrLog(looked: Looked): Promise<Exchanges> {
    try {
      return await this.readExchanges(looked);
    } catch (error) {
      this.context.log.warn(`Exchanges could not be read: ${errorText(error)}`);
      return new Map();
    }
  }

  private async readExchanges({ projectId }: Looked, sessionId?: string): Promise<Exchanges> {
    const { memory } = this.context;
    const content = await memory.layers.layer(projectId, 'l2', sessionId);
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

const messageSchema = z.object({
  message: z.extend(sessionRefSchema, { messageUuid: z.string() }),
});
const fileSchema = z.object({ file: z.string() });

/** Leads from what is known to where it was said, or to the file that it is in. */
export class SourceOpener {
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'transcripts'>,
    private readonly tree: KnowledgeTree,
  ) {}

  async open([first]: readonly unknown[]): Promise<void> {
    const preserveFocus = this.clicks.isFirst(first);
    const [row] = rowsMeant([first], this.tree.selection) ?? this.tree.selection;
    const said = messageSchema.safeParse(row);
    if (said.success) await this.context.transcripts.reach(said.data.message, { preserveFocus });
    const file = fileSchema.safeParse(row);
    if (file.success) await window.showTextDocument(Uri.file(path.normalize(file.data.file)), { preserveFocus });
  }
}
