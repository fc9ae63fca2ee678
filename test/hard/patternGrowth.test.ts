import assert from 'node:assert/strict';
import { randomFor, sampled } from './support/effort';
import { excessOf, timeOf, type Excess } from './support/growth';
import { productPatterns, type ProductPattern } from './support/productPatterns';
import { attacksOn, textOf, type Attack } from './support/regexAttacks';

/** The small ones find exponential time before it takes hours. */
const SMALL = [12, 18, 27, 48, 195, 781, 3125, 12_500];
const LARGE = [12_500, 50_000, 200_000] as const;
/** So many of the texts that took longest at the largest of the small sizes are tried at the large ones. */
const WORST = 3;

/** Looks for it wherever it may stand, as code does that goes through a text. */
function usesOf(pattern: RegExp): (text: string) => unknown {
  const { source, flags } = pattern;
  if (!flags.includes('y')) {
    const everywhere = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
    return (text) => text.replace(everywhere, '');
  }
  const here = new RegExp(source, flags);
  return (text) => {
    for (let at = 0; at < text.length;) {
      here.lastIndex = at;
      at += Math.max(1, here.exec(text)?.[0].length ?? 0);
    }
  };
}

/** The first text, of all that are made for a pattern, with which its time grows more than the text. */
function problemOf({ pattern, place }: ProductPattern): string | undefined {
  const use = usesOf(pattern);
  const workOf = (attack: Attack) => (size: number) => {
    const text = textOf(attack, size);
    return () => use(text);
  };
  const timed: { readonly attack: Attack; readonly ms: number }[] = [];
  for (const attack of attacksOn(pattern, randomFor(String(pattern)))) {
    const work = workOf(attack);
    const excess = excessOf(work, SMALL);
    if (excess !== undefined) return messageOf(attack, excess);
    timed.push({ attack, ms: timeOf(work(LARGE[0])) });
  }
  for (const { attack } of timed.sort((a, b) => b.ms - a.ms).slice(0, WORST)) {
    const excess = excessOf(workOf(attack), LARGE);
    if (excess !== undefined) return messageOf(attack, excess);
  }
  return undefined;

  function messageOf(attack: Attack, excess: Excess): string {
    return `${String(pattern)} in ${place} with ${JSON.stringify(attack)}: ${JSON.stringify(excess)}`;
  }
}

describe('every pattern takes a time that grows with the text, however bad that is', function () {
  this.timeout(1_200_000);

  it('for what it nearly matches, at 200,000 characters', async () => {
    const patterns = await productPatterns();
    assert.ok(patterns.length > 1000, String(patterns.length));
    const problems = sampled(patterns, 100, randomFor('patterns'))
      .map(problemOf)
      .filter((problem) => problem !== undefined);
    assert.deepEqual(problems, []);
  });
});
