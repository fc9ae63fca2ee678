import path from 'node:path';
import { Disposable, window, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import type { StoredComposition } from '../../core/compositions/compositions';
import { compositionNode, compositionTree } from '../../core/compositions/view/compositionTree';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { SessionRef } from '../../core/sessions/results';
import type { Memory } from '../../node/createMemory';
import type { Uses } from '../context';
import type { Feature } from '../feature';
import { commandIds, contextKeys, viewIds } from '../ids';
import { rowsMeant, NodeTree, WatchedTree } from '../watchedTree';
import { SessionDrop } from '../sessions/sessionViews';
import { compositionUris } from './compositionFiles';

interface FoundCompositions {
  /** The newest first. */
  readonly compositions: readonly StoredComposition[];
  /** The name of the one that waits for the next session. */
  readonly armed: string | undefined;
}

interface CompositionItem extends QuickPickItem {
  readonly composition: CompositionRef;
}

const refSchema = z.object({ projectId: z.string(), name: z.string() });
/** A row of the view, as menus and clicks pass it, and what panels and messages pass. */
const rowSchema = z.object({ composition: refSchema });

/** The view *Compositions*: those of the project that is shown, and which one waits for its next session. */
export class CompositionsTree extends WatchedTree<FoundCompositions> implements Feature {
  readonly name = 'compositions view';

  /** `onDrop`: sessions were dropped on a composition, or beside all of them. */
  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'formats' | 'log'>,
    onDrop: (target: CompositionRef | undefined, sessions: readonly SessionRef[]) => Promise<void>,
  ) {
    const tree = new NodeTree(viewIds.compositions, {
      commandOf: (node) => {
        const { composition, id } = node;
        if (composition === undefined) {
          return { command: commandIds.openTranscript, title: 'Open Transcript', arguments: [node] };
        }
        const argument = { composition, id, from: 'row' };
        return { command: commandIds.openComposition, title: 'Open Composition', arguments: [argument] };
      },
      view: { dragAndDropController: new SessionDrop((row, refs) => onDrop(row?.composition, refs)) },
    });
    super({ host: context.host, log: context.log, tree, what: 'Compositions' });
  }

  register(): Disposable {
    const { host, model } = this.context;
    const again = () => this.whenVisible.lookSoon();
    this.begin([
      model.onDidChange(again),
      model.onDidChange(() => this.render()),
      host.onDidWrite('compositions', again),
    ]);
    return Disposable.from(this, this.tree);
  }

  /** The composition meant: of a row, the selection, the document that is read, or one that the user picks. */
  async one(args: readonly unknown[], title: string): Promise<CompositionRef | undefined> {
    return (await this.many(args, title))[0];
  }

  /** All compositions meant. */
  async many(args: readonly unknown[], title: string): Promise<CompositionRef[]> {
    const named = this.named(args);
    if (named.length > 0 || args[0] !== undefined) return named;
    const picked = await this.pick(title);
    return picked === undefined ? [] : [picked];
  }

  /** Another one of the project that is shown, which the user picks. */
  async other({ projectId, name }: CompositionRef, title: string): Promise<CompositionRef | undefined> {
    return this.pick(title, (one) => one.projectId !== projectId || one.name !== name);
  }

  protected async read(memory: Memory): Promise<FoundCompositions> {
    const { projectId } = this.context.model.shownProject ?? {};
    if (projectId === undefined) return { compositions: [], armed: undefined };
    const { compositions } = memory.service;
    const [saved, armed] = await Promise.all([compositions.list(projectId), compositions.armed(projectId)]);
    return { compositions: saved, armed: armed?.name };
  }

  /** The manifest tells of what others do; what waits is in a file of its own, which hooks take away. */
  protected follow(memory: Memory): void {
    const { projectId } = this.context.model.shownProject ?? {};
    const names = projectId === undefined ? [] : ['manifest.json', 'armed.json'];
    const files = names.map((name) => path.join(memory.memoryDir, 'projects', projectId ?? '', name));
    this.whenVisible.followFiles(files, memory);
  }

  protected render(): void {
    const { tree, problem, found } = this;
    const { model, formats } = this.context;
    const titled = (ref: SessionRef): string | undefined => model.titleOf(ref);
    const options = { formats, nowMs: Date.now(), armed: found?.armed, titleOf: titled };
    tree.showChanged(compositionTree(found?.compositions ?? [], options));
    tree.view.description = model.shownProject?.displayName ?? '';
    tree.view.message = problem === undefined ? '' : `The compositions could not be read: ${problem}`;
    this.contextValues.set({ [contextKeys.compositions]: this.state() });
  }

  private state(): string {
    if (!this.hasLooked) return 'loading';
    if (this.context.model.shownProject === undefined) return 'noProject';
    return this.problem !== undefined || (this.found?.compositions ?? []).length > 0 ? 'ready' : 'empty';
  }

  private named(args: readonly unknown[]): CompositionRef[] {
    const rows = rowsMeant(args, this.selection);
    if (rows !== undefined) return rows.flatMap((row) => rowSchema.safeParse(row).data?.composition ?? []);
    const uri = window.activeTextEditor?.document.uri;
    const open = uri && compositionUris.ref(uri);
    return open === undefined ? [] : [open];
  }

  /** One of those of the project that is shown, read now. */
  private async pick(
    title: string,
    wants: (place: CompositionRef) => boolean = () => true,
  ): Promise<CompositionRef | undefined> {
    const { memory, model, formats } = this.context;
    const { projectId } = model.shownProject ?? {};
    const compositions = projectId === undefined ? [] : await memory.compositions.list(projectId);
    if (compositions.length === 0) {
      void window.showInformationMessage('There is no composition yet: “Keepit: Compose Context…” makes one.');
      return undefined;
    }
    const options = { formats, nowMs: Date.now(), armed: undefined, titleOf: () => undefined };
    const items = compositions.map((composition): CompositionItem => {
      const { label, description } = compositionNode(composition, options);
      return { label, description, composition: { projectId: composition.projectId, name: composition.record.name } };
    });
    const wanted = items.filter(({ composition }) => wants(composition));
    const chosen = await window.showQuickPick(wanted, { title, placeHolder: 'Type to find a composition' });
    return chosen?.composition;
  }
}
