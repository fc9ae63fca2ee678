/** The marker for a weight: `##keepit0.80##`. */
export function markerText(weight: number): string {
  return `##keepit${weight.toFixed(2)}##`;
}
