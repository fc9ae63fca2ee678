/** A weight that has a name. */
export interface WeightPreset {
  readonly name: 'pinned' | 'critical' | 'important' | 'notable' | 'minor' | 'hint';
  readonly weight: number;
}

/** DESIGN section 5, heaviest first. */
export const weightPresets: readonly WeightPreset[] = [
  { name: 'pinned', weight: 1 },
  { name: 'critical', weight: 0.9 },
  { name: 'important', weight: 0.75 },
  { name: 'notable', weight: 0.5 },
  { name: 'minor', weight: 0.25 },
  { name: 'hint', weight: 0.1 },
];

/**
 * What a weight is called: the highest preset that it reaches, and a hint below all of them. Reached, not nearest:
 * 0.99 decays, so it must not be called pinned.
 */
export function weightName(weight: number): WeightPreset['name'] {
  return weightPresets.find((preset) => weight >= preset.weight - 1e-9)?.name ?? 'hint';
}

/** The marker for a weight: `##keepit0.80##`. */
export function markerText(weight: number): string {
  return `##keepit${weight.toFixed(2)}##`;
}

/** A weight that a person wrote, or why it is none, in words for that person. */
type ParsedWeight = { readonly weight: number } | { readonly problem: string };

const NUMBER = /^(\d{1,9}(?:[.,]\d{0,9})?|[.,]\d{1,9})\s?(%?)$/;

/**
 * Reads a weight as people write it: a preset's name, a number from 0 to 1 (`0.8`, `.8`, `0,80`) or a percentage. Nothing
 * is clamped or rounded: what does not have two decimals is a problem. The weight has two decimals exactly.
 */
export function parseWeight(text: string): ParsedWeight {
  const trimmed = text.trim();
  const preset = weightPresets.find(({ name }) => name === trimmed.toLowerCase());
  if (preset !== undefined) return { weight: preset.weight };
  const [, digits, percent] = NUMBER.exec(trimmed) ?? [];
  if (digits === undefined) {
    const names = weightPresets.map(({ name }) => name).join(', ');
    return { problem: `A weight is a number from 0.00 to 1.00, a percentage, or one of ${names}.` };
  }
  const value = Number.parseFloat(digits.replace(',', '.'));
  const hundredths = percent === '' ? value * 100 : value;
  if (hundredths > 100) return { problem: 'A weight lies between 0.00 and 1.00.' };
  if (Math.abs(hundredths - Math.round(hundredths)) > 1e-6) return { problem: 'A weight has at most two decimals.' };
  return { weight: Math.round(hundredths) / 100 };
}

/** Whether a number can be a marker's weight: from 0 to 1, with two decimals. */
export function isWeight(value: number): boolean {
  return value >= 0 && value <= 1 && Math.round(value * 100) / 100 === value;
}
