import type { DecayOutcome } from '../keepits/decay';
import type { EffectiveKeepit, KeepitState } from '../keepits/effectiveKeepits';
import { joinParts } from '../text/formats';

/** How keepits are spoken of: lists, lenses, hovers and dialogs use the same words. */

const STATES: Record<KeepitState, string> = {
  live: '',
  removed: 'removed',
  abandoned: 'left behind by a rewind',
  orphaned: 'its words are gone from the transcript',
};

/** What is unusual about a keepit: `added by hand · was 0.50`; empty for one that is as its marker says. */
export function keepitNote({ state, origin, overridden, weight }: EffectiveKeepit): string {
  return joinParts([
    STATES[state],
    origin === 'overlay' ? 'added by hand' : '',
    overridden ? `was ${weight.toFixed(2)}` : '',
  ]);
}

const OUTCOMES: Record<DecayOutcome, string> = {
  survives: 'survives',
  barely: 'barely survives',
  fades: 'summarized',
};

/** What becomes of a keepit, in the words of seed 000, 6.3. */
export function outcomeText(outcome: DecayOutcome): string {
  return OUTCOMES[outcome];
}

/** `survives to distance 7 at 30:1`. */
export function reachText(reach: number | 'any', ratio: number): string {
  if (reach === 'any') return `survives at any distance at ${ratio}:1`;
  return reach === 0 ? `summarized at any distance at ${ratio}:1` : `survives to distance ${reach} at ${ratio}:1`;
}
