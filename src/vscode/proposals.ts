import {
  commands,
  EventEmitter,
  Uri,
  window,
  workspace,
  type Disposable,
  type TextDocumentContentProvider,
} from 'vscode';
import type { Feature } from './feature';
import { PROPOSAL_SCHEME } from './ids';

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

/** Shows what a file would become, in VS Code's own diff editor, and asks before anything is written. */
export class Proposals implements Feature, TextDocumentContentProvider {
  readonly name = 'proposals';
  /** What is proposed, by the path of its document. */
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  readonly onDidChange = this.changed.event;

  register(): Disposable {
    return workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, this);
  }

  provideTextDocumentContent({ path }: Uri): string {
    return this.texts.get(path) ?? '';
  }

  /** False when the user said no, or went away. */
  async isAgreed({ name, before, after, title, question, about, yes, no }: Proposal): Promise<boolean> {
    const left = this.put('now', name, before ?? '');
    const right = this.put('proposed', name, after);
    await commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    const agree = { label: `$(check) ${yes.label}`, description: yes.description };
    const answer = await window.showQuickPick([agree, { label: `$(close) ${no}` }], {
      title: question,
      placeHolder: about,
      ignoreFocusOut: true,
    });
    await closeDiff(right);
    return answer === agree;
  }

  private put(side: 'now' | 'proposed', name: string, text: string): Uri {
    const uri = Uri.from({ scheme: PROPOSAL_SCHEME, path: `/${side}/${name}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }
}

async function closeDiff(modified: Uri) {
  const tabs = window.tabGroups.all.flatMap(({ tabs: own }) => own);
  const own = tabs.filter(({ input }) => isDiffOf(input, modified));
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
