import { configSchema, defaultConfig, type Config } from './config';
import { configMigrations, isObject, upgrade, type JsonObject } from './migrations';
import { schemaProblem, type SchemaProblem } from './schemaProblem';
import { ownValue, setOwnValue } from '../text/ownValue';

/** What a parsed `config.json` turned out to be. */
export type ConfigReading =
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
