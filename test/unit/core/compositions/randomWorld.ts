import fc from 'fast-check';
import { compositionStrategySchema } from '../../../../src/core/model/composition';
import { CompositionWorld, words } from './compositionWorld';

const block = fc.record({
  text: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    fc.nat(400).map((count) => words('x', count)),
    fc.constantFrom(
      '```js\nlet open',
      '##keepit0.50## a marker',
      '# 🎉 heading',
      '- 字 list\n- item',
      '~~~',
      '[redacted] <private>no',
    ),
  ),
  role: fc.constantFrom('user' as const, 'assistant' as const),
  kind: fc.constantFrom('heading' as const, 'note' as const),
  sources: fc.uniqueArray(fc.constantFrom('m1', 'm2', 'm3', 'm4'), { maxLength: 2 }),
});
const version = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
  fidelity: fc.nat(100).map((hundredths) => hundredths / 100),
  // What a record claims may be wrong: another tool wrote it, or a file was changed by hand.
  outputTokens: fc.option(fc.nat(2000), { nil: undefined }),
  part: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
});
/** Sessions with versions, also such as repeat each other, are empty, or are larger or smaller than their records say. */
export const randomSessions = fc.array(
  fc.record({
    versions: fc.array(version, { maxLength: 4 }),
    keepits: fc.array(
      fc.record({ weight: fc.constantFrom(1, 0.8, 0.3), content: fc.stringMatching(/^[a-zA-Z][a-z ]{0,60}[a-z]$/) }),
      { maxLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);
/** What is asked of them. */
export const randomRequest = fc.record({
  totalTokenBudget: fc.integer({ min: 1, max: 3000 }),
  strategy: fc.constantFrom(...compositionStrategySchema.options),
  outputFormat: fc.constantFrom('markdown' as const, 'jsonl' as const, 'both' as const),
});

/** The sessions in memory. */
export function worldOf(specs: typeof randomSessions extends fc.Arbitrary<infer T> ? T : never): CompositionWorld {
  return new CompositionWorld().add(
    ...specs.map(({ versions, keepits }, at) => ({
      id: `session${at}`,
      day: at + 1,
      keepits,
      versions: versions.map(({ part, outputTokens, ...rest }, index) => ({
        id: part === undefined ? `v00${index}` : `part${part}_v00${index}`,
        ...rest,
        ...(part !== undefined && { part, range: [(part - 1) * 30, part * 30 - 1] as [number, number] }),
        ...(outputTokens !== undefined && { outputTokens }),
      })),
    })),
  );
}
