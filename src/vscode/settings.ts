import { EventEmitter, workspace, type Disposable, type Event, type WorkspaceConfiguration } from 'vscode';
import type { SummarizerName } from '../core/versions/types';
import { compositionStrategySchema, type CompositionStrategy } from '../core/model/composition';
import { SETTINGS_SECTION, settingKeys } from './ids';

type SettingName = keyof typeof settingKeys;
const settingNames = Object.keys(settingKeys) as SettingName[];

/** How much of tool steps a transcript shows. */
export type ToolDetailsMode = 'folded' | 'expanded' | 'hidden';

const TOOL_DETAILS: readonly ToolDetailsMode[] = ['folded', 'expanded', 'hidden'];
const PROVIDERS: readonly SummarizerName[] = ['local', 'anthropic', 'claude-cli', 'vscode-lm'];
const DEFAULT_WARNING_DAYS = 7;
const USUAL_BUDGET_TOKENS = 16_000;
const USUAL_WINDOW_TOKENS = 200_000;
const MOST_TOKENS = 10_000_000;

const CONFIGURED = {
  lightReduction: 'defaults.reductions.light',
  moderateReduction: 'defaults.reductions.moderate',
  aggressiveReduction: 'defaults.reductions.aggressive',
  versionsOnRegister: 'defaults.versionsOnRegister',
  keepitDecay: 'defaults.keepitDecayEnabled',
} as const satisfies Partial<Record<SettingName, string>>;

/** The user's settings, read anew each time and never trusted: a hand-written settings.json may hold anything. */
export class Settings implements Disposable {
  private readonly changed = new EventEmitter<ReadonlySet<SettingName>>();
  private readonly subscription: Disposable;
  /** Fires with the names of the settings that changed. */
  readonly onDidChange: Event<ReadonlySet<SettingName>> = this.changed.event;

  constructor() {
    this.subscription = workspace.onDidChangeConfiguration((event) => {
      const names = settingNames.filter((name) =>
        event.affectsConfiguration(`${SETTINGS_SECTION}.${settingKeys[name]}`),
      );
      if (names.length > 0) this.changed.fire(new Set(names));
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  /** Undefined when the environment and the defaults decide. */
  get claudeDirectory(): string | undefined {
    return this.text('claudeDirectory');
  }

  get memoryDirectory(): string | undefined {
    return this.text('memoryDirectory');
  }

  /** Whether the status bar says how many sessions the open file was in. */
  get fileStatus(): boolean {
    return this.read('fileStatus') === true;
  }

  get autoRegister(): boolean {
    return this.read('autoRegister') === true;
  }

  /** 0 turns warnings off. */
  get retentionWarningDays(): number {
    return this.whole('retentionWarningDays', { least: 0, most: 365, otherwise: DEFAULT_WARNING_DAYS });
  }

  get toolDetails(): ToolDetailsMode {
    const value = this.read('toolDetails');
    return TOOL_DETAILS.find((mode) => mode === value) ?? 'folded';
  }

  get showsKeepitDecorations(): boolean {
    return this.read('keepitDecorations') !== false;
  }

  /** Who writes summaries where nobody chooses. */
  get compressionProvider(): SummarizerName {
    const value = this.read('compressionProvider');
    return PROVIDERS.find((provider) => provider === value) ?? 'local';
  }

  /** '' for the configuration's own. */
  get compressionModel(): string {
    const value = this.read('compressionModel');
    return typeof value === 'string' ? value.trim() : '';
  }

  /** What a new composition may have at first. */
  get compositionBudget(): number {
    return this.whole('compositionBudget', { least: 1, most: MOST_TOKENS, otherwise: USUAL_BUDGET_TOKENS });
  }

  get compositionStrategy(): CompositionStrategy {
    return compositionStrategySchema.safeParse(this.read('compositionStrategy')).data ?? 'best';
  }

  /** What the model of the next session can take in. */
  get compositionWindowTokens(): number {
    return this.whole('compositionWindowTokens', { least: 1000, most: MOST_TOKENS, otherwise: USUAL_WINDOW_TOKENS });
  }

  /** Undefined when `claude` is to be looked for. */
  get claudeCommand(): string | undefined {
    return this.text('claudeCommand');
  }

  /** Where what is known of a project is kept, once it is enabled. */
  get layersLocation(): 'project' | 'home' {
    return this.read('layersLocation') === 'home' ? 'home' : 'project';
  }

  /** Whether git is to see it. */
  get sharesLayers(): boolean {
    return this.read('layersShared') === true;
  }

  /** Whether layers grow with the sessions of the workspace by themselves. */
  get buildsLayers(): boolean {
    return this.read('layersAutoBuild') !== false;
  }

  /** Settings of seed 001 that the configuration of memory has, by its keys, as far as somebody has set them here. */
  get configured(): ReadonlyMap<string, string> {
    const configuration = workspace.getConfiguration(SETTINGS_SECTION);
    return new Map(
      Object.entries(CONFIGURED).flatMap(([name, key]) => {
        const value = configuration.inspect<unknown>(settingKeys[name as keyof typeof CONFIGURED])?.globalValue;
        if (value === null) return [[key, '']];
        return typeof value === 'number' || typeof value === 'boolean' ? [[key, String(value)]] : [];
      }),
    );
  }

  private read(name: SettingName): unknown {
    const configuration: WorkspaceConfiguration = workspace.getConfiguration(SETTINGS_SECTION);
    return configuration.get<unknown>(settingKeys[name]);
  }

  private text(name: SettingName): string | undefined {
    const value = this.read(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  }

  private whole(name: SettingName, range: { least: number; most: number; otherwise: number }): number {
    const value = this.read(name);
    if (typeof value !== 'number' || !Number.isFinite(value)) return range.otherwise;
    return Math.min(range.most, Math.max(range.least, Math.trunc(value)));
  }
}
