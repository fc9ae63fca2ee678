import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { Log } from '../../core/model/host';
import type { Memory } from '../../node/createMemory';
import type { ModelAccess } from '../../node/summarizers/createModelSummarizers';
import type { AnthropicKey } from '../models/anthropicKey';
import type { Settings } from '../settings';
import type { SampleMemory } from './sampleMemory';

/** Whose sessions are shown: the user's own, or those of the sample that is shipped with the extension. */
export type MemoryName = 'own' | 'sample';

export interface MemoryHostOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly sample: SampleMemory;
  readonly key: AnthropicKey;
  /** What the environment asks for at the start. */
  readonly initial: MemoryName;
}

/** Owns the memories that are open, and knows which one the views show. Makes each when it is first asked for. */
export class MemoryHost implements Disposable {
  private readonly open = new Map<MemoryName, Promise<Memory>>();
  private readonly changed = new EventEmitter<MemoryName>();
  private readonly subscription: Disposable;
  private shown: MemoryName;
  /** Fires when the views are to show another memory, or the same one from other folders. */
  readonly onDidChange: Event<MemoryName> = this.changed.event;

  constructor(private readonly options: MemoryHostOptions) {
    this.shown = options.initial;
    this.subscription = options.settings.onDidChange((names) => {
      if (names.has('claudeDirectory') || names.has('memoryDirectory')) this.reopenOwn();
    });
  }

  get current(): MemoryName {
    return this.shown;
  }

  /** The memory that the views show. */
  memory(): Promise<Memory> {
    return this.named(this.shown);
  }

  named(name: MemoryName): Promise<Memory> {
    let memory = this.open.get(name);
    if (memory === undefined) {
      memory = name === 'own' ? this.createOwn() : this.createSample();
      memory.catch(() => this.open.delete(name)); // the next one who asks tries again
      this.open.set(name, memory);
    }
    return memory;
  }

  /** Makes the views show a memory. */
  async show(name: MemoryName): Promise<void> {
    await this.named(name);
    if (this.shown === name) return;
    this.shown = name;
    this.changed.fire(name);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
    for (const name of [...this.open.keys()]) this.close(name);
  }

  private reopenOwn(): void {
    this.close('own');
    if (this.shown === 'own') this.changed.fire('own');
  }

  private close(name: MemoryName): void {
    const memory = this.open.get(name);
    this.open.delete(name);
    memory?.then(
      (made) => made.dispose(),
      () => undefined, // it was never made: whoever asked for it was told why
    );
  }

  private async createOwn(): Promise<Memory> {
    const { settings, log } = this.options;
    const { claudeDirectory: claudeDir, memoryDirectory: memoryDir } = settings;
    const { createMemory } = await import('../../node/createMemory');
    return createMemory({
      log,
      models: await this.models(),
      ...(claudeDir !== undefined && { claudeDir }),
      ...(memoryDir !== undefined && { memoryDir }),
    });
  }

  private async createSample(): Promise<Memory> {
    const { log, sample } = this.options;
    const { createMemory } = await import('../../node/createMemory');
    return createMemory({ log, models: await this.models(), ...(await sample.prepare()) });
  }

  private async models(): Promise<ModelAccess> {
    const { modelAccess } = await import('../models/modelAccess');
    return modelAccess(this.options.key);
  }
}
