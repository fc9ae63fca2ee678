import { aggressivenessForRatio } from '../keepits/decay';
import {
  tierConfigSchema,
  tierPresetSchema,
  type Aggressiveness,
  type CompressionSettings,
  type TierConfig,
  type TierPreset,
} from '../model/compression';
import type { Config } from '../model/config';
import type { ProjectSettings } from '../model/manifest';
import { CompressionError } from './compressionJob';
import type { CompressionRequest } from './types';

/** What a request leaves to the project and to the session. */
export interface SettingDefaults {
  readonly project: Pick<ProjectSettings, 'defaultCompressionPreset' | 'keepitDecayEnabled'>;
  /** What the configuration makes of levels; without it they are their presets. */
  readonly reductions?: Config['defaults']['reductions'] | undefined;
  /** The session's rank by recency. */
  readonly sessionDistance: number;
  /** What summarizes: `local`, or the name of a model. */
  readonly model: string;
}

/** DESIGN section 6: how hard each age of a session is compressed, the oldest messages first. */
export const tierPresets: Readonly<Record<Exclude<TierPreset, 'custom'>, readonly TierConfig[]>> = {
  gentle: [
    { endPercent: 25, compactionRatio: 10, aggressiveness: 'moderate' },
    { endPercent: 50, compactionRatio: 7, aggressiveness: 'moderate' },
    { endPercent: 75, compactionRatio: 5, aggressiveness: 'minimal' },
    { endPercent: 90, compactionRatio: 4, aggressiveness: 'minimal' },
    { endPercent: 100, compactionRatio: 2, aggressiveness: 'minimal' },
  ],
  standard: [
    { endPercent: 25, compactionRatio: 25, aggressiveness: 'aggressive' },
    { endPercent: 50, compactionRatio: 15, aggressiveness: 'aggressive' },
    { endPercent: 75, compactionRatio: 10, aggressiveness: 'moderate' },
    { endPercent: 90, compactionRatio: 5, aggressiveness: 'moderate' },
    { endPercent: 100, compactionRatio: 3, aggressiveness: 'minimal' },
  ],
  aggressive: [
    { endPercent: 25, compactionRatio: 50, aggressiveness: 'aggressive' },
    { endPercent: 50, compactionRatio: 35, aggressiveness: 'aggressive' },
    { endPercent: 75, compactionRatio: 20, aggressiveness: 'aggressive' },
    { endPercent: 90, compactionRatio: 10, aggressiveness: 'moderate' },
    { endPercent: 100, compactionRatio: 5, aggressiveness: 'minimal' },
  ],
};

/** What a uniform compression means by a level, where no ratio is given: in the middle of the ratios that decay takes for that level. */
const usualRatios: Readonly<Record<Aggressiveness, number>> = { minimal: 4, moderate: 10, aggressive: 30 };

const MAX_RATIO = 1000;

/** Everything that decides what the version will be; throws `CompressionError` for what makes no sense. */
export function settingsFor(request: CompressionRequest, defaults: SettingDefaults): CompressionSettings {
  const { project, model } = defaults;
  const sessionDistance = request.sessionDistance ?? defaults.sessionDistance;
  if (!(sessionDistance >= 0) || !Number.isFinite(sessionDistance)) {
    throw new CompressionError('bad-distance', String(sessionDistance));
  }
  const skipFirstMessages = request.skipFirstMessages ?? 0;
  if (!Number.isSafeInteger(skipFirstMessages) || skipFirstMessages < 0) {
    throw new CompressionError('bad-skip', String(skipFirstMessages));
  }
  return {
    ...(modeOf(request) === 'uniform' ? uniform(request, defaults) : tiered(request, defaults)),
    model,
    skipFirstMessages,
    keepitMode: request.keepitMode ?? (project.keepitDecayEnabled ? 'decay' : 'preserve-all'),
    sessionDistance,
  };
}

/** Throws `CompressionError` for a request that no session could be compressed by. */
export function checkRequest(request: CompressionRequest): void {
  const project = { defaultCompressionPreset: 'standard', keepitDecayEnabled: true };
  settingsFor(request, { project, sessionDistance: 1, model: '' });
}

