import { Uri, env, window, workspace } from 'vscode';
import * as z from 'zod/mini';
import { type FiringRef, sessionRefSchema } from '../../core/sessions/view/treeNode';
import { HookLayout } from '../../node/hooks/hookLayout';
import type { HookActivity } from '../../core/model/hookActivity';
import { shortId } from '../../core/text/formats';
import { firingDocument, givenSentence } from '../../core/claude/view/activityWords';
import type { SessionRef } from '../../core/sessions/results';
import { ClaudeTerminal } from '../composition/claudeTerminal';
import type { Context, Uses } from '../context';
import { type NodeTree, rowsMeant, RowClicks } from '../watchedTree';
import { ACTIVITY_SCHEME } from '../ids';
import { SetupCommands } from './setupCommands';
import { HookSwitches, InsideTree } from './activityTree';

const firingSchema = z.object({ firing: z.extend(sessionRefSchema, { index: z.number() }) });
const sessionSchema = z.object({ session: sessionRefSchema });

/** Composes all that has to do with what Keepit does inside Claude Code. Loaded on demand. */
export class InsideRoom {
  readonly tree: InsideTree;
  readonly setup: SetupCommands;
  readonly switches: HookSwitches;
  readonly activity: ActivityCommands;

  constructor(context: Context, nodes: NodeTree) {
    this.tree = new InsideTree(context, nodes);

    const terminal = new ClaudeTerminal(context.settings, context.notifier);
    this.setup = new SetupCommands(context, this.tree, terminal);
    this.switches = new HookSwitches(context, this.tree);
    this.activity = new ActivityCommands(context, this.tree);
  }

  dispose(): void {
    this.tree.dispose();
  }
}

/** Reading and copying what hooks did. */
class ActivityCommands {
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'formats' | 'notifier'>,
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
    const sent: unknown = JSON.parse(query);
    const { firing } = firingSchema.parse({ firing: sent });
    const found = await this.find(firing);
    return found === undefined ? 'What this hook did is not known any more.\n' : this.document(firing, found);
  }

  async copy(args: readonly unknown[]): Promise<void> {
    const texts: string[] = [];
    for (const row of this.rows(args)) {
      const text = await this.copied(row);
      if (text !== undefined && !texts.includes(text)) texts.push(text);
    }
    if (texts.length === 0) return;
    await env.clipboard.writeText(texts.join('\n'));
    this.context.notifier.say('What Keepit did there is in the clipboard.');
  }

  /** Where hooks tell what went wrong. */
  async openLog(): Promise<void> {
    const { memory, host, notifier } = this.context;
    if ((await memory.hooks.log(1)).length === 0) {
      notifier.say('No hook has had a problem yet: there is no log.');
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
    return this.context.memory.hooks.activity(projectId, sessionId);
  }

  private title(ref: SessionRef): string {
    return this.context.model.titleOf(ref) ?? `Session ${shortId(ref.sessionId)}`;
  }
}
