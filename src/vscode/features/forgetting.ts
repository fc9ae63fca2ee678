import { window, workspace, type QuickPickItem } from 'vscode';
import type { Erased, EraseTarget, Forgetting as Forgetter } from '../../core/forgetting';
import type { ErasePlace } from '../../core/memoryPorts';
import { nameOfNever } from '../../core/model/forgotten';
import { oneLine } from '../../core/text/cleanText';
import { titleOf } from '../../core/text/formats';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { withProgressMessage } from '../progressMessage';

const HOUR_MS = 3_600_000;
const MOST_FILES = 12;
const NAMED_LENGTH = 40;

const KINDS: Record<ErasePlace['kind'], string> = {
  original: 'Kept transcripts',
  version: 'Versions',
  composition: 'Compositions',
  layer: 'What is known',
  notebook: 'Notes',
  trash: 'In the trash',
  cache: 'Caches and indexes',
  hooks: 'What hooks have noted',
  store: 'Lists and settings',
};

interface Choice extends QuickPickItem {
  readonly run: () => Promise<unknown>;
}

/** Forgetting on purpose: erasing, never remembering, pausing, and cleaning up after a project. */
export class Forgetting implements CommandSet {
  constructor(private readonly context: Uses<'memory' | 'model' | 'targets' | 'formats' | 'notifier'>) {}

  readonly commands: CommandHandlers = {
    eraseText: () => this.eraseText(),
    eraseSession: (args) => this.eraseSession(args),
    neverRemember: (args) => this.never(args),
    pauseRemembering: () => this.pause(),
    cleanUp: (args) => this.cleanUp(args),
  };

  /** What is selected, else what is typed: unseen, for it may be a secret. */
  private async eraseText() {
    const editor = window.activeTextEditor;
    const selected = editor === undefined ? '' : editor.document.getText(editor.selection).trim();
    const text =
      selected !== ''
        ? selected
        : await window.showInputBox({
            title: 'Keepit: Erase from Memory',
            prompt: 'The words to erase wherever they are kept: a key, a name, a sentence',
            password: true,
          });
    if (text === undefined || text === '') return;
    await this.erase({ text }, selected === '' ? 'these words' : `“${oneLine(selected, NAMED_LENGTH)}”`);
  }

  private async eraseSession(args: readonly unknown[]) {
    const title = 'Keepit: Erase a Session from Memory';
    const session = await this.context.targets.one(args, { title, wants: () => true });
    if (session === undefined) return;
    const { projectId, sessionId } = session;
    await this.erase({ projectId, sessionId }, `the session “${oneLine(titleOf(session), NAMED_LENGTH)}”`);
  }

  private async erase(target: EraseTarget, what: string) {
    const { formats, model, notifier } = this.context;
    const found = await this.work(`Looking for ${what}`, target, true);
    if (found.places.length === 0 && found.stillIn.length === 0)
      return void notifier.tell(`Nothing that is kept says ${what}.`);
    const files = formats.plural(found.places.length, 'file');
    const title = `Erase ${what} from ${files} of Keepit, for good?`;
    if (!(await notifier.isAgreed({ title, detail: detailOf(found) }, 'Erase', true))) return;
    const erased = await this.work(`Erasing ${what}`, target, false);
    await model.refresh();
    const claudes = erased.stillIn.length;
    const told = `Erased from ${formats.plural(erased.places.length, 'file')}.${
      claudes === 0
        ? ''
        : ` ${formats.plural(claudes, 'file')} of Claude Code still ${claudes === 1 ? 'has' : 'have'} it.`
    }`;
    const document = { language: 'markdown', content: reportOf(erased) };
    await notifier.tell(told, {
      'Show Report': async () => window.showTextDocument(await workspace.openTextDocument(document)),
    });
  }

  private async work(title: string, target: EraseTarget, isDryRun: boolean): Promise<Erased> {
    return withProgressMessage(title, {}, (_report, signal) =>
      this.context.memory.forgetting.erase(target, { isDryRun }, signal),
    );
  }