/** The tiers of settings; a uniform compression has one. */
export function tiersOf(settings: CompressionSettings): readonly TierConfig[] {
  const { mode, compactionRatio = 1, aggressiveness = 'minimal', tierPreset = 'standard', customTiers = [] } = settings;
  if (mode === 'uniform') return [{ endPercent: 100, compactionRatio, aggressiveness }];
  return tierPreset === 'custom' ? customTiers : tierPresets[tierPreset];
}

/** What settings are called in file names: `tiered-standard`, `uniform-aggressive`. */
export function settingsName({ mode, tierPreset, aggressiveness }: CompressionSettings): string {
  return mode === 'uniform' ? `uniform-${aggressiveness ?? 'minimal'}` : `tiered-${tierPreset ?? 'standard'}`;
}

function modeOf({
  mode,
  compactionRatio,
  aggressiveness,
  tierPreset,
  customTiers,
}: CompressionRequest): CompressionSettings['mode'] {
  if (mode !== undefined) return mode;
  if (tierPreset !== undefined || customTiers !== undefined) return 'tiered';
  return compactionRatio !== undefined || aggressiveness !== undefined ? 'uniform' : 'tiered';
}

function uniform(
  { compactionRatio, aggressiveness }: CompressionRequest,
  { reductions }: SettingDefaults,
): Pick<CompressionSettings, 'mode' | 'compactionRatio' | 'aggressiveness'> {
  const level = aggressiveness ?? 'moderate';
  const ratio = compactionRatio ?? ratioOf(reductions, level) ?? usualRatios[level];
  checkRatio(ratio);
  return { mode: 'uniform', compactionRatio: ratio, aggressiveness: aggressiveness ?? aggressivenessForRatio(ratio) };
}

const levelOf = { gentle: 'minimal', standard: 'moderate', aggressive: 'aggressive' } as const;
const nameOfLevel = { minimal: 'light', moderate: 'moderate', aggressive: 'aggressive' } as const;

/** Of a level for which somebody has set how much it takes away. */
function ratioOf(reductions: SettingDefaults['reductions'], level: Aggressiveness): number | undefined {
  const percent = reductions?.[nameOfLevel[level]] ?? undefined;
  return percent === undefined ? undefined : Math.round(10_000 / (100 - percent)) / 100;
}

function tiered(
  { mode, tierPreset, customTiers, isLevel = mode === undefined && tierPreset === undefined }: CompressionRequest,
  { project, reductions }: SettingDefaults,
): Pick<CompressionSettings, 'mode' | 'tierPreset' | 'customTiers' | 'compactionRatio' | 'aggressiveness'> {
  const preset = tierPreset ?? (customTiers === undefined ? presetNamed(project.defaultCompressionPreset) : 'custom');
  if (preset !== 'custom') {
    const aggressiveness = levelOf[preset];
    const compactionRatio = isLevel ? ratioOf(reductions, aggressiveness) : undefined;
    if (compactionRatio === undefined) return { mode: 'tiered', tierPreset: preset };
    return { mode: 'uniform', compactionRatio, aggressiveness };
  }
  checkTiers(customTiers ?? []);
  return { mode: 'tiered', tierPreset: 'custom', customTiers: [...(customTiers ?? [])] };
}

/** A project's preset, with `tiered-` before it or not; one that is not known is taken for the standard one. */
function presetNamed(name: string): Exclude<TierPreset, 'custom'> {
  const preset = tierPresetSchema.safeParse(name.toLowerCase().replace(/^tiered-/, ''));
  return preset.success && preset.data !== 'custom' ? preset.data : 'standard';
}

function checkRatio(ratio: number): void {
  if (!(ratio >= 1 && ratio <= MAX_RATIO)) throw new CompressionError('bad-ratio', String(ratio));
}

function checkTiers(tiers: readonly TierConfig[]): void {
  if (tiers.length === 0) throw new CompressionError('bad-tiers', 'there are none');
  let before = 0;
  for (const [index, tier] of tiers.entries()) {
    const name = `tier ${index + 1}`;
    if (!tierConfigSchema.safeParse(tier).success || tier.compactionRatio > MAX_RATIO) {
      throw new CompressionError('bad-tiers', `${name} has a figure that is not allowed`);
    }
    if (tier.endPercent <= before) {
      throw new CompressionError(
        'bad-tiers',
        `${name} ends at ${tier.endPercent} %, and the one before it at ${before} %`,
      );
    }
    before = tier.endPercent;
  }
  if (before !== 100) throw new CompressionError('bad-tiers', `the last one ends at ${before} %, not at 100 %`);
}
