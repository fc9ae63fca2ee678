import {
  commands,
  EventEmitter,
  Uri,
  window,
  workspace,
  type Disposable,
  type TextDocumentContentProvider,
  type QuickPickItem,
  TabInputText,
  QuickPickItemKind,
  type Tab,
} from 'vscode';
import type { Feature } from './feature';
import { PROPOSAL_SCHEME } from './ids';
import type { FileChange } from '../core/claude/setup/setupTypes';
import type { SetupReview } from '../core/claude/view/setupRows';

/** A file as it is, and as it would be. */
export interface Proposal {
  /** The file's name, as its tab shows it; its ending decides how the words are coloured. */
  readonly name: string;
  /** Undefined when there is no such file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** What the tab of the comparison is called. */
  readonly title: string;
  readonly question: string;
  /** What the answers are about, in a line. */
  readonly about: string;
  readonly yes: { readonly label: string; readonly description: string };
  readonly no: string;
}

interface Answer extends QuickPickItem {
  readonly isYes?: boolean;
}

/** Shows what files would become, in VS Code's own diff editors, and asks before anything is written. */
export class Proposals implements Feature, TextDocumentContentProvider {
  readonly name = 'proposals';
  /** What is proposed, by the uri of its document. */
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  readonly onDidChange = this.changed.event;

  register(): Disposable {
    return workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, this);
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** False when the user said no, or went away. */
  async isAgreed({ name, before, after, title, question, about, yes, no }: Proposal): Promise<boolean> {
    const of = (side: string): Uri => Uri.from({ scheme: PROPOSAL_SCHEME, path: `/${side}/${name}` });
    const left = this.put(of('now'), before ?? '');
    const right = this.put(of('proposed'), after);
    await commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    const agree = { label: `$(check) ${yes.label}`, description: yes.description };
    const answer = await window.showQuickPick([agree, { label: `$(close) ${no}` }], {
      title: question,
      placeHolder: about,
      ignoreFocusOut: true,
    });
    await closeTabs(({ input }) => isDiffOf(input, right));
    return answer === agree;
  }

  /** The same for several files, in one editor. */
  async areAgreed(review: SetupReview, files: readonly FileChange[]): Promise<boolean> {
    const side = (file: Uri, query: string, text: string | undefined): Uri | undefined =>
      // With another path it would be shown as renamed.
      text === undefined ? undefined : this.put(file.with({ scheme: PROPOSAL_SCHEME, query }), text);
    const changes = files.map(({ path, before, after }) => {
      const file = Uri.file(path);
      return [file, side(file, 'now', before), side(file, 'then', after)];
    });
    if (changes.length > 0) await commands.executeCommand('vscode.changes', review.title, changes);
    const isYes = await ask(review);
    // An editor of several files has no input that extensions may know: its title is all that tells it.
    await closeTabs(({ input, label }) => !(input instanceof TabInputText) && label.startsWith(review.title));
    return isYes;
  }

  private put(uri: Uri, text: string): Uri {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }
}

/** The answers come first, then all that is done beside the files: choosing a fact answers nothing. */
async function ask({ title, question, yes, facts }: SetupReview): Promise<boolean> {
  const items: Answer[] = [
    { label: `$(check) ${yes}`, isYes: true },
    { label: '$(close) Cancel', isYes: false },
    { label: 'What is done', kind: QuickPickItemKind.Separator },
    ...facts.map(({ icon, text, detail = '' }) => ({ label: `$(${icon}) ${text}`, description: detail })),
  ];
  for (;;) {
    const answer = await window.showQuickPick(items, { title, placeHolder: question, ignoreFocusOut: true });
    if (answer === undefined || answer.isYes !== undefined) return answer?.isYes === true;
  }
}

async function closeTabs(isOwn: (tab: Tab) => boolean) {
  const own = window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isOwn));
  if (own.length > 0) await window.tabGroups.close(own);
}

function isDiffOf(input: unknown, uri: Uri): boolean {
  return (
    typeof input === 'object' &&
    input !== null &&
    'modified' in input &&
    input.modified instanceof Uri &&
    input.modified.toString() === uri.toString()
  );
}
