import { window, type QuickPickItem } from 'vscode';
import { weightChoices } from '../../core/presentation/keepitEditor';
import type { DecayContext } from '../../core/sessions/results';

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
  const show = (typed: string): void => {
    const choices = weightChoices(typed, current, context);
    picker.items = choices.map((choice) => ({ ...choice, alwaysShow: true }));
    const now = typed.trim() === '' ? picker.items.find(({ weight }) => weight === current) : undefined;
    const active = now ?? picker.items[0];
    if (active !== undefined) picker.activeItems = [active];
  };
  show('');
  try {
    return await new Promise<number | undefined>((resolve) => {
      const choose = (): void => {
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
