import { commands, env, window } from 'vscode';
import { problemWith } from '../../core/compositions/compositionName';
import { type CompositionRef } from '../../core/sessions/view/treeNode';
import { type Uses } from '../context';
import type { CommandSet, CommandHandlers, CommandHandler } from '../feature';
import { revealFile, saveAs } from '../revealFile';
import { RowClicks } from '../watchedTree';
import { type CompositionRunner } from './compositionRunner';
import { type CompositionsTree } from './compositionsTree';
import { showComposition, uriOfComposition } from './compositionFiles';
import { CompositionError } from '../../core/compositions/compositionError';
import { type Delivered } from '../../core/compositions/deliveries';
import { armedText, reaches, type HandOver } from '../../core/claude/view/armedText';
import { commandIds } from '../ids';
import { ClaudeTerminal } from './claudeTerminal';

interface CompositionCommandsOptions {
  readonly runner: CompositionRunner;
  readonly compositions: CompositionsTree;
  readonly tellArrival: (place: CompositionRef) => Promise<void>;
}

/** What is done with compositions that are saved: looking at them, changing them, handing them over. */
export class CompositionCommands implements CommandSet {
  private readonly clicks = new RowClicks();
  private readonly terminal: ClaudeTerminal;

  readonly commands: CommandHandlers = {
    openComposition: (args) => {
      const preserveFocus = this.clicks.isFirst(args[0]);
      return this.of('Open Composition', (place) => showComposition(place, preserveFocus))(args);
    },
    rebuildComposition: async (args) => {
      const { compositions, runner } = this.options;
      for (const place of await compositions.many(args, 'Keepit: Rebuild Composition')) await runner.rebuild(place);
    },
    compareCompositions: (args) => this.compare(args),
    renameComposition: this.of('Rename Composition', (place) => this.rename(place)),
    deleteCompositions: (args) => this.delete(args),
    revealComposition: this.of('Reveal Composition', (place) => this.reveal(place)),
    startWithComposition: this.of('Start Claude Code with This Context', (place) => this.start(place)),
    armComposition: this.of('Use in the Next Session', (place) => this.arm(place)),
    disarmComposition: (args) => this.disarm(args),
    copyComposition: this.of('Copy Composed Text', (place) => this.copy(place)),
    saveComposition: this.of('Save Composed Text As', (place) => this.saveAs(place)),
    checkArrival: this.of('Has It Arrived?', (place) => this.options.tellArrival(place)),
  };

  constructor(
    private readonly context: Uses<'memory' | 'model' | 'targets' | 'settings' | 'formats' | 'notifier'>,
    private readonly options: CompositionCommandsOptions,
  ) {
    this.terminal = new ClaudeTerminal(context.settings, context.notifier);
  }

  private of(title: string, work: (place: CompositionRef) => Promise<unknown>): CommandHandler {
    return async (args) => {
      const place = await this.options.compositions.one(args, `Keepit: ${title}`);
      if (place !== undefined) await work(place);
    };
  }

  private async disarm(args: readonly unknown[]) {
    const { memory, notifier, targets } = this.context;
    const row = args[0] === undefined ? undefined : await this.options.compositions.one(args, '');
    const projectId = row?.projectId ?? targets.project([])?.projectId;
    if (projectId === undefined) return;
    const was = await memory.compositions.disarm(projectId);
    notifier.say(was ? 'The next session starts as usual.' : 'Nothing was waiting for the next session.');
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
    await this.tellArmed(place, delivered.armed.rest !== undefined);
  }

  /** Says whether a hook will hand over what is armed, and helps where none would. `isCut`: it is longer than hooks may say. */
  private async tellArmed(place: CompositionRef, isCut: boolean) {
    const { memory, notifier } = this.context;
    const { installs } = await memory.setup.status();
    const isHooked = installs.some((install) => reaches(install, this.folderOf(place)));
    const isOn = (await memory.config.read()).hooks.sessionStart;
    const handOver: HandOver = !isHooked ? 'notSetUp' : isOn ? 'sure' : 'off';
    const setUp = () => commands.executeCommand(commandIds.setUpClaudeCode);
    const turnOn = () => memory.config.set('hooks.sessionStart', 'true');
    const disarm = () => memory.compositions.disarm(place.projectId);
    await notifier.tell(armedText(place.name, handOver, isCut), {
      'Set Up Claude Code': handOver === 'notSetUp' ? setUp : undefined,
      'Turn It On': handOver === 'off' ? turnOn : undefined,
      'Start Claude Code Now': async () => {
        await this.start(place);
        await disarm();
      },
      Undo: disarm,
    });
  }

