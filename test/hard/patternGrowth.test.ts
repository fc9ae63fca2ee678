import assert from 'node:assert/strict';
import { randomFor, sampled } from './support/effort';
import { excessOf } from './support/growth';
import { productPatterns, type ProductPattern } from './support/productPatterns';
import { attacksOn, textOf, type Attack } from './support/regexAttacks';

/** The small ones find exponential time before it takes hours. */
const SIZES = [12, 18, 27, 48, 195, 781, 3125, 12_500, 50_000, 200_000];

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

function problemOf({ pattern, place }: ProductPattern, attack: Attack): string | undefined {
  const use = usesOf(pattern);
  const excess = excessOf((size) => {
    const text = textOf(attack, size);
    return () => use(text);
  }, SIZES);
  return excess && `${String(pattern)} in ${place} with ${JSON.stringify(attack)}: ${JSON.stringify(excess)}`;
}

describe('every pattern takes a time that grows with the text, however bad that is', function () {
  this.timeout(1_200_000);

  it('for what it nearly matches, at 200,000 characters', async () => {
    const patterns = await productPatterns();
    assert.ok(patterns.length > 600, String(patterns.length));
    const problems: string[] = [];
    for (const one of sampled(patterns, 60, randomFor('patterns'))) {
      for (const attack of sampled(attacksOn(one.pattern, randomFor(String(one.pattern))), 40, randomFor('attacks'))) {
        const problem = problemOf(one, attack);
        if (problem === undefined) continue;
        problems.push(problem);console.error(problem);
        break;
      }
    }
    assert.deepEqual(problems, []);
  });
});
