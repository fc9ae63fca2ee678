import { commands, Disposable, type QuickPickItem, type TreeView } from 'vscode';
import * as z from 'zod/mini';
import type { Formats } from '../../core/text/formats';
import {
  describeKnowledgeFilter,
  isFilteringKnowledge,
  noKnowledgeFilter,
  partTitles,
  type KnowledgePart,
} from '../../core/presentation/knowledgeFilter';
import {
  exchangeRows,
  knowledgeSummary,
  knowledgeTree,
  reviewCount,
  type FoundExchange,
  type KnowledgeContent,
  type KnowledgeTreeOptions,
} from '../../core/presentation/knowledgeTree';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { DiscoveredProject } from '../../core/sessions/results';
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
const READING = 'What was said in this project is being read.';
const moreSchema = z.object({ id: z.string(), more: z.string() });

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

  /** The first of the rows that came has the focus then: who listens, or works by keys, would have lost their place. */
  async showMore([row]: readonly unknown[]): Promise<void> {
    const { model, tree, view } = this.options;
    const parsed = moreSchema.safeParse(row);
    if (!parsed.success) return;
    const parent = tree.parentOf(parsed.data.id);
    if (parent === undefined) return;
    const known = new Set((await tree.getChildren(parent)).map(({ id }) => id));
    model.showMore(parsed.data.more);
    const now = tree.rows.find(({ id }) => id === parent.id) ?? parent;
    const first = (await tree.getChildren(now)).find(({ id }) => !known.has(id));
    if (first !== undefined) await view.reveal(first, { focus: true });
  }

  /** The exchanges under a session or a concept. */
  async childrenOf(node: TreeNode): Promise<TreeNode[]> {
    const { model, notifier } = this.options;
    const { project } = model;
    if (project === undefined) return [];
    try {
      return exchangeRows(node, await this.exchangesUnder(node), this.treeOptions(project));
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

  private async exchangesUnder({ id, session }: TreeNode): Promise<FoundExchange[]> {
    const { model } = this.options;
    if (session !== undefined) {
      const { sessionId } = session;
      return (await model.exchangesOf(sessionId)).map((exchange) => ({ sessionId, exchange }));
    }
    const { project, content } = model;
    const concept = content?.overview.concepts.find((one) => id === `concept:${project?.projectId}:${one.id}`);
    const wanted = new Set(concept?.exchanges ?? []);
    return [...(await model.allExchanges())].flatMap(([sessionId, exchanges]) =>
      exchanges.filter((exchange) => wanted.has(exchange.id)).map((exchange) => ({ sessionId, exchange })),
    );
  }

  private render(): void {
    const { model, tree, view, formats } = this.options;
    const { content, project, filter } = model;
    const rows =
      content === undefined || project === undefined ? [] : knowledgeTree(content, this.treeOptions(project));
    tree.showChanged(rows, [content?.overview.sessions, model.limits]);
    const facts = content?.overview.facts ?? [];
    const isEnabled = content?.overview.status.isEnabled === true;
    const reviews = reviewCount(facts);
    view.description = isEnabled ? knowledgeSummary(facts, formats) : '';
    view.badge =
      reviews === 0
        ? undefined
        : { value: reviews, tooltip: `${formats.plural(reviews, 'fact')} of ${project?.displayName ?? ''} to review` };
    view.message = this.message(content);
    this.context.set({
      [contextKeys.knowledge]: this.state(content),
      [contextKeys.isFilteringKnowledge]: isFilteringKnowledge(filter),
      [contextKeys.isKnowledgeEnabled]: isEnabled,
    });
  }

  /** A message takes the place of the welcome text that says what to do: only where there is nothing to be done. */
  private message(content: KnowledgeContent | undefined): string {
    const { model, tree } = this.options;
    if (model.isBuilding && content?.overview.sessions.length === 0) return READING;
    const isFiltered = isFilteringKnowledge(model.filter) && tree.rows.length > 0;
    return isFiltered ? `Filter: ${describeKnowledgeFilter(model.filter)}` : '';
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
