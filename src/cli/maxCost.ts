import type { CommandInput } from './commandInput';

/** What `--max-cost` allows, in USD; undefined when nobody has said. */
export function maxCostOf(input: CommandInput): number | undefined {
  const cost = input.text('max-cost');
  if (cost !== undefined && !/^\$?\d{1,6}(?:\.\d{1,6})?$/.test(cost)) {
    throw input.wrong(`--max-cost takes an amount in USD such as 0.50, not ${JSON.stringify(cost)}.`);
  }
  return cost === undefined ? undefined : Number(cost.replace('$', ''));
}
