import {
  commands,
  QuickInputButtons,
  QuickPickItemKind,
  ThemeIcon,
  window,
  type QuickPick,
  type QuickPickItem,
  type Disposable,
} from 'vscode';
import type { MemoryService } from '../../core/memory';
import { currentChoice, projectSettingRows, type SettingRow } from '../../core/versions/view/compressionForm';
import type { DiscoveredProject } from '../../core/sessions/results';
import { commandIds, type CommandId } from '../ids';
import type { Uses } from '../context';
import type { Feature } from '../feature';

interface Item extends QuickPickItem {
  readonly row?: SettingRow;
  /** What a setting is to be. */
  readonly value?: string;
  readonly command?: CommandId;
}

/** Lets a person see and change what a project decides for itself. */
export async function editProjectSettings(
  project: DiscoveredProject,
  context: Uses<'memory' | 'model' | 'notifier'>,
): Promise<void> {
  const { memory, model, notifier } = context;
  if (!project.sessions.some(({ registered }) => registered)) {
    const text = `${project.displayName} has settings of its own as soon as one of its sessions is in memory.`;
    return notifier.tell(text, {
      'Add Sessions…': () => commands.executeCommand(commandIds.addAllToMemory, project.projectId),
    });
  }
  const list = new SettingsList(project, memory);
  const chosen = await list.show();
  if (list.hasChanged) await model.reload([project.projectId]);
  if (chosen !== undefined) await commands.executeCommand(chosen, project.projectId);
}

/** A list of settings; Enter on one leads to what it can be, and back. Each change is kept at once. */
class SettingsList {
  hasChanged = false;
  private readonly picker: QuickPick<Item> = window.createQuickPick<Item>();
  private opened: SettingRow | undefined;

  constructor(
    private readonly project: DiscoveredProject,
    private readonly memory: MemoryService,
  ) {}

  /** The command that the user has gone on to. */
  async show(): Promise<CommandId | undefined> {
    const { picker } = this;
    picker.title = `Keepit: Settings of ${this.project.displayName}`;
    picker.matchOnDetail = true;
    await this.showAll();
    try {
      return await new Promise((resolve, reject) => {
        picker.onDidAccept(() => {
          const [item] = picker.activeItems;
          if (item?.command !== undefined) resolve(item.command);
          else if (item !== undefined) this.take(item).catch(reject);
        });
        picker.onDidTriggerButton(() => void this.showAll(this.opened?.key).catch(reject));
        picker.onDidHide(() => resolve(undefined));
        picker.show();
      });
    } finally {
      picker.dispose();
    }
  }

  private async take({ row, value }: Item) {
    if (row === undefined) return;
    if (value === undefined) {
      this.showChoices(row);
      return;
    }
    if (value !== row.value) {
      await this.memory.config.setProject(this.project.projectId, row.key, value);
      this.hasChanged = true;
    }
    await this.showAll(row.key);
  }

  private async showAll(activeKey?: string) {
    const { picker, memory, project } = this;
    const rows = projectSettingRows(await memory.config.project(project.projectId));
    const { isEnabled } = await memory.layers.status(project.projectId);
    this.opened = undefined;
    picker.buttons = [];
    picker.placeholder = 'Choose what to change; each change is kept at once';
    picker.value = '';
    picker.items = [...rows.map(itemOf), ...elsewhere(isEnabled)];
    const active = picker.items.find(({ row }) => row !== undefined && row.key === activeKey) ?? picker.items[0];
    picker.activeItems = active === undefined ? [] : [active];
  }

  private showChoices(row: SettingRow) {
    const { picker } = this;
    this.opened = row;
    picker.buttons = [QuickInputButtons.Back];
    picker.placeholder = row.label;
    picker.value = '';
    picker.items = row.choices.map(({ value, label, detail }) => ({
      row,
      value,
      label,
      detail,
      ...(value === row.value && { description: 'now' }),
      iconPath: new ThemeIcon(value === row.value ? 'check' : 'blank'),
    }));
    picker.activeItems = picker.items.filter(({ value }) => value === row.value);
  }
}

function itemOf(row: SettingRow): Item {
  const { label = row.value, detail = '' } = currentChoice(row) ?? {};
  return { row, label: row.label, description: label, detail };
}

/** What is set in other places, so that nobody looks for it here in vain. */
function elsewhere(isEnabled: boolean): Item[] {
  return [
    { label: '', kind: QuickPickItemKind.Separator },
    {
      label: 'Rules, solutions and notes are kept for it…',
      description: isEnabled ? 'On' : 'Off',
      command: isEnabled ? commandIds.disableKnowledge : commandIds.enableKnowledge,
    },
    {
      label: 'Settings of all projects…',
      command: commandIds.openSettings,
    },
  ];
}

/** Settings that hold for every host: what is set in VS Code is written into the configuration of memory. */
export class Configured implements Feature {
  readonly name = 'configuration';

  constructor(private readonly context: Uses<'memory' | 'settings' | 'notifier'>) {}

  register(): Disposable {
    const { settings, notifier } = this.context;
    const apply = (): void => {
      this.apply().catch((error: unknown) => notifier.showError(error, 'changing the configuration'));
    };
    apply();
    return settings.onDidChange(apply);
  }

  private async apply(): Promise<void> {
    const { memory, settings } = this.context;
    const wanted = settings.configured;
    if (wanted.size === 0) return;
    const { defaults } = await memory.config.read();
    const { light, moderate, aggressive } = defaults.reductions;
    const current = new Map<string, number | boolean | null>([
      ['defaults.reductions.light', light],
      ['defaults.reductions.moderate', moderate],
      ['defaults.reductions.aggressive', aggressive],
      ['defaults.versionsOnRegister', defaults.versionsOnRegister],
      ['defaults.keepitDecayEnabled', defaults.keepitDecayEnabled],
    ]);
    for (const [key, value] of wanted)
      if (String(current.get(key) ?? '') !== value) await memory.config.set(key, value);
  }
}
