import {
  isPinned,
  judgeSurvival,
  levelForRatio,
  survivalReach,
  type DecayOutcome,
  type DecaySettings,
  sessionDistance,
  type DistanceFacts,
} from '../../keepits/decay';
import { weightName, type WeightPreset } from '../../keepits/weights';
import type { DecayContext } from '../results';

/** How each outcome is said and shown: by words and shape first, colour comes on top. */
export const outcomeWords: Record<DecayOutcome, string> = {
  survives: 'survives',
  barely: 'barely survives',
  fades: 'fades',
};

/** Icons by their names in the editor's own set. */
export const outcomeIcons: Record<DecayOutcome, string> = {
  survives: 'pass',
  barely: 'warning',
  fades: 'circle-slash',
};

/** What would become of a keepit. */
export interface Outlook {
  readonly outcome: DecayOutcome;
  /** `survives to distance 7 at 25:1`: how far it reaches, without regard to where its session is now. */
  readonly reach: string;
  /** `now at distance 2, 25:1 aggressive: 0.80 ≥ 0.55`. */
  readonly now: string;
}

/** `0.80 important`. */
export function weightLabel(weight: number): string {
  return `${weight.toFixed(2)} ${weightName(weight)}`;
}

/** `Important`. */
export function presetTitle(name: WeightPreset['name']): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What would become of a keepit of this weight at the project's usual settings, its session being so many sessions ago. */
export function outlookOf(weight: number, context: DecayContext, distance: number): Outlook {
  const { config, usual, isDecayOn } = context;
  if (!isDecayOn)
    return { outcome: 'survives', reach: 'never fades: decay is off', now: 'decay is off in this project' };
  if (isPinned(weight, config))
    return { outcome: 'survives', reach: 'never fades', now: 'pinned: survives everything' };
  const { outcome, reason } = judgeSurvival(weight, { ...usual, distance }, config);
  const at = `${usual.ratio}:1`;
  const reach = survivalReach(weight, usual, config);
  const far = reach === 'any' ? `survives at any distance at ${at}` : `survives to distance ${reach} at ${at}`;
  return {
    outcome,
    reach: reach === 0 ? `fades at ${at}` : far,
    now: `now at distance ${distance}, ${at} ${usual.level}: ${reason}`,
  };
}

/** The distance that a session of the project has, in memory or not. */
export function distanceIn(session: DistanceFacts, { inMemory, config }: DecayContext): number {
  const known = inMemory.find(({ sessionId }) => sessionId === session.sessionId);
  return sessionDistance(known ?? session, inMemory, { rehearsal: config.rehearsal });
}

/** One line of the decay preview. */
interface PreviewRow {
  readonly settings: DecaySettings;
  readonly outcome: DecayOutcome;
  /** `distance 5 at 30:1`. */
  readonly where: string;
}

/** Seed 000, 6.3: the settings that a keepit's preview shows. */
const PREVIEWED: readonly { distance: number; ratio: number }[] = [
  { distance: 1, ratio: 30 },
  { distance: 5, ratio: 30 },
  { distance: 10, ratio: 30 },
  { distance: 10, ratio: 50 },
];

/** What becomes of a weight at four distances and ratios, lightest first. */
export function decayRows(weight: number, config: DecayContext['config']): PreviewRow[] {
  return PREVIEWED.map(({ distance, ratio }) => {
    const settings = { distance, ratio, level: levelForRatio(ratio) };
    const { outcome } = judgeSurvival(weight, settings, config);
    return { settings, outcome, where: `distance ${distance} at ${ratio}:1` };
  });
}

/** The rows in one line, short enough for a list: `$(pass) survives at distance 1, 5 (30:1)   $(circle-slash) fades at 10 (50:1)`. */
export function decayLine(weight: number, config: DecayContext['config']): string {
  const groups: { outcome: DecayOutcome; places: { ratio: number; distances: number[] }[] }[] = [];
  for (const { outcome, settings } of decayRows(weight, config)) {
    let group = groups.at(-1);
    if (group?.outcome !== outcome) groups.push((group = { outcome, places: [] }));
    const place = group.places.at(-1);
    if (place?.ratio === settings.ratio) place.distances.push(settings.distance);
    else group.places.push({ ratio: settings.ratio, distances: [settings.distance] });
  }
  return groups
    .map(({ outcome, places }, index) => {
      const where = places.map(({ ratio, distances }) => `${distances.join(', ')} (${ratio}:1)`).join(' and ');
      const word = outcome === 'barely' ? outcome : outcomeWords[outcome];
      return `$(${outcomeIcons[outcome]}) ${word} at ${index === 0 ? 'distance ' : ''}${where}`;
    })
    .join('   ');
}
