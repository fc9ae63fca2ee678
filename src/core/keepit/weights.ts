/** The weights that have a name (DESIGN section 5), heaviest first. */
export const WEIGHT_PRESETS = [
  { name: 'Pinned', weight: 1 },
  { name: 'Critical', weight: 0.9 },
  { name: 'Important', weight: 0.75 },
  { name: 'Notable', weight: 0.5 },
  { name: 'Minor', weight: 0.25 },
  { name: 'Hint', weight: 0.1 },
] as const;

/** A weight as a marker spells it: `0.80`. */
export function formatWeight(weight: number): string {
  return weight.toFixed(2);
}

/** The marker for a weight: `##keepit0.80##`. */
export function markerText(weight: number): string {
  return `##keepit${formatWeight(weight)}##`;
}
