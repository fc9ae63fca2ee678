import { html, nothing, type TemplateResult } from 'lit';
import { tierPresets } from '../../src/core/versions/compressionSettings';
import { RATIO_SLIDER, scopeChoices, scopeKey, type FormProblems } from '../../src/core/versions/view/compressionForm';
import {
  MAX_RATIO,
  type CompressionData,
  type CompressionForm,
  type ProviderChoice,
} from '../../src/core/versions/view/compressionProtocol';
import type { Formats } from '../../src/core/text/formats';
import { moneyText } from '../../src/core/versions/view/versionTexts';
import { dropdown, numberField } from '../components/fields';
import { slider } from '../components/slider';
import { button, checkbox, radioGroup } from '../components/toolkit';
import { aggressivenessOptions, tierEditor, tierTable } from './tierTable';
import { aggressivenessForRatio } from '../../src/core/keepits/decay';

export interface CompressionFormProps {
  readonly data: CompressionData;
  readonly form: CompressionForm;
  readonly problems: FormProblems;
  readonly formats: Formats;
  readonly onChange: (form: CompressionForm) => void;
}

const modes = [
  { value: 'tiered', label: 'Tiered: harder the older' },
  { value: 'uniform', label: 'Uniform' },
] as const;

const presets = [
  { value: 'gentle', label: 'Light (gentle)' },
  { value: 'standard', label: 'Moderate (standard)' },
  { value: 'aggressive', label: 'Aggressive' },
  { value: 'custom', label: 'Custom' },
] as const;

const keepitModes = [
  { value: 'decay', label: 'Apply the decay model' },
  { value: 'preserve-all', label: 'Preserve all' },
  { value: 'ignore', label: 'Ignore, but for pinned ones' },
] as const;

const providerLabels: Record<ProviderChoice['name'], string> = {
  local: 'Built-in: offline, free, the same every time',
  anthropic: 'Claude, by API key',
  'claude-cli': 'Claude, by the claude command',
  'vscode-lm': 'A language model of VS Code',
};

/** The settings of a compression. Every change makes another form; nothing is done with it here. */
export function compressionForm(props: CompressionFormProps): TemplateResult {
  const { data, form, problems, formats, onChange } = props;
  const choices = scopeChoices(data, formats);
  return html`<form aria-label="Settings of the compression" @submit=${ignore}>
    ${dropdown({
      id: 'scope',
      label: 'Compress',
      options: choices.map(({ key, label, detail }) => ({ value: key, label: `${label}: ${detail}` })),
      value: scopeKey(form.scope),
      problem: problems.scope,
      onChange: (key) => {
        const chosen = choices.find((choice) => choice.key === key);
        if (chosen !== undefined) onChange({ ...form, scope: chosen.scope });
      },
    })}
    ${radioGroup({
      label: 'Mode',
      options: modes,
      value: form.mode,
      onChange: (mode) => onChange({ ...form, mode }),
    })}
    ${form.mode === 'uniform' ? uniformFields(props) : tieredFields(props)} ${keepitFields(props)}
    ${providerFields(props)}
    ${numberField({
      id: 'skip-first',
      label: 'Leave out the first messages',
      value: form.skipFirst,
      min: 0,
      problem: problems.skipFirst,
      onInput: (skipFirst) => onChange({ ...form, skipFirst }),
    })}
  </form>`;
}

function uniformFields({ form, onChange }: CompressionFormProps): TemplateResult {
  const { ratio } = form;
  const hint =
    form.aggressiveness === undefined ? `At ${ratio}:1 that is ${aggressivenessForRatio(ratio)}.` : undefined;
  return html`<fieldset>
    <legend>Uniform</legend>
    ${slider({
      id: 'ratio',
      label: 'Ratio',
      value: ratio,
      ...RATIO_SLIDER,
      most: MAX_RATIO,
      unit: ':1',
      spoken: `${ratio} to 1`,
      onInput: (value) => onChange({ ...form, ratio: value }),
    })}
    ${dropdown({
      id: 'aggressiveness',
      label: 'Aggressiveness',
      options: [{ value: 'byRatio', label: 'By ratio' } as const, ...aggressivenessOptions],
      value: form.aggressiveness ?? 'byRatio',
      hint,
      onChange: (value) => {
        const { aggressiveness: _before, ...rest } = form;
        onChange(value === 'byRatio' ? rest : { ...rest, aggressiveness: value });
      },
    })}
  </fieldset>`;
}

