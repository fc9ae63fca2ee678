import { tierPresets } from '../compressionSettings';
import type { ProjectSettings } from '../../model/manifest';

/** A value that a setting of a project can have. */
export interface SettingChoice {
  /** As `config set` takes it. */
  readonly value: string;
  readonly label: string;
  /** What it means. */
  readonly detail: string;
}

/** A setting of a project, as it is. */
export interface SettingRow {
  /** As `config set` takes it. */
  readonly key: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly SettingChoice[];
}

const presets = ['gentle', 'standard', 'aggressive'] as const;

/** What a project decides for itself, for a list to choose from. A value that another tool has written is a choice, too. */
export function projectSettingRows(settings: ProjectSettings): SettingRow[] {
  const preset = settings.defaultCompressionPreset;
  const known = presets.map(presetChoice);
  const isKnown = known.some(({ value }) => value === preset);
  return [
    {
      key: 'project.defaultCompressionPreset',
      label: 'Compression, where nothing else is said',
      value: preset,
      choices: isKnown ? known : [...known, { value: preset, label: preset, detail: 'As another tool has set it' }],
    },
    {
      key: 'project.autoRegisterNewSessions',
      label: 'New sessions are kept by themselves',
      ...onOff(settings.autoRegisterNewSessions, {
        on: 'New sessions are added to memory as soon as they rest, and what is new in them is brought in',
        off: 'Sessions are added to memory by you',
      }),
    },
    {
      key: 'project.keepitDecayEnabled',
      label: 'Keepits fade',
      ...onOff(settings.keepitDecayEnabled, {
        on: 'The lighter one is, and the older its session, the sooner it gives way; weight 1.00 never does',
        off: 'Every keepit stays in every version, unless a compression is told otherwise',
      }),
    },
    {
      key: 'project.autoDecay.enabled',
      label: 'Versions come and go with the age of sessions',
      ...onOff(settings.autoDecay.enabled, {
        on: agingText(settings.autoDecay.rules),
        off: 'Versions are made and deleted by you',
      }),
    },
  ];
}

/** The choice that a setting is at. */
export function currentChoice({ choices, value }: SettingRow): SettingChoice | undefined {
  return choices.find((choice) => choice.value === value);
}

const presetLabels = { gentle: 'Light', standard: 'Moderate', aggressive: 'Aggressive' } as const;

function presetChoice(preset: (typeof presets)[number]): SettingChoice {
  const tiers = tierPresets[preset];
  const [oldest, newest] = [tiers[0], tiers.at(-1)].map((tier) => tier?.compactionRatio ?? 1);
  return {
    value: preset,
    label: presetLabels[preset],
    detail: `Tiered ${preset}: from ${oldest}:1 for the oldest messages to ${newest}:1 for the newest`,
  };
}

function agingText({
  createAfterDays,
  createPreset,
  aggressiveAfterDays,
  aggressivePreset,
  pruneIntermediateAfterDays,
}: ProjectSettings['autoDecay']['rules']): string {
  const first = `${presetLabels[createPreset]} after ${createAfterDays} days`;
  const then = `${presetLabels[aggressivePreset].toLowerCase()} after ${aggressiveAfterDays}`;
  return `${first}, ${then}; what came between goes to the trash after ${pruneIntermediateAfterDays}. No model is asked`;
}

function onOff(isOn: boolean, says: { on: string; off: string }): Pick<SettingRow, 'value' | 'choices'> {
  return {
    value: String(isOn),
    choices: [
      { value: 'true', label: 'On', detail: says.on },
      { value: 'false', label: 'Off', detail: says.off },
    ],
  };
}
