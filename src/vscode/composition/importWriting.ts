import path from 'node:path';
import { Uri, window, workspace, type QuickPickItem } from 'vscode';
import { withImport, type ImportEdit } from '../../core/presentation/compositionTree';
import type { Notifier } from '../notifier';
import type { Proposals } from '../proposals';

interface TargetItem extends QuickPickItem {
  readonly file?: string;
}

/** Adds to a CLAUDE.md the line that imports a composition: shown as a diff first, written when the user says so, and can be undone. */
export class ImportWriting {
  constructor(
    private readonly proposals: Proposals,
    private readonly notifier: Notifier,
  ) {}

  /** `folder` is the project's; `composed` the file to import. True when the line is there in the end. */
  async offer(composed: string, folder: string): Promise<boolean> {
    const target = await pickTarget(folder);
    if (target === undefined) return false;
    const before = await textOf(target);
    const edit = withImport(before ?? '', composed);
    const name = path.basename(target.fsPath);
    if (edit.isThere) {
      void this.notifier.tell(`${name} imports it already.`);
      return true;
    }
    if (!(await this.isAgreed(target, before, edit))) return false;
    // Somebody may have saved it while the diff was looked at: what is written is the line, not the file as it was.
    const now = await textOf(target);
    const after = withImport(now ?? '', composed);
    await write(target, after.text);
    void this.offerUndo(target, now, after);
    return true;
  }

  private async isAgreed(target: Uri, before: string | undefined, edit: ImportEdit): Promise<boolean> {
    const name = path.basename(target.fsPath);
    return this.proposals.isAgreed({
      name,
      before,
      after: edit.text,
      title: `${name}: With the Composition`,
      question: `Add this line to ${name}?`,
      about: edit.line,
      yes: { label: 'Write it', description: target.fsPath },
      no: 'Leave the file as it is',
    });
  }

  private async offerUndo(target: Uri, before: string | undefined, after: ImportEdit): Promise<void> {
    const undo = 'Undo';
    const name = path.basename(target.fsPath);
    const answer = await this.notifier.tell(
      `${name} imports it from now on: every session of the folder reads it.`,
      undo,
    );
    if (answer !== undo) return;
    try {
      const now = (await textOf(target)) ?? '';
      if (now !== after.text) await write(target, withoutLine(now, after.line));
      else if (before === undefined) await workspace.fs.delete(target);
      else await write(target, before);
    } catch (error) {
      this.notifier.showError(error, `changing ${name}`);
    }
  }
}

/** What was written into the file since stays. */
function withoutLine(text: string, line: string): string {
  return text
    .split('\n')
    .filter((one) => one.trim() !== line)
    .join('\n');
}

async function pickTarget(folder: string): Promise<Uri | undefined> {
  const items: TargetItem[] = [
    ...(folder === ''
      ? []
      : [
          {
            label: 'CLAUDE.md',
            description: 'shared by all who work in the folder',
            file: path.join(folder, 'CLAUDE.md'),
          },
          {
            label: 'CLAUDE.local.md',
            description: 'your own, for this folder',
            file: path.join(folder, 'CLAUDE.local.md'),
          },
        ]),
    { label: 'Another File…', description: 'a CLAUDE.md that is somewhere else' },
  ];
  const chosen = await window.showQuickPick(items, {
    title: 'Keepit: Import in CLAUDE.md',
    placeHolder: 'Which file is to import it? You will see the change before it is written.',
  });
  if (chosen === undefined) return undefined;
  if (chosen.file !== undefined) return Uri.file(chosen.file);
  const [other] = (await window.showOpenDialog({ title: 'Import in', filters: { Markdown: ['md'] } })) ?? [];
  return other;
}

/** Undefined when there is no such file. What is not saved yet counts: it is what the user sees. */
async function textOf(file: Uri): Promise<string | undefined> {
  const open = workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  if (open !== undefined) return open.getText();
  return workspace.fs.readFile(file).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined, // it is made
  );
}

async function write(file: Uri, text: string): Promise<void> {
  await workspace.fs.writeFile(file, new TextEncoder().encode(text));
}