function tieredFields({ form, problems, onChange }: CompressionFormProps): TemplateResult {
  const { preset } = form;
  return html`<fieldset>
    <legend>Tiers</legend>
    ${dropdown({
      id: 'preset',
      label: 'Preset',
      options: presets,
      value: preset,
      onChange: (value) => onChange({ ...form, preset: value }),
    })}
    ${
      preset === 'custom'
        ? tierEditor({ tiers: form.tiers, problems, onChange: (tiers) => onChange({ ...form, tiers }) })
        : html`${tierTable(tierPresets[preset])}
          ${button('Edit as Custom', () => onChange({ ...form, preset: 'custom', tiers: [...tierPresets[preset]] }))}`
    }
  </fieldset>`;
}

function keepitFields({ data, form, onChange }: CompressionFormProps): TemplateResult {
  const { distance: _distance, ...withoutDistance } = form;
  const { distance } = form;
  const own = Math.min(data.distance, data.maxDistance);
  return html`<fieldset>
    <legend>Keepits</legend>
    ${radioGroup({
      label: 'Handling',
      options: keepitModes,
      value: form.keepitMode,
      onChange: (keepitMode) => onChange({ ...form, keepitMode }),
    })}
    ${
      form.keepitMode === 'decay'
        ? html`${checkbox({
            label: `The session’s own distance (${data.distance})`,
            isChecked: distance === undefined,
            onChange: (isOwn) => onChange(isOwn ? withoutDistance : { ...form, distance: own }),
          })}
          ${
            distance === undefined
              ? nothing
              : slider({
                  id: 'distance',
                  label: 'Distance',
                  value: distance,
                  min: 1,
                  max: data.maxDistance,
                  spoken: `${distance} ${distance === 1 ? 'session' : 'sessions'} ago`,
                  onInput: (value) => onChange({ ...form, distance: value }),
                })
          }`
        : nothing
    }
  </fieldset>`;
}

function providerFields({ data, form, problems, onChange }: CompressionFormProps): TemplateResult {
  const modelsOf = (provider: ProviderChoice['name']): ProviderChoice['models'] =>
    data.providers.find(({ name }) => name === provider)?.models ?? [];
  const models = modelsOf(form.provider);
  return html`<fieldset>
    <legend>Written by</legend>
    ${dropdown({
      id: 'provider',
      label: 'Summarizer',
      options: data.providers.map(({ name }) => ({ value: name, label: providerLabels[name] })),
      value: form.provider,
      problem: problems.provider,
      onChange: (provider) => onChange({ ...form, provider, model: modelsOf(provider)[0]?.id ?? '' }),
    })}
    ${
      form.provider === 'local' || models.length === 0
        ? nothing
        : dropdown({
            id: 'model',
            label: 'Model',
            options: models.map(({ id, label }) => ({ value: id, label })),
            value: models.some(({ id }) => id === form.model) ? form.model : (models[0]?.id ?? ''),
            onChange: (model) => onChange({ ...form, model }),
          })
    }
    ${
      form.provider === 'local' || form.provider === 'vscode-lm'
        ? nothing
        : numberField({
            id: 'max-cost',
            label: `Costs at most (empty: ${moneyText(data.runCapUsd) || 'nothing'})`,
            value: form.maxCostUsd,
            min: 0,
            step: 0.1,
            unit: 'US$',
            problem: problems.maxCostUsd,
            onInput: (maxCostUsd) => onChange({ ...form, maxCostUsd }),
          })
    }
  </fieldset>`;
}

/** Return in a field would reload the view. */
function ignore(event: Event): void {
  event.preventDefault();
}
