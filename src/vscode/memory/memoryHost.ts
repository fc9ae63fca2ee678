import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { Log } from '../../core/model/host';
import type { Memory } from '../../node/createMemory';
import type { AnthropicKey } from '../models/anthropicKey';
import type { Settings } from '../settings';
import type { MemoryFolders, SampleMemory } from './sampleMemory';

export interface MemoryHostOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** Given in a window on the sample, whose only memory is the sample's. */
  readonly sample: SampleMemory | undefined;
  readonly key: AnthropicKey;
}

/** Owns the memory of this window, and makes it when it is first asked for. */
export class MemoryHost implements Disposable {
  private opened: Promise<Memory> | undefined;
  private readonly changed = new EventEmitter<void>();
  private readonly subscription: Disposable;
  /** Fires when the memory is in other folders than before. */
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: MemoryHostOptions) {
    this.subscription = options.settings.onDidChange((names) => {
      if (!names.has('claudeDirectory') && !names.has('memoryDirectory')) return;
      this.close();
      this.changed.fire();
    });
  }

  /** Whether this window shows the sample instead of the user's own memory. */
  get isSample(): boolean {
    return this.options.sample !== undefined;
  }

  /** Where the memory is, as far as that is not left to the environment. */
  get folders(): MemoryFolders {
    const { settings, sample } = this.options;
    return sample?.folders ?? { claudeDir: settings.claudeDirectory, memoryDir: settings.memoryDirectory };
  }

  memory(): Promise<Memory> {
    if (this.opened !== undefined) return this.opened;
    const memory = this.open();
    memory.catch(() => {
      if (this.opened === memory) this.opened = undefined; // the next one who asks tries again
    });
    this.opened = memory;
    return memory;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
    this.close();
  }

  private close(): void {
    this.opened?.then(
      (made) => made.dispose(),
      () => undefined, // it was never made: whoever asked for it was told why
    );
    this.opened = undefined;
  }

  private async open(): Promise<Memory> {
    const { log, sample, key } = this.options;
    const [{ openMemoryThread }, { modelAccess }] = await Promise.all([
      import('../../node/threads/memoryThread'),
      import('../models/modelAccess'),
    ]);
    await sample?.prepare();
    return openMemoryThread({ log, models: modelAccess(key), ...this.folders });
  }
}
