import * as z from 'zod/mini';
import { count } from './count';

const preset = z.enum(['gentle', 'standard', 'aggressive']);

/** Seed 000, 7.3: which versions sessions get as they age. Days count from the last message. */
export const autoDecaySchema = z.looseObject({
  enabled: z.boolean(),
  schedule: z.enum(['daily', 'weekly', 'on-access']),
  rules: z.looseObject({
    createAfterDays: count,
    createPreset: preset,
    aggressiveAfterDays: count,
    aggressivePreset: preset,
    pruneIntermediateAfterDays: count,
  }),
});
export type AutoDecayConfig = z.infer<typeof autoDecaySchema>;

export const defaultAutoDecay: AutoDecayConfig = {
  enabled: false,
  schedule: 'daily',
  rules: {
    createAfterDays: 7,
    createPreset: 'standard',
    aggressiveAfterDays: 30,
    aggressivePreset: 'aggressive',
    pruneIntermediateAfterDays: 60,
  },
};
