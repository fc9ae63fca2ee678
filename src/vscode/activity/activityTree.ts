import path from 'node:path';
import { window, TreeItemCheckboxState } from 'vscode';
import * as z from 'zod/mini';
import { StoreError } from '../../core/model/host';
import type { InsideSession } from '../../core/claude/view/activityRows';
import {
  switchedText,
  type InsideSwitches,
  INSIDE_PAGE,
  firingRows,
  insideSummary,
  insideTree,
  type InsideContent,
  type InsideTreeOptions,
} from '../../core/claude/view/activityTree';
import type { TreeNode } from '../../core/sessions/view/treeNode';
import type { MemoryService } from '../../core/memory';
import type { Memory } from '../../node/createMemory';
import { PROJECT_PREFIX } from '../../core/sessions/configSettings';
import { contextKeys } from '../ids';
import type { Uses } from '../context';
import { WatchedTree, type NodeTree } from '../watchedTree';
import { HookLayout } from '../../node/hooks/hookLayout';
import { FolderFollower } from '../visibleRefresh';

const moreSchema = z.object({ more: z.string() });

/** Hooks write several lines in a row; each is soon seen, and all are read together. */
const SETTLE_MS = 200;

/**
 * The view *Inside Claude Code*: where Keepit is set up, what is switched on, and what hooks did in the sessions of the shown project.
 */
export class InsideTree extends WatchedTree<InsideContent> {
  private readonly limits = new Map<string, number>();
  private readonly known = new Map<string, { readonly stamp: string; readonly activity: InsideSession['activity'] }>();
  /** Grows when rows have to be shown anew that are as they were. */
  private revision = 0;
  private shownId: string | undefined;

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'formats' | 'log'>,
    tree: NodeTree,
  ) {
    super({ host: context.host, log: context.log, tree, what: 'What hooks did', settleMs: SETTLE_MS });
    this.begin([
      context.model.onDidChange(() => this.onSessions()),
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.whenVisible.lookSoon();
      }),
    ]);
  }

  /** The project that is shown. */
  get project() {
    return this.context.model.shownProject;
  }

  get projectId(): string | undefined {
    return this.project?.projectId;
  }

  showMore([row]: readonly unknown[]): void {
    const parsed = moreSchema.safeParse(row);
    if (!parsed.success) return;
    const { more } = parsed.data;
    this.limits.set(more, this.limitOf(more) + INSIDE_PAGE);
    this.revision += 1;
    this.whenVisible.lookSoon();
  }

  /** What hooks did in a session. */
  childrenOf({ session }: TreeNode): TreeNode[] {
    const known = this.found?.sessions.find(({ sessionId }) => sessionId === session?.sessionId);
    return known === undefined ? [] : firingRows(known, this.treeOptions());
  }

  /** As {@link lookNow}, for boxes that VS Code has changed already, whether what they stand for was changed or not. */
  async lookAnew(): Promise<void> {
    this.revision += 1;
    await this.lookNow();
  }

  /** Reads now; settles when it is shown. */
  lookNow(): Promise<void> {
    return this.whenVisible.lookNow();
  }

  protected override forget(): void {
    this.limits.clear();
    this.known.clear();
    this.whenVisible.lookSoon();
  }

  protected override afterFailure(): InsideContent | undefined {
    return this.found;
  }

  protected async read({ service: memory }: Memory): Promise<InsideContent> {
    const { projectId } = this;
    this.shownId = projectId;
    const [status, switches, sessions] = await Promise.all([
      memory.setup.status(),
      switchesOf(memory, projectId),
      projectId === undefined ? [] : memory.hooks.sessions(projectId),
    ]);
    const limit = this.limitOf('sessions');
    const shown = await Promise.all(sessions.slice(0, limit).map((session) => this.withActivity(memory, session)));
    const rest = sessions.slice(limit).map((session) => ({ ...session, activity: [] }));
    return { setup: status, switches, sessions: [...shown, ...rest] };
  }

  /** Hooks, the command line and other windows write these. */
  protected follow(memory: Memory): void {
    const projectId = this.shownId;
    const { memoryDir } = memory;
    const own = new Set(['config.json', 'claude-setup.json']);
    this.whenVisible.follow(`${memoryDir} ${projectId ?? ''}`, (onChanged) => {
      const setup = new FolderFollower(memoryDir, { isWanted: (name) => own.has(name), onChanged });
      if (projectId === undefined) return [setup];
      const isManifest = (name: string): boolean => name === 'manifest.json';
      const isActivity = (name: string): boolean => name.endsWith('.jsonl');
      const folder = path.join(memoryDir, 'projects', projectId);
      return [
        setup,
        new FolderFollower(folder, { isWanted: isManifest, onChanged }),
        new FolderFollower(new HookLayout(memoryDir).project(projectId).activityFolder, {
          isWanted: isActivity,
          onChanged,
        }),
      ];
    });
  }

  protected render(): void {
    const { tree, problem, found: content } = this;
    const { view } = tree;
    const rows = content === undefined ? [] : insideTree(content, this.treeOptions());
    // All that hooks did in a session is in the figures and the tooltip of its row.
    tree.showChanged(rows, this.revision);
    view.description = content === undefined ? '' : insideSummary(content, this.context.formats);
    view.message = problem === undefined ? '' : `What hooks did cannot be read: ${problem}`;
    this.contextValues.set({
      [contextKeys.inside]: this.state(),
      [contextKeys.isSetUp]: (content?.setup.installs.length ?? 0) > 0,
    });
  }

  private state(): string {
    if (this.problem !== undefined) return 'failed';
    if (this.found === undefined) return 'loading';
    return this.tree.rows.length === 0 ? 'notSetUp' : 'ready';
  }

  private treeOptions(): InsideTreeOptions {
    const { model, formats } = this.context;
    return {
      formats,
      nowMs: Date.now(),
      folder: this.project?.originalPath,
      limitOf: (group) => this.limitOf(group),
      titleOf: (ref) => model.titleOf(ref),
    };
  }

  private limitOf(group: string): number {
    return this.limits.get(group) ?? INSIDE_PAGE;
  }

  /** Their titles are known at once; somebody may have asked for a look at everything. */
  private onSessions() {
    if (this.projectId !== this.shownId) this.forget();
    else this.whenVisible.lookSoon();
    this.render();
  }

  /** A session in which nothing has happened since is not read again. */
  private async withActivity(memory: MemoryService, session: Omit<InsideSession, 'activity'>): Promise<InsideSession> {
    const { projectId, sessionId, firings, lastAt } = session;
    const stamp = `${projectId} ${firings} ${lastAt}`;
    let known = this.known.get(sessionId);
    if (known?.stamp !== stamp) {
      known = { stamp, activity: await memory.hooks.activity(projectId, sessionId) };
      this.known.set(sessionId, known);
    }
    return { ...session, activity: known.activity };
  }
}

