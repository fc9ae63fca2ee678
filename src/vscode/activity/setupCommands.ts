import path from 'node:path';
import { commands, window, workspace, ProgressLocation, ThemeIcon, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import {
  isUndone,
  modeChoices,
  scopeChoices,
  scopeName,
  setupOutcome,
  setupReview,
  type SetupChoice,
} from '../../core/claude/view/setupRows';
import { type SetupPlan, type SetupRequest, SetupError } from '../../core/claude/setup/setupTypes';
import type { Uses } from '../context';
import { viewIds } from '../ids';
import type { SetupInstall, SetupMode, SetupScope } from '../../core/model/setupRecord';
import type { MemoryService } from '../../core/memory';
import { settingsFile } from '../../core/claude/setup/setupPlanner';
import type { ClaudeTerminal } from '../composition/claudeTerminal';
import type { InsideTree } from './activityTree';

type Place = Pick<SetupRequest, 'scope' | 'folder'>;

/** A row of the view, as menus pass it; rows of the user's own scope have no folder. */
const rowSchema = z.object({ id: z.string(), contextValue: z.string(), file: z.optional(z.string()) });
const NOT_TRUSTED =
  'This window’s folder is not trusted: Keepit writes nothing in it, and can be set up for you alone.';

/** Sets Claude Code up, and takes that back: shows first what changes, and nothing else does. */
export class SetupCommands {
  constructor(
    private readonly context: Uses<'host' | 'memory' | 'formats' | 'notifier' | 'proposals'>,
    private readonly model: InsideTree,
    private readonly terminal: ClaudeTerminal,
  ) {}

  async setUp(): Promise<void> {
    const { claudeDir } = await this.context.host.memory();
    const { setup } = this.context.memory;
    const { installs } = await setup.status();
    const place = await this.askWhere(installs, claudeDir);
    if (place === undefined) return;
    const before = installs.find((install) => isAt(install, place));
    const mode = await askHow(before?.mode);
    if (mode === undefined) return;
    const plan = await this.carryOut(setup, () => setup.planInstall({ ...place, mode }));
    if (plan === undefined) return;
    await commands.executeCommand(`${viewIds.inside}.focus`);
    const undo = before === undefined ? () => setup.planUninstall(place) : () => setup.planInstall(before);
    void this.tell(setup, plan, undo);
  }

  async remove([row]: readonly unknown[]): Promise<void> {
    const { setup } = this.context.memory;
    const { installs } = await setup.status();
    const install = installOf(row, installs) ?? (await askWhich(installs));
    // Nothing remembered: what is in the user's settings all the same is looked for there.
    const place: Place | undefined = install ?? (installs.length === 0 ? { scope: 'user' } : undefined);
    if (place === undefined) return;
    const { scope, folder } = place;
    const plan = await this.carryOut(setup, () => setup.planUninstall({ scope, folder }));
    if (plan !== undefined) void this.tell(setup, plan, () => setup.planInstall(plan.request));
  }

  /** What was agreed on is done; a file that changed meanwhile is looked at again. Undefined when nothing was done. */
  private async carryOut(
    setup: MemoryService['setup'],
    plan: () => Promise<SetupPlan>,
  ): Promise<SetupPlan | undefined> {
    const { formats, notifier, proposals } = this.context;
    for (;;) {
      const planned = await withProgress('Keepit: looking at Claude Code’s settings', plan);
      const { files, plugin, request } = planned;
      if (files.length === 0 && plugin.change === 'keep') {
        void notifier.tell(`Nothing would change: Keepit is set up ${scopeName(request)} already.`);
        return undefined;
      }
      if (!(await proposals.areAgreed(setupReview(planned, formats), files))) return undefined;
      try {
        await apply(setup, planned);
        await this.model.lookNow();
        return planned;
      } catch (error) {
        if (!(error instanceof SetupError) || error.reason !== 'changed') throw error;
        const again = 'Look Again';
        if ((await window.showWarningMessage(error.message, again)) !== again) return undefined;
      }
    }
  }

  /** Says what is next, and takes everything back where that is asked for. */
  private async tell(setup: MemoryService['setup'], plan: SetupPlan, undo: () => Promise<SetupPlan>) {
    const { notifier } = this.context;
    const folder = plan.request.folder ?? workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const start = () => this.terminal.run([], { name: 'with memory', folder });
    const takeBack = async () => {
      const undoing = await undo();
      await apply(setup, undoing);
      await this.model.lookNow();
      const isWhole = isUndone(plan, undoing);
      const told = isWhole ? 'Undone: every file is as it was, byte for byte.' : `Undone. ${setupOutcome(undoing)}`;
      void notifier.tell(told);
    };
    const isInstalled = plan.action === 'install';
    await notifier.tell(setupOutcome(plan), { 'Start Claude Code': isInstalled ? start : undefined, Undo: takeBack });
  }

  private async askWhere(installs: readonly SetupInstall[], claudeDir: string): Promise<Place | undefined> {
    const folder = workspace.isTrusted ? this.folder() : undefined;
    const places = { claudeDir, pluginDir: '', join: (...parts: string[]) => path.join(...parts) };
    const fileOf = (scope: SetupScope): string => settingsFile({ scope, folder }, places);
    const files = {
      user: fileOf('user'),
      ...(folder !== undefined && { project: fileOf('project'), local: fileOf('local') }),
    };
    const placeholder = workspace.isTrusted ? 'Where is Claude Code to have its memory?' : NOT_TRUSTED;
    const scope = await choose(scopeChoices(installs, files, folder), 'Set Up Claude Code (1/2)', placeholder);
    if (scope === undefined) return undefined;
    return scope === 'user' ? { scope } : { scope, folder };
  }

  /** The window's folder; where it has several, the one whose sessions are shown. */
  private folder(): string | undefined {
    const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const shown = folders.find(({ uri }) => uri.fsPath === this.model.project?.originalPath);
    return (shown ?? folders[0])?.uri.fsPath;
  }
}

function isAt(install: SetupInstall, { scope, folder }: Place): boolean {
  return install.scope === scope && (scope === 'user' || install.folder === folder);
}

async function apply(setup: MemoryService['setup'], plan: SetupPlan) {
  const title = plan.action === 'install' ? 'Keepit: setting up Claude Code' : 'Keepit: going out of Claude Code';
  await withProgress(title, () => setup.apply(plan));
}

/** In the status bar: it is done in a moment, but for a search for something that runs hooks. */
async function withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  return window.withProgress({ location: ProgressLocation.Window, title }, work);
}

