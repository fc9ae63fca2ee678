import { window, type QuickPickItem } from 'vscode';

export interface FilterQuestion<Item extends QuickPickItem> {
  readonly title: string;
  readonly placeholder: string;
  /** The words of the filter that is on. */
  readonly text: string;
  readonly items: readonly Item[];
  readonly isActive: (item: Item) => boolean;
  /** Called while the words are typed. */
  readonly onText: (text: string) => void;
}

/** Narrows a view while the words are typed; the list below them narrows by kind. Undefined when the user went away. */
export async function pickFilter<Item extends QuickPickItem>(
  question: FilterQuestion<Item>,
): Promise<{ text: string; item: Item | undefined } | undefined> {
  const picker = window.createQuickPick<Item>();
  picker.title = question.title;
  picker.placeholder = question.placeholder;
  picker.value = question.text;
  // The words filter the view, not these items: they are shown whatever is typed.
  picker.items = question.items.map((item) => ({ ...item, alwaysShow: true }));
  picker.activeItems = picker.items.filter(question.isActive);
  const accepted = new Promise<boolean>((resolve) => {
    picker.onDidChangeValue(question.onText);
    picker.onDidAccept(() => resolve(true));
    picker.onDidHide(() => resolve(false));
  });
  picker.show();
  const isAccepted = await accepted;
  const answer = { text: picker.value.trim(), item: picker.activeItems[0] };
  picker.dispose();
  return isAccepted ? answer : undefined;
}