  async copy(place: CompositionRef): Promise<void> {
    const delivered = await this.deliver(place, 'clipboard');
    if (delivered?.text === undefined) return;
    await env.clipboard.writeText(delivered.text);
    this.context.notifier.say(`The text of “${place.name}” is in the clipboard.`);
  }

  private async saveAs(place: CompositionRef) {
    const dialog = { title: 'Save Composed Text As', name: `${place.name}.md`, filters: { Markdown: ['md'] } };
    const file = await saveAs(dialog, async (wanted) => (await this.deliver(place, 'file', { file: wanted }))?.text);
    if (file !== undefined) this.context.notifier.say(`“${place.name}” is saved as ${file}.`);
  }

  /** A composition that was not made in the format that is needed can be, right away. Undefined when the user would not. */
  private async deliver(
    place: CompositionRef,
    to: Delivered['to'],
    options: { file?: string } = {},
  ): Promise<Delivered | undefined> {
    const { projectId, name } = place;
    const deliver = () => this.context.memory.compositions.deliver(projectId, name, to, options);
    try {
      return await deliver();
    } catch (error) {
      if (!(error instanceof CompositionError) || error.reason !== 'not-made') throw error;
      const isAgreed = await this.context.notifier.isAgreed({ title: error.message }, 'Rebuild with Both Formats');
      if (!isAgreed || !(await this.options.runner.rebuild(place, true))) return undefined;
      return deliver();
    }
  }

  private folderOf({ projectId }: CompositionRef): string {
    return this.context.model.projects.find((project) => project.projectId === projectId)?.originalPath ?? '';
  }

  /** In the editor's own diff: the one that is meant with another one, or the two that are selected. */
  private async compare(args: readonly unknown[]) {
    const { compositions } = this.options;
    const [first, ...others] = await compositions.many(args, 'Keepit: Compare Compositions');
    if (first === undefined) return;
    const second = others[0] ?? (await compositions.other(first, `Keepit: Compare “${first.name}” With`));
    if (second === undefined) return;
    const title = `${first.name} ↔ ${second.name}`;
    await commands.executeCommand('vscode.diff', uriOfComposition(first), uriOfComposition(second), title);
  }

  private async rename(place: CompositionRef) {
    const saved = this.context.memory.compositions;
    const taken = (await saved.list(place.projectId))
      .map(({ record }) => record.name)
      .filter((name) => name !== place.name);
    const name = await window.showInputBox({
      title: `Keepit: Rename “${place.name}”`,
      value: place.name,
      validateInput: (value) => {
        const problem = problemWith(value);
        if (problem !== undefined) return `This cannot be its name: ${problem}.`;
        return taken.includes(value) ? 'There is a composition of that name already.' : undefined;
      },
    });
    if (name === undefined || name === place.name) return;
    await saved.rename(place.projectId, place.name, name);
    this.context.notifier.say(`“${place.name}” is “${name}” now.`);
  }

  /** Without a question: it can be undone. */
  private async delete(args: readonly unknown[]) {
    const { memory, formats, notifier } = this.context;
    const saved = memory.compositions;
    const places = await this.options.compositions.many(args, 'Keepit: Delete Composition');
    const deleted: { place: CompositionRef; trash: string }[] = [];
    for (const place of places) deleted.push({ place, trash: (await saved.delete(place.projectId, place.name)).trash });
    if (deleted.length === 0) return;
    const what =
      deleted.length === 1 ? `“${deleted[0]?.place.name ?? ''}”` : formats.plural(deleted.length, 'composition');
    await notifier.tell(`${what} deleted. Its sessions and versions stay.`, {
      Undo: async () => {
        for (const { place, trash } of deleted) await saved.restore(place.projectId, trash);
        notifier.say(`${what} ${deleted.length === 1 ? 'is' : 'are'} back.`);
      },
    });
  }

  private async reveal(place: CompositionRef) {
    const { files } = await this.context.memory.compositions.get(place.projectId, place.name);
    const [file] = files;
    if (file !== undefined) await revealFile(file);
  }
}
