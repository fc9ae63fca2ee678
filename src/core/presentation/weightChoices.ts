import { parseWeight, weightName, weightPresets } from '../keepits/weights';
import type { DecayContext } from '../sessions/results';
import { decayLine, outcomeIcons, presetTitle, weightLabel } from './keepitOutlook';

/** One line of the list that a weight is chosen from. */
export interface WeightChoice {
  readonly label: string;
  readonly description: string;
  /** What becomes of such a keepit, or what is wrong with what was typed. */
  readonly detail: string;
  /** Absent where nothing can be chosen: what was typed is no weight. */
  readonly weight?: number;
}

const NO_DECAY = `$(${outcomeIcons.survives}) survives everything: decay is off in this project`;

/**
 * What is offered while somebody types a weight: what was typed, if it is one, else what is wrong with it; then the presets.
 * Each with its decay preview, so that the preview follows every keystroke.
 */
export function weightChoices(
  typed: string,
  current: number | undefined,
  context: Pick<DecayContext, 'config' | 'isDecayOn'>,
): WeightChoice[] {
  const fateOf = (weight: number): string => (context.isDecayOn ? decayLine(weight, context.config) : NO_DECAY);
  const presets = weightPresets.map(({ name, weight }) => ({
    label: presetTitle(name),
    description: joined(weight.toFixed(2), weight === current ? 'now' : ''),
    detail: fateOf(weight),
    weight,
  }));
  const exactly = (weight: number): WeightChoice => ({ ...own(weight, current), detail: fateOf(weight), weight });
  const text = typed.trim();
  if (text === '') {
    const isPreset = current === undefined || presets.some(({ weight }) => weight === current);
    return isPreset ? presets : [exactly(current), ...presets];
  }
  const parsed = parseWeight(text);
  if ('weight' in parsed) {
    const { weight } = parsed;
    return [exactly(weight), ...presets.filter((preset) => preset.weight !== weight)];
  }
  const begun = presets.filter(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()));
  if (begun.length > 0) return begun;
  return [{ label: `$(error) ${text}`, description: 'is no weight', detail: parsed.problem }, ...presets];
}

function own(weight: number, current: number | undefined): { label: string; description: string } {
  const preset = weightPresets.find((candidate) => candidate.weight === weight);
  const label = preset === undefined ? weightLabel(weight) : presetTitle(weightName(weight));
  return { label, description: joined(preset === undefined ? '' : weight.toFixed(2), weight === current ? 'now' : '') };
}

function joined(...parts: string[]): string {
  return parts.filter(Boolean).join(' · ');
}