async function askHow(now: SetupMode | undefined): Promise<SetupMode | undefined> {
  const choices = modeChoices().map((choice) =>
    choice.value === now ? { ...choice, description: 'as it is now' } : choice,
  );
  return choose(choices, 'Set Up Claude Code (2/2)', 'How?');
}

async function askWhich(installs: readonly SetupInstall[]): Promise<SetupInstall | undefined> {
  if (installs.length < 2) return installs[0];
  const choices = installs.map((install) => ({
    value: install,
    label: `Set up ${scopeName(install)}`,
    description: install.mode === 'plugin' ? 'plugin' : 'plain hooks',
    detail: install.folder ?? '',
    icon: 'plug',
  }));
  return choose(choices, 'Remove from Claude Code', 'Where is Keepit to be taken out?');
}

async function choose<T>(
  choices: readonly SetupChoice<T>[],
  title: string,
  placeHolder: string,
): Promise<T | undefined> {
  const items: (QuickPickItem & { value: T })[] = choices.map(({ icon, ...choice }) => ({
    ...choice,
    iconPath: new ThemeIcon(icon),
  }));
  const chosen = await window.showQuickPick(items, { title: `Keepit: ${title}`, placeHolder, ignoreFocusOut: true });
  return chosen?.value;
}

function installOf(row: unknown, installs: readonly SetupInstall[]): SetupInstall | undefined {
  const parsed = rowSchema.safeParse(row);
  if (!parsed.success) return undefined;
  const { contextValue, file } = parsed.data;
  return installs.find(({ scope, folder }) => contextValue === `install ${scope}` && folder === file);
}
