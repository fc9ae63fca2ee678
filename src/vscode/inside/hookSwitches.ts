import { TreeItemCheckboxState, window } from 'vscode';
import * as z from 'zod/mini';
import { switchedText } from '../../core/presentation/insideTree';
import type { TreeNode } from '../../core/presentation/treeNode';
import { PROJECT_PREFIX } from '../../core/sessions/configSettings';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { InsideModel } from './insideModel';

export interface HookSwitchesOptions {
  readonly host: MemoryHost;
  readonly model: InsideModel;
  readonly notifier: Notifier;
}

const rowSchema = z.object({ label: z.string(), toggle: z.object({ isOn: z.boolean(), key: z.string() }) });
const STATUS_MS = 5000;

/** Turns hooks on and off, by their boxes, or by Enter on their rows. The settings are those of `keepit config`. */
export class HookSwitches {
  constructor(private readonly options: HookSwitchesOptions) {}

  /** The box of a row. */
  async set(node: TreeNode, state: TreeItemCheckboxState): Promise<void> {
    if (node.toggle === undefined) return;
    const isOn = state === TreeItemCheckboxState.Checked;
    try {
      await this.change({ label: node.label, key: node.toggle.key }, isOn);
    } catch (error) {
      this.options.notifier.showError(error, 'switching a hook');
    }
  }

  /** The row itself. */
  async turn([row]: readonly unknown[]): Promise<void> {
    const parsed = rowSchema.safeParse(row);
    if (!parsed.success) return;
    const { label, toggle } = parsed.data;
    await this.change({ label, key: toggle.key }, !toggle.isOn);
  }

  /** Whatever comes of it, the box shows how it is. */
  private async change({ label, key }: { label: string; key: string }, isOn: boolean): Promise<void> {
    const { host, model } = this.options;
    try {
      const { service } = await host.memory();
      const { projectId } = model;
      if (!key.startsWith(PROJECT_PREFIX)) await service.setConfig(key, String(isOn));
      else if (projectId !== undefined) await service.setProjectSetting(projectId, key, String(isOn));
      window.setStatusBarMessage(switchedText(label, isOn), STATUS_MS);
    } finally {
      await model.lookAnew();
    }
  }
}
