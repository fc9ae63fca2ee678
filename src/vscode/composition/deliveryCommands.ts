import path from 'node:path';
import { env, Uri, window, workspace, commands, type Disposable, type QuickPickItem } from 'vscode';
import { CompositionError } from '../../core/compositions/compositionError';
import type { Delivered } from '../../core/compositions/deliveries';
import type { DeliveryTarget } from '../../core/model/composition';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import { armedText, reaches, type HandOver } from '../../core/claude/view/armedText';
import { withImport, type ImportEdit } from '../../core/compositions/view/compositionTree';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { commandIds } from '../ids';
import type { ArrivalWatch } from './arrivalWatch';
import { ClaudeTerminal } from './claudeTerminal';
import type { CompositionRunner } from './compositionRunner';
import type { CompositionsTree } from './compositionsTree';

const STATUS_MS = 4000;

export interface DeliveryCommandsOptions {
  readonly runner: CompositionRunner;
  readonly compositions: CompositionsTree;
  readonly arrivals: ArrivalWatch;
}

/** Handing compositions over. */
export class DeliveryCommands implements Feature {
  readonly name = 'delivery';
  private readonly terminal: ClaudeTerminal;
  private readonly imports: ImportWriting;

  constructor(
    private readonly context: Uses<'memory' | 'model' | 'targets' | 'settings' | 'proposals' | 'notifier'>,
    private readonly options: DeliveryCommandsOptions,
  ) {
    this.terminal = new ClaudeTerminal(context.settings, context.notifier);
    this.imports = new ImportWriting(context);
  }

  register(): Disposable {
    const { memory, notifier, targets } = this.context;
    const { compositions, arrivals } = this.options;
    const of = (title: string, work: (place: CompositionRef) => Promise<void>) => async (args: readonly unknown[]) => {
      const place = await compositions.one(args, `Keepit: ${title}`);
      if (place !== undefined) await work(place);
    };
    return registerCommands(notifier, {
      startWithComposition: of('Start Claude Code with This Context', (place) => this.start(place)),
      armComposition: of('Use in the Next Session', (place) => this.arm(place)),
      disarmComposition: async (args) => {
        const projectId = (await placeOf(args, compositions)) ?? targets.project([])?.projectId;
        if (projectId === undefined) return;
        const was = await memory.compositions.disarm(projectId);
        window.setStatusBarMessage(
          was ? 'The next session starts as usual.' : 'Nothing was waiting for the next session.',
          STATUS_MS,
        );
      },
      copyComposition: of('Copy Composed Text', (place) => this.copy(place)),
      saveComposition: of('Save Composed Text As', (place) => this.saveAs(place)),
      importComposition: of('Import in CLAUDE.md', (place) => this.importIn(place)),
      checkArrival: of('Has It Arrived?', (place) => arrivals.tell(place)),
    });
  }

  /** In a terminal, as a session of its own: what was composed stays as it is. */
  async start(place: CompositionRef): Promise<void> {
    const delivered = await this.deliver(place, 'resume');
    if (delivered?.file === undefined) return;
    await this.terminal.run(['--resume', delivered.file, '--fork-session'], {
      name: place.name,
      folder: this.folderOf(place),
    });
  }

  async arm(place: CompositionRef): Promise<void> {
    const delivered = await this.deliver(place, 'next-session');
    if (delivered?.armed === undefined) return;
    const isCut = delivered.armed.rest !== undefined;
    const answer = await tellArmed(this.context, { place, folder: this.folderOf(place), isCut });
    if (answer === undefined) return;
    if (answer === 'start') await this.start(place);
    await this.context.memory.compositions.disarm(place.projectId);
  }

  async copy(place: CompositionRef): Promise<void> {
    const delivered = await this.deliver(place, 'clipboard');
    if (delivered?.text === undefined) return;
    await env.clipboard.writeText(delivered.text);
    window.setStatusBarMessage(`The text of “${place.name}” is in the clipboard.`, STATUS_MS);
  }

  private async saveAs(place: CompositionRef) {
    const folder = workspace.workspaceFolders?.[0]?.uri;
    const file = await window.showSaveDialog({
      title: 'Save Composed Text As',
      filters: { Markdown: ['md'] },
      ...(folder !== undefined && { defaultUri: Uri.joinPath(folder, `${place.name}.md`) }),
    });
    if (file === undefined) return;
    const delivered = await this.deliver(place, 'file', { file: file.fsPath });
    if (delivered?.text === undefined) return;
    await workspace.fs.writeFile(file, new TextEncoder().encode(delivered.text));
    window.setStatusBarMessage(`“${place.name}” is saved as ${file.fsPath}.`, STATUS_MS);
  }

