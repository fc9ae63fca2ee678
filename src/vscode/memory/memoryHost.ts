import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { MemoryService } from '../../core/memory';
import type { Log } from '../../core/model/host';
import { eachOperation, type Operations } from '../../core/operations';
import type { SessionRef } from '../../core/sessions/results';
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

/** What this window has just written, or has tried to: the reason of a failure may be that somebody else has changed something. */
export interface Written {
  readonly feature: keyof Operations;
  readonly name: string;
  /** What the operation was called with; the first says what it is about. */
  readonly args: readonly unknown[];
  readonly isDone: boolean;
}

/** Owns the memory of this window, and makes it when it is first asked for. */
export class MemoryHost implements Disposable {
  private opened: Promise<Memory> | undefined;
  private readonly changed = new EventEmitter<void>();
  private readonly written = new EventEmitter<Written>();
  private readonly subscription: Disposable;
  /** Fires when the memory is in other folders than before. */
  readonly onDidChange: Event<void> = this.changed.event;
  /** All operations, of whichever memory this window has when they are called. */
  readonly service = eachOperation(
    (feature, name, isWriting) =>
      (...args: unknown[]) =>
        isWriting ? this.write(feature, name, args) : this.call(feature, name, args),
  ) as MemoryService;

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

  /** Tells of all that this window writes of a feature. */
  onDidWrite(feature: keyof Operations, listener: (written: Written) => void): Disposable {
    return this.written.event((written) => {
      if (written.feature === feature) listener(written);
    });
  }

  /** As `onDidWrite`, for what belongs to sessions: tells of which, where it was a single one. */
  onDidWriteOf(
    features: readonly ('keepits' | 'versions')[],
    listener: (session: SessionRef | undefined) => void,
  ): Disposable {
    return this.written.event(({ feature, args: [first] }) => {
      if (!features.some((one) => one === feature)) return;
      listener(typeof first === 'object' ? (first as SessionRef) : undefined);
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
    this.written.dispose();
    this.close();
  }

  private async call(feature: keyof Operations, name: string, args: readonly unknown[]): Promise<unknown> {
    const { service } = await this.memory();
    const operation: unknown = Reflect.get(service[feature], name);
    return (operation as (...all: readonly unknown[]) => unknown)(...args);
  }

  private async write(feature: keyof Operations, name: string, args: readonly unknown[]): Promise<unknown> {
    let isDone = false;
    try {
      const result = await this.call(feature, name, args);
      isDone = true;
      return result;
    } finally {
      this.written.fire({ feature, name, args, isDone });
    }
  }

  private close() {
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
