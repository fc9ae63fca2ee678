import { NEGATION, wordsOf } from '../../text/words';
import { keywordsOf } from '../../material/keywords';
import { keywordKey } from '../../text/words';
import { readStatement, replaces } from '../../material/replacing';
import type { PointLabel } from './noteDocument';
import { pushTo } from '../../text/ownValue';

/** A point with the summary that it comes from. */
export interface DatedPoint {
  readonly key: string;
  readonly label: PointLabel;
  readonly text: string;
  /** `2026-01-15`. */
  readonly date: string;
  /** Which summary, by age; the oldest is 0. */
  readonly order: number;
}

/** How something changed over time. */
export interface Evolution {
  /** What was said before, oldest first. */
  readonly before: readonly DatedPoint[];
  readonly now: DatedPoint;
}

interface Evolved {
  /** What still holds. */
  readonly current: readonly DatedPoint[];
  readonly changes: readonly Evolution[];
}

/** Two subjects are the same from this share of common words on. */
const SAME_SUBJECT = 0.6;
const LEAST_SHARED = 3;
const CLOSING: ReadonlySet<PointLabel> = new Set(['Decision', 'Fixed', 'Status', 'Done', 'Discovery']);

/** Finds which decisions and rules a later one has taken the place of. `points` are in the order of time. */
export function evolve(points: readonly DatedPoint[]): Evolved {
  const read = points.map((point) => ({ point, reading: readStatement(point.text) }));
  const successor = new Map<DatedPoint, DatedPoint>();
  for (const [at, earlier] of read.entries()) {
    const later = read
      .slice(at + 1)
      .find((one) => one.point.order > earlier.point.order && replaces(one.reading, earlier.reading));
    if (later !== undefined) successor.set(earlier.point, later.point);
  }
  const chains = new Map<DatedPoint, DatedPoint[]>();
  for (const before of successor.keys()) {
    let now = before;
    for (let next = successor.get(now); next !== undefined; next = successor.get(now)) now = next;
    pushTo(chains, now, before);
  }
  return {
    current: points.filter((point) => !successor.has(point)),
    changes: [...chains].map(([now, before]) => ({ now, before })).sort((a, b) => a.now.order - b.now.order),
  };
}

/** Parts questions and open items into those that are still open, and those on which a later summary has the answer. */
export function settle(open: readonly DatedPoint[], later: readonly DatedPoint[]): Evolved {
  const answers = later
    .filter(({ label }) => CLOSING.has(label))
    .map((point) => ({ point, stems: stemsOf(point.text) }));
  const changes: Evolution[] = [];
  const current = open.filter((point) => {
    const stems = stemsOf(point.text);
    const answer = answers.find((one) => one.point.order > point.order && isAbout(one.stems, stems));
    if (answer !== undefined) changes.push({ before: [point], now: answer.point });
    return answer === undefined;
  });
  return { current, changes };
}

function isAbout(stems: ReadonlySet<string>, question: ReadonlySet<string>): boolean {
  const shared = [...question].filter((stem) => stems.has(stem)).length;
  return shared >= LEAST_SHARED && shared / question.size >= SAME_SUBJECT;
}

function stemsOf(text: string): Set<string> {
  return new Set(wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 && stem !== NEGATION ? [stem] : [])));
}

/** Points about one thing. */
interface Theme {
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
