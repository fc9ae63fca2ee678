import { commands, window, type Disposable } from 'vscode';
import * as z from 'zod/mini';
import { oneLine } from '../../core/text/cleanText';
import { weightEditTexts, weightWrittenText } from '../../core/presentation/weightEditTexts';
import type { WeightEdit } from '../../core/sessions/weightWriter';
import { registerCommands } from '../commandTable';
import type { Feature } from '../feature';
import { commandIds, SETTINGS_SECTION, settingKeys } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { Settings } from '../settings';
import type { TranscriptDocuments } from '../transcript/transcriptDocuments';
import type { KeepitChanges } from './keepitChanges';
import type { KeepitTargets } from './keepitTargets';
import { pickWeight } from './weightPicker';

export interface WeightWritingOptions {
  readonly host: MemoryHost;
  readonly targets: KeepitTargets;
  readonly changes: KeepitChanges;
  readonly documents: TranscriptDocuments;
  readonly settings: Settings;
  readonly notifier: Notifier;
}

/** What the keepit editor passes: the weight has been chosen there. */
const chosenSchema = z.object({ weight: z.number() });

const NAMED_LENGTH = 50;
const SETTING = `${SETTINGS_SECTION}.${settingKeys.allowTranscriptEdits}`;

/** Writing weights into transcripts (seed 000, 5.4): the one thing that changes a file of Claude Code's, off until the user allows it. */
export class WeightWriting implements Feature {
  readonly name = 'writing weights into transcripts';

  constructor(private readonly options: WeightWritingOptions) {}

  register(): Disposable {
    return registerCommands(
      [{ id: commandIds.writeWeight, doing: 'writing a weight', run: (...args) => this.run(args) }],
      this.options.notifier,
    );
  }

  private async run(args: readonly unknown[]): Promise<void> {
    const { settings, targets, notifier, host } = this.options;
    if (!settings.allowsTranscriptEdits) return explain();
    const [target, ...others] = await targets.resolve(args);
    if (target === undefined || others.length > 0) {
      void notifier.tell('Put the cursor into a keepit of a transcript, or select one in the Keepits view.');
      return;
    }
    if (target.kind === 'text') {
      void notifier.tell('This is a document of your own: “Change Weight of Keepit…” writes into it.');
      return;
    }
    const { ref } = target;
    const { service } = await host.memory();
    const title = `Keepit: Write Weight of “${oneLine(target.content, NAMED_LENGTH)}” into Transcript`;
    const context = await service.decayContext(ref.projectId);
    const chosen =
      chosenSchema.safeParse(args[0]).data ?? (await pickWeight({ title, context, current: target.weight }));
    if (chosen === undefined) return;
    const edit = await service.previewWeightEdit(ref, chosen.weight);
    if (await isAgreed(edit)) await this.write(edit);
  }

  private async write(edit: WeightEdit): Promise<void> {
    const { host, notifier } = this.options;
    const { service } = await host.memory();
    try {
      await service.writeWeight(edit);
    } finally {
      await this.showChange(edit);
    }
    const undo = 'Undo';
    if ((await notifier.tell(weightWrittenText(edit), undo)) !== undo) return;
    try {
      await service.takeBackWeight(edit);
    } finally {
      await this.showChange(edit);
    }
  }

  /** The readable transcript is made anew first: marks are placed in it. */
  private async showChange({ ref: { projectId, sessionId } }: WeightEdit): Promise<void> {
    const { documents, changes } = this.options;
    const shown = { projectId, sessionId };
    if (documents.peek(shown) !== undefined) await documents.renew(shown);
    changes.announce(shown);
  }
}

/** Settles when the user has been told how to allow it. */
async function explain(): Promise<void> {
  const open = 'Open Setting';
  const detail = `What you change about keepits is kept in memory, beside the transcripts: they stay as Claude Code wrote them, and a changed weight counts just as much.\n\nIf you want a weight to stand in the transcript itself, turn on ${SETTING}. You will see what is to be written, and be asked, each time.`;
  const answer = await window.showInformationMessage(
    'Writing into transcripts is turned off.',
    { modal: true, detail },
    open,
  );
  if (answer === open) await commands.executeCommand('workbench.action.openSettings', `@id:${SETTING}`);
}

async function isAgreed(edit: WeightEdit): Promise<boolean> {
  const { message, detail } = weightEditTexts(edit);
  const write = 'Write into Transcript';
  return (await window.showWarningMessage(message, { modal: true, detail }, write)) === write;
}
