import { window, commands, Selection, Uri, workspace, type QuickPickItem, type TextEditor } from 'vscode';
import * as z from 'zod/mini';
import { weightChoices } from '../../core/sessions/view/keepitEditor';
import type { DecayContext, SessionRef } from '../../core/sessions/results';
import { oneLine } from '../../core/text/cleanText';
import { weightLabel } from '../../core/sessions/view/keepitOutlook';
import { selectionIn, type LinePosition } from '../../core/sessions/document/saidBlocks';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MarkRequest } from '../../core/keepits/markSpan';
import { leftOutNote } from '../../core/text/secrets/cleanText';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { commandIds, TRANSCRIPT_SCHEME } from '../ids';
import type { MarkSources } from './markSources';
import { sessionRefSchema } from '../../core/sessions/view/treeNode';

interface WeightItem extends QuickPickItem {
  readonly weight?: number;
}

export interface WeightQuestion {
  readonly title: string;
  /** What it weighs now. */
  readonly current?: number | undefined;
  readonly context: DecayContext;
}

/**
 * Asks for a weight: by preset, or by a number or name that is typed. Every choice shows what would become of the keepit, and what
 * is typed is judged with every keystroke (seed 000, 6.3). Undefined when the user went away.
 */
export async function pickWeight(question: WeightQuestion): Promise<number | undefined> {
  const { title, current, context } = question;
  const picker = window.createQuickPick<WeightItem>();
  picker.title = title;
  picker.placeholder = 'Choose a preset, or type a weight from 0.00 to 1.00';
  const show = (typed: string) => {
    const choices = weightChoices(typed, current, context);
    picker.items = choices.map((choice) => ({ ...choice, alwaysShow: true }));
    const now = typed.trim() === '' ? picker.items.find(({ weight }) => weight === current) : undefined;
    const active = now ?? picker.items[0];
    if (active !== undefined) picker.activeItems = [active];
  };
  show('');
  try {
    return await new Promise<number | undefined>((resolve) => {
      const choose = () => {
        const weight = picker.activeItems[0]?.weight;
        if (weight !== undefined) resolve(weight); // else what was typed is no weight: the picker says why, and waits
      };
      picker.onDidChangeValue(show);
      picker.onDidAccept(choose);
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

/** What lenses pass: the heading of a message. */
const headingSchema = z.object({ uri: z.string(), line: z.number() });

/** What quick fixes pass: words whose weight is known already. */
const spanSchema = z.object({
  session: sessionRefSchema,
  request: z.object({
    messageUuid: z.string(),
    blockIndex: z.number(),
    start: z.number(),
    end: z.number(),
    weight: z.number(),
  }),
});

const NAMED_LENGTH = 50;
const NO_TRANSCRIPT =
  'Open a session as a transcript first: words are marked there. In a document of your own, write ##keepit0.75## before them.';

/** Marking what was said: a selection, or a whole message. The transcript stays as it is. */
export class MarkCommands implements CommandSet {
  constructor(
    private readonly context: Uses<'memory' | 'registering' | 'notifier'>,
    private readonly sources: MarkSources,
  ) {}

  readonly commands: CommandHandlers = {
    markSelection: (args) => this.markSelection(args),
    markMessage: (args) => this.markMessage(args),
  };

  private async markSelection(args: readonly unknown[]) {
    const named = spanSchema.safeParse(args[0]);
    if (named.success) {
      const { session, request } = named.data;
      const added = await this.add(session, request);
      if (added !== undefined) this.tellMarked(added, request.weight);
      return;
    }
    const editor = await this.transcriptEditor();
    if (editor === undefined) return;
    const marked = await this.sources.get(editor.document);
    if (marked?.transcript === undefined || marked.source === undefined) {
      void this.context.notifier.tell(
        'Only what was said in the session itself can be marked, not what a sub-agent said.',
      );
      return;
    }
    const { start, end } = editor.selection;
    const selection = selectionIn(marked.transcript, placeOf(start), placeOf(end));
    if ('problem' in selection) {
      void this.context.notifier.tell(selection.problem);
      return;
    }
    const { block } = selection;
    const words = block.text.slice(selection.start, selection.end);
    const { uuid: messageUuid, blockIndex } = block;
    const isDone = await this.mark(editor, words, {
      messageUuid,
      blockIndex,
      start: selection.start,
      end: selection.end,
    });
    if (isDone) editor.selection = new Selection(end, end); // what was selected hides the tint
  }

  private async markMessage(args: readonly unknown[]) {
    const heading = headingSchema.safeParse(args[0]);
    const editor = heading.success
      ? await window.showTextDocument(await workspace.openTextDocument(Uri.parse(heading.data.uri, true)))
      : await this.transcriptEditor();
    if (editor === undefined) return;
    const marked = await this.sources.get(editor.document);
    const line = heading.success ? heading.data.line : editor.selection.active.line;
    const block = marked?.transcript?.said.findLast((candidate) => candidate.headingLine <= line && candidate.isLive);
    const all = marked?.transcript?.said.filter(({ messageUuid }) => messageUuid === block?.messageUuid) ?? [];
    if (block === undefined || marked?.source === undefined) {
      void this.context.notifier.tell('There is no message here that could be marked.');
      return;
    }
    await this.mark(editor, all.map(({ text }) => text).join(' '), { messageUuid: block.messageUuid });
  }

  private async mark(editor: TextEditor, words: string, request: MarkRequest): Promise<boolean> {
    const { memory } = this.context;
    const { sources } = this;
    const source = (await sources.get(editor.document))?.source;
    if (source === undefined) return false;
    const context = await memory.keepits.decayContext(source.projectId);
    const weight = await pickWeight({ title: `Keepit: Mark “${oneLine(words, NAMED_LENGTH)}”`, context });
    if (weight === undefined) return false;
    const added = await this.add(source, { ...request, weight });
    if (added === undefined) return false;
    this.tellMarked(added, weight);
    return true;
  }

  private add(session: SessionRef, request: MarkRequest & { weight: number }): Promise<EffectiveKeepit[] | undefined> {
    return this.context.registering.run(session, 'keepits', (keepits) => keepits.add(session, request));
  }

  /** Marking is no way around what is never written: whoever marks a secret is told. */
  private tellMarked(added: readonly EffectiveKeepit[], weight: number) {
    const { notifier } = this.context;
    const note = leftOutNote(added.map(({ content }) => content).join('\n'));
    if (note === '') notifier.say(`Marked: ${weightLabel(weight)}`);
    else void notifier.tell(`Marked: ${weightLabel(weight)}, ${note}. The transcript keeps it.`);
  }

  /** The active editor, if it shows a transcript; else the user is told where to mark, and a session can be chosen. */
  private async transcriptEditor(): Promise<TextEditor | undefined> {
    const editor = window.activeTextEditor;
    if (editor?.document.uri.scheme === TRANSCRIPT_SCHEME) return editor;
    await this.context.notifier.tell(NO_TRANSCRIPT, {
      'Open Transcript…': () => commands.executeCommand(commandIds.openTranscript),
    });
    return undefined;
  }
}

function placeOf({ line, character }: { line: number; character: number }): LinePosition {
  return { line, column: character };
}
