import { commands, window, type Disposable } from 'vscode';
import { problemWith } from '../../core/compositions/compositionName';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { revealFile } from '../revealFile';
import { RowClicks } from '../watchedTree';
import type { CompositionRunner } from './compositionRunner';
import type { CompositionsTree } from './compositionsTree';
import { compositionUri, showComposition } from './compositionFiles';

const STATUS_MS = 4000;

/** What is done with compositions that are saved. */
export class SavedCommands implements Feature {
  readonly name = 'composition commands';
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'memory' | 'formats' | 'notifier'>,
    private readonly runner: CompositionRunner,
    private readonly compositions: CompositionsTree,
  ) {}

  register(): Disposable {
    return registerCommands(this.context.notifier, {
      openComposition: (args) => this.open(args),
      rebuildComposition: (args) => this.rebuild(args),
      compareCompositions: (args) => this.compare(args),
      renameComposition: (args) => this.rename(args),
      deleteCompositions: (args) => this.delete(args),
      revealComposition: (args) => this.reveal(args),
    });
  }

  private async open(args: readonly unknown[]) {
    const preserveFocus = this.clicks.isFirst(args[0]);
    const place = await this.compositions.one(args, 'Keepit: Open Composition');
    if (place !== undefined) await showComposition(place, preserveFocus);
  }

  private async rebuild(args: readonly unknown[]) {
    const { compositions, runner } = this;
    for (const place of await compositions.many(args, 'Keepit: Rebuild Composition')) await runner.rebuild(place);
  }

  /** In the editor's own diff: the one that is meant with another one, or the two that are selected. */
  private async compare(args: readonly unknown[]) {
    const { compositions } = this;
    const [first, ...others] = await compositions.many(args, 'Keepit: Compare Compositions');
    if (first === undefined) return;
    const second = others[0] ?? (await compositions.other(first, `Keepit: Compare “${first.name}” With`));
    if (second === undefined) return;
    const title = `${first.name} ↔ ${second.name}`;
    await commands.executeCommand('vscode.diff', compositionUri(first), compositionUri(second), title);
  }

  private async rename(args: readonly unknown[]) {
    const { compositions } = this;
    const place = await compositions.one(args, 'Keepit: Rename Composition');
    if (place === undefined) return;
    const saved = this.context.memory.compositions;
    const taken = (await saved.list(place.projectId))
      .map(({ record }) => record.name)
      .filter((name) => name !== place.name);
    const name = await window.showInputBox({
      title: `Keepit: Rename “${place.name}”`,
      value: place.name,
      validateInput: (value) => {
        const problem = problemWith(value);
        if (problem !== undefined) return `This cannot be its name: ${problem}.`;
        return taken.includes(value) ? 'There is a composition of that name already.' : undefined;
      },
    });
    if (name === undefined || name === place.name) return;
    await saved.rename(place.projectId, place.name, name);
    window.setStatusBarMessage(`“${place.name}” is “${name}” now.`, STATUS_MS);
  }

  /** Without a question: it can be undone. */
  private async delete(args: readonly unknown[]) {
    const { memory, formats, notifier } = this.context;
    const saved = memory.compositions;
    const places = await this.compositions.many(args, 'Keepit: Delete Composition');
    const deleted: { place: CompositionRef; trash: string }[] = [];
    for (const place of places) deleted.push({ place, trash: (await saved.delete(place.projectId, place.name)).trash });
    if (deleted.length === 0) return;
    const what =
      deleted.length === 1 ? `“${deleted[0]?.place.name ?? ''}”` : formats.plural(deleted.length, 'composition');
    const undo = 'Undo';
    if ((await notifier.tell(`${what} deleted. Its sessions and versions stay.`, undo)) !== undo) return;
    for (const { place, trash } of deleted) await saved.restore(place.projectId, trash);
    window.setStatusBarMessage(`${what} ${deleted.length === 1 ? 'is' : 'are'} back.`, STATUS_MS);
  }

  private async reveal(args: readonly unknown[]) {
    const place = await this.compositions.one(args, 'Keepit: Reveal Composition');
    if (place === undefined) return;
    const { files } = await this.context.memory.compositions.get(place.projectId, place.name);
    const [file] = files;
    if (file !== undefined) await revealFile(file);
  }
}