  private async importIn(place: CompositionRef) {
    const saved = this.context.memory.compositions;
    const { files } = await saved.get(place.projectId, place.name);
    const file = files.find((one) => one.endsWith('.md'));
    if (file === undefined) throw new CompositionError('not-made', place.name, 'Markdown');
    const isThere = await this.imports.offer(file, this.folderOf(place));
    if (isThere) await saved.deliver(place.projectId, place.name, 'file', { file });
  }

  /** A composition that was not made in the format that is needed can be, right away. Undefined when the user would not. */
  private async deliver(
    place: CompositionRef,
    to: DeliveryTarget,
    options: { file?: string } = {},
  ): Promise<Delivered | undefined> {
    const { projectId, name } = place;
    const deliver = () => this.context.memory.compositions.deliver(projectId, name, to, options);
    try {
      return await deliver();
    } catch (error) {
      if (!(error instanceof CompositionError) || error.reason !== 'not-made') throw error;
      const label = 'Rebuild with Both Formats';
      const answer = await window.showInformationMessage(error.message, { modal: true }, label);
      if (answer !== label || !(await this.options.runner.rebuild(place, true))) return undefined;
      return deliver();
    }
  }

  private folderOf({ projectId }: CompositionRef): string {
    return this.context.model.projects.find((project) => project.projectId === projectId)?.originalPath ?? '';
  }
}

/** The project of the row that a command was called on. */
async function placeOf(args: readonly unknown[], targets: CompositionsTree): Promise<string | undefined> {
  return args[0] === undefined ? undefined : (await targets.one(args, ''))?.projectId;
}

/** A composition that waits for the next session of its project. */
interface Armed {
  readonly place: CompositionRef;
  /** The project's folder; empty where it is not known. */
  readonly folder: string;
  /** It is longer than hooks may say. */
  readonly isCut: boolean;
}

/** Says whether a hook will hand over what is armed, and helps where none would. What is left to the caller is its answer. */
async function tellArmed(
  { memory, notifier }: Uses<'memory' | 'notifier'>,
  { place, folder, isCut }: Armed,
): Promise<'start' | 'undo' | undefined> {
  const { installs } = await memory.setup.status();
  const isHooked = installs.some((install) => reaches(install, folder));
  const isOn = (await memory.config.read()).hooks.sessionStart;
  const handOver: HandOver = !isHooked ? 'notSetUp' : isOn ? 'sure' : 'off';
  const [setUp, turnOn, start, undo] = ['Set Up Claude Code', 'Turn It On', 'Start Claude Code Now', 'Undo'] as const;
  const help = { sure: [], off: [turnOn], notSetUp: [setUp] }[handOver];
  const answer = await notifier.tell(armedText(place.name, handOver, isCut), ...help, start, undo);
  if (answer === setUp) await commands.executeCommand(commandIds.setUpClaudeCode);
  if (answer === turnOn) await memory.config.set('hooks.sessionStart', 'true');
  return answer === start ? 'start' : answer === undo ? 'undo' : undefined;
}

interface TargetItem extends QuickPickItem {
  readonly file?: string;
}

/** Adds to a CLAUDE.md the line that imports a composition: shown as a diff first, written when the user says so, and can be undone. */
class ImportWriting {
  constructor(private readonly context: Uses<'proposals' | 'notifier'>) {}

  /** `folder` is the project's; `composed` the file to import. True when the line is there in the end. */
  async offer(composed: string, folder: string): Promise<boolean> {
    const target = await pickTarget(folder);
    if (target === undefined) return false;
    const before = await textOf(target);
    const edit = withImport(before ?? '', composed);
    const name = path.basename(target.fsPath);
    if (edit.isThere) {
      void this.context.notifier.tell(`${name} imports it already.`);
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
    return this.context.proposals.isAgreed({
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

  private async offerUndo(target: Uri, before: string | undefined, after: ImportEdit) {
    const undo = 'Undo';
    const name = path.basename(target.fsPath);
    const answer = await this.context.notifier.tell(
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
      this.context.notifier.showError(error, `changing ${name}`);
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

async function write(file: Uri, text: string) {
  await workspace.fs.writeFile(file, new TextEncoder().encode(text));
}
