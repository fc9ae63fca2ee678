import * as z from 'zod/mini';
import { defaultHookSettings, hookSettingsSchema } from './hookSettings';
import { timestampSchema } from './ids';
import { defaultModelSettings, modelSettingsSchema } from './models';
import { SCHEMA_VERSION, schemaVersionSchema } from './schemaVersion';

const base = z.number().check(z.gte(0), z.lte(1));

/** Seed 000, 3.3 and appendix B: `config.json`. Unknown fields are kept when it is written again. */
export const configSchema = z.looseObject({
  version: schemaVersionSchema,
  createdAt: timestampSchema,
  storage: z.looseObject({
    maxCacheSize: z.string().check(z.regex(/^\d+(\.\d+)?\s?(B|KB|MB|GB)$/i, 'must be a size such as 1GB')),
    compressionRetention: z.string(),
    /** After how many days in the trash something is deleted for good; 0 for never. */
    trashDays: z.number().check(z.nonnegative()),
  }),
  defaults: z.looseObject({
    compressionPreset: z.string(),
    keepitDecayEnabled: z.boolean(),
    autoRegisterSessions: z.boolean(),
    model: z.string(),
  }),
  keepitDecay: z.looseObject({
    compressionBase: z.looseObject({ light: base, moderate: base, aggressive: base }),
    maxSessionDistance: z.number().check(z.gte(1)),
    pinnedWeight: z.number().check(z.gt(0), z.lte(1)),
    /** Seed 000, 1.2: using a session in a composition moves it forward. */
    rehearsal: z.boolean(),
  }),
  models: modelSettingsSchema,
  hooks: hookSettingsSchema,
  ui: z.looseObject({
    defaultView: z.enum(['timeline', 'list']),
    showTokenEstimates: z.boolean(),
    confirmDestructiveActions: z.boolean(),
  }),
});
export type Config = z.infer<typeof configSchema>;

/** The configuration of a store that has none yet. */
export function defaultConfig(nowIso: string): Config {
  return {
    version: SCHEMA_VERSION,
    createdAt: nowIso,
    storage: { maxCacheSize: '1GB', compressionRetention: 'all', trashDays: 30 },
    defaults: {
      compressionPreset: 'standard',
      keepitDecayEnabled: true,
      autoRegisterSessions: false,
      model: 'opus',
    },
    keepitDecay: {
      compressionBase: { light: 0.1, moderate: 0.3, aggressive: 0.5 },
      maxSessionDistance: 10,
      pinnedWeight: 1,
      rehearsal: true,
    },
    models: defaultModelSettings,
    hooks: defaultHookSettings,
    ui: { defaultView: 'timeline', showTokenEstimates: true, confirmDestructiveActions: true },
  };
}