  /** A session of a menu, else what is chosen; what is not remembered already is listed, to remember it again. */
  private async never(args: readonly unknown[]) {
    const { memory, targets } = this.context;
    if (args.length > 0) {
      const session = await targets.one(args, { title: 'Keepit', wants: () => true });
      if (session !== undefined) await this.leaveOut(session, 'This session');
      return;
    }
    const { never } = await memory.forgetting.notRemembered();
    const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const known = new Set(never.map(nameOfNever));
    const choices: Choice[] = [
      ...folders
        .filter((folder) => !known.has(folder))
        .map((folder) => ({
          label: `$(folder) ${folder}`,
          description: 'never remember',
          run: () => this.leaveOut({ folder }, folder),
        })),
      {
        label: '$(comment-discussion) A Session…',
        description: 'never remember the rest of it',
        run: async () => {
          const session = await targets.one([], { title: 'Keepit: Never Remember', wants: () => true });
          if (session !== undefined) await this.leaveOut(session, `“${oneLine(titleOf(session), NAMED_LENGTH)}”`);
        },
      },
      ...[...known].map((name) => ({
        label: `$(discard) ${name}`,
        description: 'remember again',
        run: () => this.takeInAgain(name),
      })),
    ];
    await (await window.showQuickPick(choices, { title: 'Keepit: Never Remember' }))?.run();
  }

  private async leaveOut(never: Parameters<Forgetter['never']>[0], what: string) {
    const { memory, model, notifier } = this.context;
    const before = new Set((await memory.forgetting.notRemembered()).never.map(nameOfNever));
    const { never: now } = await memory.forgetting.never(never);
    await model.refresh();
    const name = now.map(nameOfNever).find((one) => !before.has(one));
    await notifier.tell(`${what} is never remembered from now on. What is kept already stays.`, {
      Undo: name === undefined ? undefined : () => this.takeInAgain(name),
    });
  }

  private async takeInAgain(name: string) {
    await this.context.memory.forgetting.allow(name);
    await this.context.model.refresh();
    void this.context.notifier.tell(`${name} is remembered again.`);
  }

  private async pause() {
    const { memory, notifier } = this.context;
    const { isPaused } = await memory.forgetting.notRemembered();
    const choices: Choice[] = isPaused
      ? [
          {
            label: 'Remember Again',
            description: 'what was said meanwhile stays forgotten',
            run: () => memory.forgetting.unpause(),
          },
        ]
      : [
          { label: 'For an Hour', run: () => memory.forgetting.pause(HOUR_MS) },
          { label: 'Until I Say So', run: () => memory.forgetting.pause() },
        ];
    const placeHolder = isPaused
      ? 'Nothing is remembered now'
      : 'What is said meanwhile is never remembered, in any session';
    const chosen = await window.showQuickPick(choices, { title: 'Keepit: Pause Remembering', placeHolder });
    if (chosen === undefined) return;
    await chosen.run();
    void notifier.tell(isPaused ? 'What is said is remembered again.' : 'Nothing is remembered now.');
  }

  private async cleanUp(args: readonly unknown[]) {
    const { memory, targets, model, formats, notifier } = this.context;
    const project = targets.project(args) ?? (await targets.pickProject());
    if (project === undefined) return;
    const places = await memory.forgetting.stored(project.projectId);
    if (places.length === 0) return void notifier.tell(`Nothing is kept of ${project.displayName}.`);
    const detail = [...kindsOf(places), '', 'Nothing brings it back. Transcripts of Claude Code stay.'].join('\n');
    const title = `Delete ${formats.plural(places.length, 'file')} that Keepit keeps of ${project.displayName}, for good?`;
    if (!(await notifier.isAgreed({ title, detail }, 'Delete All of It', true))) return;
    await memory.forgetting.cleanUp(project.projectId);
    void notifier.tell(`Nothing is kept of ${project.displayName} any more.`);
    await model.refresh();
  }
}

function kindsOf(places: readonly ErasePlace[]): string[] {
  return Object.entries(KINDS).flatMap(([kind, title]) => {
    const { length } = places.filter((place) => place.kind === kind);
    return length === 0 ? [] : [`${title}: ${length}`];
  });
}

function detailOf({ places, stillIn }: Erased): string {
  const claudes = stillIn.slice(0, MOST_FILES);
  return [
    ...kindsOf(places),
    ...(claudes.length === 0 ? [] : ['', 'Files of Claude Code stay as they are:', ...claudes]),
    '',
    'Nothing brings it back, and it is not taken in again.',
  ].join('\n');
}

function reportOf({ places, stillIn }: Erased): string {
  return [
    '# Erased from memory',
    '',
    ...places.map(({ kind, file, count }) => `- ${kind}: \`${file}\` (${count}×)`),
    ...(stillIn.length === 0
      ? []
      : ['', '## Files of Claude Code that still have it', '', ...stillIn.map((file) => `- \`${file}\``)]),
    '',
  ].join('\n');
}
