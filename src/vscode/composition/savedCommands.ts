import path from 'node:path';
import { window, type Disposable } from 'vscode';
import { problemWith } from '../../core/compositions/compositionName';
import type { CompositionRef } from '../../core/presentation/treeNode';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { commandIds } from '../ids';
import { revealFile } from '../revealFile';
import { RowClicks } from '../watchedTree';
import type { CompositionChanges } from './compositionChanges';
import type { CompositionRunner } from './compositionRunner';
import type { CompositionsTree } from './compositionsTree';
import { showComposition } from './compositionFiles';

const STATUS_MS = 4000;

/** What is done with compositions that are saved. */
export class SavedCommands implements Feature {
  readonly name = 'composition commands';
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'host' | 'formats' | 'notifier'>,
    private readonly changes: CompositionChanges,
    private readonly runner: CompositionRunner,
    private readonly compositions: CompositionsTree,
  ) {}

  register(): Disposable {
    return registerCommands(
      [
        { id: commandIds.openComposition, doing: 'opening a composition', run: (...args) => this.open(args) },
        { id: commandIds.rebuildComposition, doing: 'rebuilding a composition', run: (...args) => this.rebuild(args) },
        { id: commandIds.renameComposition, doing: 'renaming a composition', run: (...args) => this.rename(args) },
        { id: commandIds.deleteCompositions, doing: 'deleting compositions', run: (...args) => this.delete(args) },
        { id: commandIds.revealComposition, doing: 'revealing a composition', run: (...args) => this.reveal(args) },
      ],
      this.context.notifier,
    );
  }

  private async open(args: readonly unknown[]): Promise<void> {
    const preserveFocus = this.clicks.isFirst(args[0]);
    const place = await this.compositions.one(args, 'Keepit: Open Composition');
    if (place !== undefined) await showComposition(place, preserveFocus);
  }

  private async rebuild(args: readonly unknown[]): Promise<void> {
    const { compositions, runner } = this;
    for (const place of await compositions.many(args, 'Keepit: Rebuild Composition')) await runner.rebuild(place);
  }

  private async rename(args: readonly unknown[]): Promise<void> {
    const { compositions, changes } = this;
    const place = await compositions.one(args, 'Keepit: Rename Composition');
    if (place === undefined) return;
    const saved = (await this.context.host.memory()).service.compositions;
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
    await changes.rename(place, name);
    window.setStatusBarMessage(`“${place.name}” is “${name}” now.`, STATUS_MS);
  }

  /** Without a question: it can be undone. */
  private async delete(args: readonly unknown[]): Promise<void> {
    const { formats, notifier } = this.context;
    const { compositions, changes } = this;
    const places = await compositions.many(args, 'Keepit: Delete Composition');
    const deleted: { place: CompositionRef; trash: string }[] = [];
    for (const place of places) deleted.push({ place, trash: (await changes.delete(place)).trash });
    if (deleted.length === 0) return;
    const what =
      deleted.length === 1 ? `“${deleted[0]?.place.name ?? ''}”` : formats.plural(deleted.length, 'composition');
    const undo = 'Undo';
    if ((await notifier.tell(`${what} deleted. Its sessions and versions stay.`, undo)) !== undo) return;
    for (const { place, trash } of deleted) await changes.restore(place.projectId, trash);
    window.setStatusBarMessage(`${what} ${deleted.length === 1 ? 'is' : 'are'} back.`, STATUS_MS);
  }

  private async reveal(args: readonly unknown[]): Promise<void> {
    const { host } = this.context;
    const { compositions } = this;
    const place = await compositions.one(args, 'Keepit: Reveal Composition');
    if (place === undefined) return;
    const saved = (await host.memory()).service.compositions;
    const { files } = await saved.get(place.projectId, place.name);
    const [file] = files;
    if (file !== undefined) await revealFile(path.normalize(file));
  }
}
