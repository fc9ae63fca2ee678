import {
  commands,
  EventEmitter,
  QuickPickItemKind,
  TabInputText,
  Uri,
  window,
  workspace,
  type Disposable,
  type QuickPickItem,
  type TextDocumentContentProvider,
} from 'vscode';
import type { SetupReview } from '../../core/presentation/insideSetup';
import type { FileChange } from '../../core/claude/setup/setupTypes';
import { SETUP_SCHEME } from '../ids';

interface Answer extends QuickPickItem {
  readonly isYes?: boolean;
}

/** Shows every file that would change, as it is and as it would be, in VS Code's own editor for several files, and asks. */
export class ChangeReview implements TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  private readonly registration: Disposable;
  readonly onDidChange = this.changed.event;

  constructor() {
    this.registration = workspace.registerTextDocumentContentProvider(SETUP_SCHEME, this);
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** False when the user said no, or went away. */
  async isAgreed(review: SetupReview, files: readonly FileChange[]): Promise<boolean> {
    const changes = files.map(({ path, before, after }) => {
      const file = Uri.file(path);
      return [file, this.put('now', file, before), this.put('then', file, after)];
    });
    if (changes.length > 0) await commands.executeCommand('vscode.changes', review.title, changes);
    const isYes = await ask(review);
    await closeTab(review.title);
    return isYes;
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Undefined where there is no such file. */
  private put(side: 'now' | 'then', file: Uri, text: string | undefined): Uri | undefined {
    if (text === undefined) return undefined;
    const uri = file.with({ scheme: SETUP_SCHEME, query: side }); // with another path it would be shown as renamed
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }
}

/** The answers come first, then all that is done beside the files: choosing a fact answers nothing. */
async function ask({ title, question, yes, facts }: SetupReview): Promise<boolean> {
  const picker = window.createQuickPick<Answer>();
  picker.title = title;
  picker.placeholder = question;
  picker.ignoreFocusOut = true;
  picker.items = [
    { label: `$(check) ${yes}`, isYes: true },
    { label: '$(close) Cancel', isYes: false },
    { label: 'What is done', kind: QuickPickItemKind.Separator },
    ...facts.map(({ icon, text, detail }) => ({
      label: `$(${icon}) ${text}`,
      ...(detail !== undefined && { description: detail }),
    })),
  ];
  const answered = new Promise<boolean>((resolve) => {
    picker.onDidAccept(() => {
      const isYes = picker.activeItems[0]?.isYes;
      if (isYes !== undefined) resolve(isYes);
    });
    picker.onDidHide(() => resolve(false));
  });
  picker.show();
  const isYes = await answered;
  picker.dispose();
  return isYes;
}

async function closeTab(title: string): Promise<void> {
  const tabs = window.tabGroups.all.flatMap(({ tabs: own }) => own);
  // An editor of several files has no input that extensions may know: its title is all that tells it.
  const own = tabs.filter(({ input, label }) => !(input instanceof TabInputText) && label.startsWith(title));
  if (own.length > 0) await window.tabGroups.close(own);
}
