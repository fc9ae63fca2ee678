import type { Disposable } from 'vscode';
import type { Uses } from '../context';
import type { Feature } from '../feature';

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
