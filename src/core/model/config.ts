import * as z from 'zod/mini';
import { ownValue, setOwnValue } from '../text/ownValue';
import { defaultHookSettings, hookSettingsSchema } from './hookSettings';
import {
  timestampSchema,
  SCHEMA_VERSION,
  schemaVersionSchema,
  schemaProblem,
  count,
  type SchemaProblem,
  text,
} from './fields';
import { defaultModelSettings, modelSettingsSchema } from './models';
import { defaultReadingSettings, readingSettingsSchema } from './sessionReading';
import { configMigrations, isObject, upgrade, type JsonObject } from './migrations';

const preset = z.enum(['gentle', 'standard', 'aggressive']);

/** Seed 000, 7.3: which versions sessions get as they age. Days count from the last message. */
const agingRulesSchema = z.looseObject({
  createAfterDays: count,
  createPreset: preset,
  aggressiveAfterDays: count,
  aggressivePreset: preset,
  pruneIntermediateAfterDays: count,
});
export const autoDecaySchema = z.looseObject({
  enabled: z.boolean(),
  schedule: z.enum(['daily', 'weekly', 'on-access']),
  rules: agingRulesSchema,
});
/** What was set of it for one project alone. */
export const ownAutoDecaySchema = z.extend(z.partial(autoDecaySchema), {
  rules: z.optional(z.partial(agingRulesSchema)),
});
export type AutoDecayConfig = z.infer<typeof autoDecaySchema>;

const defaultAutoDecay: AutoDecayConfig = {
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

const base = z.number().check(z.gte(0), z.lte(1));
const reduction = z.nullable(z.number().check(z.gte(1), z.lte(99)));

/** Seed 000, 3.3 and appendix B: `config.json`. Unknown fields are kept when it is written again. */
export const configSchema = z.looseObject({
  version: schemaVersionSchema,
  createdAt: timestampSchema,
  storage: z.looseObject({
    maxCacheSize: z.string().check(z.regex(/^\d+(\.\d+)?\s?(B|KB|MB|GB)$/i, 'must be a size such as 1GB')),
    /** `all`, `used`, or for how many days a version is kept that nothing uses. */
    compressionRetention: text,
    /** How transcripts are kept: `clone` (shared blocks, else a copy), `copy`, or `link` (a second name of Claude Code's own file, lost with its content). */
    originals: z.enum(['clone', 'copy', 'link']),
    /** Whether the worktrees of a repository are one project. */
    worktrees: z.enum(['together', 'apart']),
    /** After how many days in the trash something is deleted for good; 0 for never. */
    trashDays: z.number().check(z.nonnegative()),
  }),
  defaults: z.looseObject({
    compressionPreset: text,
    keepitDecayEnabled: z.boolean(),
    autoRegisterSessions: z.boolean(),
    /** Seed 001: a session that is registered gets a version of the usual level. */
    versionsOnRegister: z.boolean(),
    /** Seed 001: how many percent a level takes away from all of a session alike; null for the level's preset of tiers. */
    reductions: z.looseObject({ light: reduction, moderate: reduction, aggressive: reduction }),
    model: text,
  }),
  keepitDecay: z.looseObject({
    compressionBase: z.looseObject({ light: base, moderate: base, aggressive: base }),
    maxSessionDistance: z.number().check(z.gte(1)),
    pinnedWeight: z.number().check(z.gt(0), z.lte(1)),
    /** Seed 000, 1.2: using a session in a composition moves it forward. */
    rehearsal: z.boolean(),
  }),
  autoDecay: autoDecaySchema,
  models: modelSettingsSchema,
  hooks: hookSettingsSchema,
  reading: readingSettingsSchema,
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
    storage: {
      maxCacheSize: '1GB',
      compressionRetention: 'all',
      originals: 'clone',
      worktrees: 'together',
      trashDays: 30,
    },
    defaults: {
      compressionPreset: 'standard',
      keepitDecayEnabled: true,
      autoRegisterSessions: false,
      versionsOnRegister: false,
      reductions: { light: null, moderate: null, aggressive: null },
      model: 'opus',
    },
    keepitDecay: {
      compressionBase: { light: 0.1, moderate: 0.3, aggressive: 0.5 },
      maxSessionDistance: 10,
      pinnedWeight: 1,
      rehearsal: true,
    },
    autoDecay: defaultAutoDecay,
    models: defaultModelSettings,
    hooks: defaultHookSettings,
    reading: defaultReadingSettings,
    ui: { defaultView: 'timeline', showTokenEstimates: true, confirmDestructiveActions: true },
  };
}

/** What a parsed `config.json` turned out to be. */
type ConfigReading =
  | { readonly state: 'sound'; readonly config: Config; readonly migratedFrom?: string }
  | { readonly state: 'newer'; readonly version: string }
  | { readonly state: 'invalid'; readonly problem: SchemaProblem };

/** Judges a parsed configuration. What it leaves out is filled from the defaults, at any depth; what it adds is kept. */
export function readConfigDocument(parsed: unknown, nowIso: string): ConfigReading {
  const upgraded = upgrade(parsed, configMigrations);
  if (upgraded.state === 'newer') return upgraded;
  if (upgraded.state === 'foreign') return { state: 'invalid', problem: { key: '', allowed: 'an object' } };
  const checked = configSchema.safeParse(filled(upgraded.document, defaultConfig(nowIso)));
  if (!checked.success) return { state: 'invalid', problem: schemaProblem(checked.error) };
  const migrated = upgraded.state === 'migrated' ? { migratedFrom: upgraded.from } : {};
  return { state: 'sound', config: checked.data, ...migrated };
}

function filled(document: JsonObject, defaults: JsonObject): JsonObject {
  const result: JsonObject = { ...document };
  for (const [key, fallback] of Object.entries(defaults)) {
    const value = ownValue(document, key);
    if (value === undefined) setOwnValue<unknown>(result, key, fallback);
    else if (isObject(value) && isObject(fallback)) setOwnValue<unknown>(result, key, filled(value, fallback));
  }
  return result;
}

const UNITS = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** The bytes that a size such as `500 MB` means, in units of 1024; 0 for what is no size. */
export function byteSize(text: string): number {
  const [, number = '0', unit = 'B'] = /^(\d+(?:\.\d+)?)\s?(B|KB|MB|GB)$/i.exec(text) ?? [];
  const factor = Object.entries(UNITS).find(([name]) => name === unit.toUpperCase())?.[1] ?? 1;
  return Number(number) * factor;
}
