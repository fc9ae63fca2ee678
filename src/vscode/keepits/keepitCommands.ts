import {
  env,
  Range,
  Selection,
  TextEditorRevealType,
  workspace,
  WorkspaceEdit,
  type TextDocumentShowOptions,
} from 'vscode';
import { markerText } from '../../core/keepits/weights';
import { oneLine } from '../../core/text/cleanText';
import { weightLabel } from '../../core/sessions/view/keepitOutlook';
import { stateWords } from '../../core/sessions/view/keepitTree';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MemoryService } from '../../core/memory';
import type { KeepitRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { isFromKey, RowClicks } from '../watchedTree';
import type { KeepitTarget, KeepitsTree } from './keepitsTree';
import { rangeOf } from './markProviders';
import type { MarkSources } from './markSources';
import { pickWeight } from './markCommands';

/** What a pinned keepit weighs once it is unpinned: the heaviest weight that can fade. */
const UNPINNED_WEIGHT = 0.9;
const NAMED_LENGTH = 50;

const NOTHING_MEANT = 'Put the cursor into a keepit, or select one in the Keepits view.';

/** What is done with keepits that are there: go to them, weigh them anew, remove and restore them. */
export class KeepitCommands implements CommandSet {
  private readonly clicks = new RowClicks();

  constructor(
    private readonly context: Uses<'memory' | 'model' | 'registering' | 'transcripts' | 'formats' | 'notifier'>,
    private readonly targets: KeepitsTree,
    private readonly sources: MarkSources,
  ) {}

  readonly commands: CommandHandlers = {
    openKeepit: (args) => this.open(args),
    changeWeight: (args) => this.changeWeight(args),
    pinKeepit: (args) => this.weigh(args, 1),
    unpinKeepit: (args) => this.weigh(args, UNPINNED_WEIGHT),
    removeKeepit: (args) => this.remove(args),
    restoreKeepit: (args) => this.restore(args),
    copyKeepit: (args) => this.copy(args),
  };

  private async meant(args: readonly unknown[]): Promise<KeepitTarget[]> {
    const targets = await this.targets.meant(args);
    if (targets.length === 0 && !isFromKey(args[0])) void this.context.notifier.tell(NOTHING_MEANT);
    return targets;
  }

  /** Shows the message that a keepit is in. False, and the user is told why, when it cannot be shown. */
  async show(
    ref: KeepitRef,
    where: Pick<TextDocumentShowOptions, 'viewColumn' | 'preserveFocus'> = {},
  ): Promise<boolean> {
    const { model, transcripts, notifier } = this.context;
    const session = model.find(ref);
    if (session === undefined) {
      void notifier.tell('Its session is not among those that are shown: it is gone.');
      return false;
    }
    const editor = await transcripts.show(session, where);
    const marked = await this.sources.get(editor.document);
    const mark = marked?.marks.find((one) => one.ref?.markerId === ref.markerId);
    if (mark === undefined) {
      void notifier.tell(stateWords.orphaned.sentence);
      return false;
    }
    const { start } = rangeOf(mark.range);
    editor.selection = new Selection(start, start);
    editor.revealRange(new Range(start, start), TextEditorRevealType.InCenter);
    return true;
  }

  private async open(args: readonly unknown[]) {
    const preserveFocus = this.clicks.isFirst(args[0]);
    const [target] = await this.meant(args);
    if (target?.kind === 'memory') await this.show(target.ref, { preserveFocus });
  }

  private async changeWeight(args: readonly unknown[]) {
    const { memory, formats } = this.context;
    const targets = (await this.meant(args)).filter(({ state }) => state !== 'removed');
    const [first] = targets;
    if (first === undefined) return;
    const context = await memory.keepits.decayContext(first.kind === 'memory' ? first.ref.projectId : undefined);
    const what =
      targets.length === 1 ? `“${oneLine(first.content, NAMED_LENGTH)}”` : formats.plural(targets.length, 'keepit');
    const current = targets.every(({ weight }) => weight === first.weight) ? first.weight : undefined;
    const weight = await pickWeight({ title: `Keepit: Weight of ${what}`, context, current });
    if (weight !== undefined) await this.setWeight(targets, weight);
  }

  private async weigh(args: readonly unknown[], weight: number) {
    await this.setWeight(
      (await this.meant(args)).filter(({ state }) => state !== 'removed'),
      weight,
    );
  }

  private async setWeight(targets: readonly KeepitTarget[], weight: number) {
    let changed = 0;
    for (const target of targets) {
      if (target.weight === weight) continue;
      const done =
        target.kind === 'memory'
          ? await this.change(target.ref, (keepits) => keepits.setWeight(target.ref, weight))
          : await rewrite([target], weight);
      if (done === undefined) return;
      changed += 1;
    }
    const { formats, notifier } = this.context;
    if (changed > 0) notifier.say(`${formats.plural(changed, 'keepit')}: ${weightLabel(weight)}`);
  }

  private async remove(args: readonly unknown[]) {
    const { formats, notifier } = this.context;
    const targets = (await this.meant(args)).filter(({ state }) => state !== 'removed');
    const texts = targets.filter((target) => target.kind === 'text');
    if (texts.length > 0) await rewrite(texts, undefined); // the editor's own undo brings it back
    const refs = targets.flatMap((target) => (target.kind === 'memory' ? [target.ref] : []));
    const removed: KeepitRef[] = [];
    for (const ref of refs) {
      if ((await this.change(ref, (keepits) => keepits.remove(ref))) === undefined) return;
      removed.push(ref);
    }
    if (removed.length === 0) return;
    await notifier.tell(`${formats.plural(removed.length, 'keepit')} removed.`, {
      Undo: async () => {
        for (const ref of removed) await this.change(ref, (keepits) => keepits.restore(ref));
      },
    });
  }

  private async restore(args: readonly unknown[]) {
    let restored = 0;
    for (const target of await this.meant(args)) {
      const isChanged = target.state === 'removed' || target.weight !== target.ownWeight;
      if (target.kind !== 'memory' || !isChanged) continue;
      const { ref } = target;
      if ((await this.change(ref, (keepits) => keepits.restore(ref))) === undefined) return;
      restored += 1;
    }
    const { formats, notifier } = this.context;
    if (restored > 0) notifier.say(`${formats.plural(restored, 'keepit')} restored`);
  }

  private async copy(args: readonly unknown[]) {
    const targets = await this.meant(args);
    if (targets.length === 0) return;
    await env.clipboard.writeText(targets.map(({ content }) => content).join('\n\n'));
    this.context.notifier.say('What is marked is in the clipboard.');
  }

  /** Undefined when the user would not add the session to memory. */
  private change(
    ref: KeepitRef,
    work: (keepits: MemoryService['keepits']) => Promise<EffectiveKeepit>,
  ): Promise<EffectiveKeepit | undefined> {
    return this.context.registering.run(ref, 'keepits', work);
  }
}

/** Changes markers in a document of the user's own, or takes them out. */
async function rewrite(
  targets: readonly (KeepitTarget & { kind: 'text' })[],
  weight: number | undefined,
): Promise<boolean | undefined> {
  const edit = new WorkspaceEdit();
  for (const { document, mark } of targets) {
    const chips = weight === undefined ? mark.chips : mark.chips.slice(0, 1);
    for (const chip of chips) {
      const range = rangeOf(chip);
      const isFollowedBySpace = document.getText(new Range(range.end, range.end.translate(0, 1))) === ' ';
      if (weight !== undefined) edit.replace(document.uri, range, markerText(weight));
      else edit.delete(document.uri, isFollowedBySpace ? range.with({ end: range.end.translate(0, 1) }) : range);
    }
  }
  return (await workspace.applyEdit(edit)) ? true : undefined;
}
