import { keywordKey, keywordsOf } from '../../material/keywords';
import type { DatedPoint } from './evolution';

/** Points about one thing. */
export interface Theme {
  readonly name: string;
  readonly points: readonly DatedPoint[];
}

/** With fewer points there is nothing to sort. */
const LEAST_POINTS = 6;
const LEAST_IN_THEME = 2;
const MOST_THEMES = 8;
/** What so large a share of all points speaks of is what the project is about, and no theme of it. */
const MOST_SHARE = 0.5;
const OTHER = 'Other';

interface Candidate {
  readonly name: string;
  readonly points: Set<DatedPoint>;
}

/** Sorts points by what they speak of. The largest themes first, what is alone at the end. The same points give the same themes. */
export function themesOf(points: readonly DatedPoint[]): Theme[] {
  if (points.length < LEAST_POINTS) return points.length === 0 ? [] : [{ name: '', points }];
  const candidates = candidatesIn(points);
  const left = new Set(points);
  const themes: Theme[] = [];
  while (themes.length < MOST_THEMES) {
    const best = largest(candidates, left, points.length * MOST_SHARE);
    if (best === undefined) break;
    themes.push({ name: best.name, points: points.filter((point) => left.has(point) && best.points.has(point)) });
    for (const point of best.points) left.delete(point);
  }
  if (themes.length === 0) return [{ name: '', points }];
  const rest = points.filter((point) => left.has(point));
  return rest.length === 0 ? themes : [...themes, { name: OTHER, points: rest }];
}

function candidatesIn(points: readonly DatedPoint[]): Candidate[] {
  const byKey = new Map<string, Candidate>();
  for (const point of points) {
    for (const word of keywordsOf(point.text, '')) {
      const key = keywordKey(word);
      const known = byKey.get(key) ?? { name: titled(word), points: new Set() };
      known.points.add(point);
      byKey.set(key, known);
    }
  }
  return [...byKey.values()].filter((one) => one.points.size >= LEAST_IN_THEME);
}

function largest(candidates: readonly Candidate[], left: ReadonlySet<DatedPoint>, most: number): Candidate | undefined {
  let best: Candidate | undefined;
  let bestSize = LEAST_IN_THEME - 1;
  for (const candidate of candidates) {
    const size = [...candidate.points].filter((point) => left.has(point)).length;
    if (size > bestSize && size <= most) [best, bestSize] = [candidate, size];
  }
  return best;
}

/** Words become titles; names stay as they are. */
function titled(word: string): string {
  return /^\p{Ll}+$/u.test(word) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
