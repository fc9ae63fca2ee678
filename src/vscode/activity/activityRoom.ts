import { Disposable, type TreeItemCheckboxState, Uri, env, window, workspace } from 'vscode';
import * as z from 'zod/mini';
import type { TreeNode, FiringRef } from '../../core/sessions/view/treeNode';
import { HookLayout } from '../../node/hooks/hookLayout';
import type { HookActivity } from '../../core/model/hookActivity';
import { shortId, titleOf } from '../../core/text/formats';
import { firingDocument, givenSentence } from '../../core/claude/view/activityWords';
import type { SessionRef } from '../../core/sessions/results';
import { ClaudeTerminal } from '../composition/claudeTerminal';
import type { Context, Uses } from '../context';
import { type NodeTree, rowsMeant, RowClicks } from '../watchedTree';
import { ACTIVITY_SCHEME } from '../ids';
import { ChangeReview, SetupCommands } from './setupCommands';
import { HookSwitches, InsideTree } from './activityTree';
import type { InsideHandlers } from './activityFeature';

const refSchema = z.object({ projectId: z.string(), sessionId: z.string() });
const firingSchema = z.object({ firing: z.extend(refSchema, { index: z.number() }) });
const sessionSchema = z.object({ session: refSchema });
const STATUS_MS = 3000;

/** Composes all that has to do with what Keepit does inside Claude Code. Loaded on demand. */
export class InsideRoom {
  readonly handlers: InsideHandlers;
  private readonly tree: InsideTree;
  private readonly switches: HookSwitches;
  private readonly activity: ActivityCommands;
  private readonly owned: Disposable;

  constructor(context: Context, nodes: NodeTree) {
    const tree = new InsideTree(context, nodes);
    const review = new ChangeReview();
    const terminal = new ClaudeTerminal(context.settings, context.notifier);
    const setup = new SetupCommands(context, tree, review, terminal);
    this.tree = tree;
    this.switches = new HookSwitches(context, tree);
    this.activity = new ActivityCommands(context, tree);
    this.owned = Disposable.from(tree, review);
    this.handlers = {
      setUpClaudeCode: () => setup.setUp(),
      removeFromClaudeCode: (args) => setup.remove(args),
      switchHook: (args) => this.switches.turn(args),
      openActivity: (args) => this.activity.open(args),
      copyActivity: (args) => this.activity.copy(args),
      showMoreActivity: (args) => this.tree.showMore(args),
      openHookLog: () => this.activity.openLog(),
    };
  }

  /** What hooks did in the session of a row. */
  childrenOf(node: TreeNode): TreeNode[] {
    return this.tree.childrenOf(node);
  }

  /** What a hook did, as a document. */
  textOf(uri: Uri): Promise<string> {
    return this.activity.textOf(uri);
  }

  /** Boxes that were checked and unchecked. */
  async check(items: readonly (readonly [TreeNode, TreeItemCheckboxState])[]): Promise<void> {
    for (const [node, state] of items) await this.switches.set(node, state);
  }

  dispose(): void {
    this.owned.dispose();
  }
}

/** Reading and copying what hooks did. */
class ActivityCommands {
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'formats'>,
    private readonly tree: InsideTree,
  ) {}

  /** As a document that nobody can write into, beside the others. */
  async open(args: readonly unknown[]): Promise<void> {
    const preserveFocus = this.clicks.isFirst(args[0]);
    const parsed = firingSchema.safeParse(this.rows(args)[0]);
    if (!parsed.success) return;
    const { firing } = parsed.data;
    const found = await this.find(firing);
    if (found === undefined) return;
    const name = `${found.event} ${shortId(firing.sessionId)}.md`;
    const uri = Uri.from({ scheme: ACTIVITY_SCHEME, path: `/${name}`, query: JSON.stringify(firing) });
    await window.showTextDocument(await workspace.openTextDocument(uri), { preserveFocus, preview: true });
  }

  /** The text of a document that {@link open} has opened, also after a restart. */
  async textOf({ query }: Uri): Promise<string> {
    const parsed = z.extend(refSchema, { index: z.number() }).safeParse(JSON.parse(query));
    const found = parsed.success ? await this.find(parsed.data) : undefined;
    if (!parsed.success || found === undefined) return 'What this hook did is not known any more.\n';
    return this.document(parsed.data, found);
  }

  async copy(args: readonly unknown[]): Promise<void> {
    const texts: string[] = [];
    for (const row of this.rows(args)) {
      const text = await this.copied(row);
      if (text !== undefined && !texts.includes(text)) texts.push(text);
    }
    if (texts.length === 0) return;
    await env.clipboard.writeText(texts.join('\n'));
    window.setStatusBarMessage('What Keepit did there is in the clipboard.', STATUS_MS);
  }

  /** Where hooks tell what went wrong. */
  async openLog(): Promise<void> {
    const { memory, host } = this.context;
    if ((await memory.hooks.log(1)).length === 0) {
      window.setStatusBarMessage('No hook has had a problem yet: there is no log.', STATUS_MS);
      return;
    }
    await window.showTextDocument(Uri.file(new HookLayout((await host.memory()).memoryDir).log), { preview: true });
  }

  private async copied(row: unknown): Promise<string | undefined> {
    const firing = firingSchema.safeParse(row);
    if (firing.success) {
      const found = await this.find(firing.data.firing);
      return found && this.document(firing.data.firing, found);
    }
    const session = sessionSchema.safeParse(row);
    if (!session.success) return undefined;
    const activity = await this.activity(session.data.session);
    const given = givenSentence(activity, this.context.formats);
    return `${this.title(session.data.session)}: ${given === '' ? 'Keepit gave this session nothing yet.' : given}`;
  }

  /** The rows that a command was called on, else those that are selected. */
  private rows(args: readonly unknown[]): readonly unknown[] {
    const { selection } = this.tree;
    return rowsMeant(args, selection) ?? selection;
  }

  private async find({ index, ...ref }: FiringRef): Promise<HookActivity | undefined> {
    return (await this.activity(ref))[index];
  }

  private async document(ref: SessionRef, found: HookActivity): Promise<string> {
    const { memory } = this.context;
    const given = await memory.hooks.given(ref.projectId, ref.sessionId);
    return firingDocument(found, this.title(ref), this.context.formats, given);
  }

  private async activity({ projectId, sessionId }: SessionRef): Promise<HookActivity[]> {
    const { memory } = this.context;
    return memory.hooks.activity(projectId, sessionId);
  }

  private title(ref: SessionRef): string {
    const session = this.context.model.find(ref);
    return session === undefined ? `Session ${shortId(ref.sessionId)}` : titleOf(session);
  }
}
