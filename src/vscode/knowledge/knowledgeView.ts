import { commands, Disposable, type QuickPickItem, type TreeView } from 'vscode';
import * as z from 'zod/mini';
import type { Formats } from '../../core/presentation/formats';
import {
  describeKnowledgeFilter,
  isFilteringKnowledge,
  noKnowledgeFilter,
  partTitles,
  type KnowledgePart,
} from '../../core/presentation/knowledgeFilter';
import { exchangeNode } from '../../core/presentation/knowledgeRows';
import {
  knowledgeSummary,
  knowledgeTree,
  reviewCount,
  type KnowledgeContent,
  type KnowledgeTreeOptions,
} from '../../core/presentation/knowledgeTree';
import { titleOf } from '../../core/presentation/sessionTree';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { DiscoveredProject } from '../../core/registry/results';
import { ContextValues } from '../contextValues';
import { pickFilter } from '../filterPicker';
import { contextKeys, viewIds } from '../ids';
import type { Notifier } from '../notifier';
import type { NodeTreeProvider } from '../sessions/nodeTree';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { KnowledgeModel } from './knowledgeModel';

export interface KnowledgeViewOptions {
  readonly model: KnowledgeModel;
  readonly sessions: SessionsModel;
  readonly tree: NodeTreeProvider;
  readonly view: TreeView<TreeNode>;
  readonly formats: Formats;
  readonly notifier: Notifier;
}

interface PartItem extends QuickPickItem {
  readonly part: KnowledgePart;
}

const parts: readonly KnowledgePart[] = ['all', 'review', 'rules', 'solutions', 'core_logic', 'history'];
const moreSchema = z.object({ more: z.string() });
const MAX_EXCHANGES_OF_ROW = 500;

/** What the view *Knowledge* shows, made from the model, in one place, on every change. */
export class KnowledgeView {
  private readonly context = new ContextValues();
  private readonly subscriptions: Disposable;

  constructor(private readonly options: KnowledgeViewOptions) {
    this.subscriptions = options.model.onDidChange(() => this.render());
    this.render();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  clearFilter(): void {
    this.options.model.setFilter(noKnowledgeFilter);
  }

  showMore([row]: readonly unknown[]): void {
    const parsed = moreSchema.safeParse(row);
    if (parsed.success) this.options.model.showMore(parsed.data.more);
  }

  /** The exchanges under a session or a concept. */
  async childrenOf(node: TreeNode): Promise<TreeNode[]> {
    const { model, notifier } = this.options;
    const { project } = model;
    if (project === undefined) return [];
    const options = this.treeOptions(project);
    try {
      if (node.session !== undefined) {
        const { sessionId } = node.session;
        const exchanges = await model.exchangesOf(sessionId);
        return exchanges.slice(-MAX_EXCHANGES_OF_ROW).map((exchange) => exchangeNode(sessionId, exchange, options));
      }
      const concept = model.content?.overview.concepts.find(
        ({ id }) => node.id === `concept:${project.projectId}:${id}`,
      );
      const wanted = new Set(concept?.exchanges ?? []);
      const rows: TreeNode[] = [];
      for (const [sessionId, exchanges] of await model.allExchanges()) {
        const own = exchanges.filter(({ id }) => wanted.has(id));
        rows.push(...own.map((exchange) => exchangeNode(sessionId, exchange, { ...options, under: node.id })));
      }
      return rows.slice(0, MAX_EXCHANGES_OF_ROW);
    } catch (error) {
      notifier.showError(error, 'reading exchanges');
      return [];
    }
  }

  /** Narrows the view while the words are typed; the list below them narrows by kind. Escape brings the old filter back. */
  async filter(): Promise<void> {
    const { model } = this.options;
    const before = model.filter;
    const picked = await pickFilter<PartItem>({
      title: 'Keepit: Filter Knowledge',
      placeholder: 'Words of rules, solutions, concepts, exchanges or files; then choose what kind',
      text: before.text,
      items: parts.map((part) => ({ label: partTitles[part], part })),
      isActive: ({ part }) => part === before.part,
      onText: (text) => model.setFilter({ ...model.filter, text }),
    });
    model.setFilter(picked === undefined ? before : { text: picked.text, part: picked.item?.part ?? before.part });
    if (picked !== undefined) await commands.executeCommand(`${viewIds.knowledge}.focus`);
  }

  private render(): void {
    const { model, tree, view, formats } = this.options;
    const { content, project, filter } = model;
    const rows =
      content === undefined || project === undefined ? [] : knowledgeTree(content, this.treeOptions(project));
    tree.showChanged(rows, content?.overview.sessions);
    const facts = content?.overview.facts ?? [];
    const isEnabled = content?.overview.status.isEnabled === true;
    const reviews = reviewCount(facts);
    view.description = isEnabled ? knowledgeSummary(facts, formats) : '';
    view.badge =
      reviews === 0
        ? undefined
        : { value: reviews, tooltip: `${formats.plural(reviews, 'fact')} of ${project?.displayName ?? ''} to review` };
    // A message would take the place of the welcome text that says what to do when nothing matches.
    const isFiltered = isFilteringKnowledge(filter) && tree.rows.length > 0;
    view.message = isFiltered ? `Filter: ${describeKnowledgeFilter(filter)}` : '';
    this.context.set({
      [contextKeys.knowledge]: this.state(content),
      [contextKeys.isFilteringKnowledge]: isFilteringKnowledge(filter),
      [contextKeys.isKnowledgeEnabled]: isEnabled,
    });
  }

  private state(content: KnowledgeContent | undefined): string {
    const { model, sessions, tree } = this.options;
    if (model.hasFailed) return 'failed';
    if (model.project === undefined) return sessions.phase === 'ready' ? 'noProject' : 'loading';
    if (content === undefined) return 'loading';
    const { status, sessions: layered } = content.overview;
    if (!status.isEnabled) return 'notEnabled';
    if (status.problem !== undefined) return 'unreachable';
    if (tree.rows.length > 0) return 'ready';
    if (isFilteringKnowledge(model.filter)) return 'nothingMatches';
    return layered.length === 0 ? 'notBuilt' : 'empty';
  }

  private treeOptions({ projectId }: DiscoveredProject): KnowledgeTreeOptions {
    const { model, sessions, formats } = this.options;
    return {
      projectId,
      formats,
      filter: model.filter,
      nowMs: Date.now(),
      limitOf: (group) => model.limitOf(group),
      titleOf: (sessionId) => {
        const session = sessions.find({ projectId, sessionId });
        return session === undefined ? undefined : titleOf(session);
      },
    };
  }
}
