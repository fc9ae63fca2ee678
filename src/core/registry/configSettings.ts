import { ConfigError } from '../errors';
import { configSchema } from '../model/config';
import type { Config } from '../model/config';
import { schemaProblem } from '../model/schemaProblem';

/** What is about the file rather than about how Keepit behaves. */
const FIXED_KEYS = new Set(['version', 'createdAt']);

/** The dotted keys of all settings that a person may change. */
export function settingKeys(config: Config): string[] {
  const keysOf = (value: object, path: string): string[] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const key = path === '' ? name : `${path}.${name}`;
      return isGroup(inner) ? keysOf(inner, key) : [key];
    });
  return keysOf(config, '').filter((key) => !FIXED_KEYS.has(key));
}

/**
 * The configuration with one setting changed. The text is read as the type that the setting has; throws `ConfigError`
 * for a key that does not exist and for a value that the setting does not take.
 */
export function withSetting(config: Config, key: string, value: string): Config {
  const keys = settingKeys(config);
  if (!keys.includes(key)) throw new ConfigError('unknown-key', key, keys);
  const path = key.split('.');
  const changed = configSchema.safeParse(replaced(config, path, readAs(valueAt(config, path), value)));
  if (changed.success) return changed.data;
  throw new ConfigError('invalid-value', key, [schemaProblem(changed.error).allowed]);
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(config: Config, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isGroup(value) ? value[name] : undefined), config);
}

/** Text that is not of the setting's type stays text: the schema then says what is allowed. */
function readAs(current: unknown, value: string): unknown {
  if (typeof current === 'number') return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  if (typeof current === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function replaced(group: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const inner = group[name];
  return { ...group, [name]: rest.length === 0 || !isGroup(inner) ? value : replaced(inner, rest, value) };
}