/** A project that has something in memory decides for itself whether new sessions are added. */
async function switchesOf(memory: MemoryService, projectId: string | undefined): Promise<InsideSwitches> {
  const { hooks, defaults } = await memory.config.read();
  const own = projectId === undefined ? undefined : await ownSettings(memory, projectId);
  const newSessions =
    own === undefined
      ? { isOn: defaults.autoRegisterSessions, key: 'defaults.autoRegisterSessions' }
      : { isOn: own.autoRegisterNewSessions, key: 'project.autoRegisterNewSessions' };
  return { hooks, newSessions };
}

async function ownSettings(
  memory: MemoryService,
  projectId: string,
): Promise<{ autoRegisterNewSessions: boolean } | undefined> {
  try {
    return await memory.config.project(projectId);
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'not-found') return undefined; // nothing of it is in memory yet
    throw error;
  }
}

const rowSchema = z.object({ label: z.string(), toggle: z.object({ isOn: z.boolean(), key: z.string() }) });

/** Turns hooks on and off, by their boxes, or by Enter on their rows. The settings are those of `keepit config`. */
export class HookSwitches {
  constructor(
    private readonly context: Uses<'host' | 'memory' | 'notifier'>,
    private readonly model: InsideTree,
  ) {}

  /** Boxes that were checked and unchecked. */
  async check(items: readonly (readonly [TreeNode, TreeItemCheckboxState])[]): Promise<void> {
    for (const [{ label, toggle }, state] of items)
      if (toggle !== undefined) await this.change({ label, key: toggle.key }, state === TreeItemCheckboxState.Checked);
  }

  /** The row itself. */
  async turn([row]: readonly unknown[]): Promise<void> {
    const parsed = rowSchema.safeParse(row);
    if (!parsed.success) return;
    const { label, toggle } = parsed.data;
    await this.change({ label, key: toggle.key }, !toggle.isOn);
  }

  /** Whatever comes of it, the box shows how it is. */
  private async change({ label, key }: { label: string; key: string }, isOn: boolean) {
    const { memory, notifier } = this.context;
    try {
      const { projectId } = this.model;
      if (!key.startsWith(PROJECT_PREFIX)) await memory.config.set(key, String(isOn));
      else if (projectId !== undefined) await memory.config.setProject(projectId, key, String(isOn));
      notifier.say(switchedText(label, isOn));
    } finally {
      await this.model.lookAnew();
    }
  }
}
