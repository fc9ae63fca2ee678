import type { Disposable } from 'vscode';

/** What is loaded and made when it is first asked for, once for everybody, and ends with its owner, also if it comes too late. */
export class LazyFeature<R extends Disposable> implements Disposable {
  private whenMade: Promise<R> | undefined;
  private room: R | undefined;
  private isEnded = false;

  constructor(private readonly make: () => Promise<R>) {}

  /** Whoever asks after a failure tries again. */
  open(): Promise<R> {
    this.whenMade ??= this.makeOnce();
    return this.whenMade;
  }

  dispose(): void {
    this.isEnded = true;
    this.room?.dispose();
  }

  private async makeOnce(): Promise<R> {
    try {
      const room = await this.make();
      if (this.isEnded) room.dispose();
      else this.room = room;
      return room;
    } catch (error) {
      this.whenMade = undefined;
      throw error;
    }
  }
}
