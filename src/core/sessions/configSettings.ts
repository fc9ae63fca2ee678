import type * as z from 'zod/mini';
import { ConfigError } from './configError';
import { configSchema } from '../model/config';
import type { Config } from '../model/config';
import { projectSettingsSchema } from '../model/manifest';
import type { ProjectSettings } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import { schemaProblem } from '../model/schemaProblem';

/** What is about the file rather than about how Keepit behaves. */
const FIXED_KEYS = new Set(['version', 'createdAt']);

/** What a project decides for itself is written behind this, so that no key means two things. */
export const PROJECT_PREFIX = 'project.';

/** Settings that are any text in a file, which another tool may have written, and one of a few when they are set. */
const choices: ReadonlyMap<string, readonly string[]> = new Map([
  ['storage.compressionRetention', ['all']],
  ['defaults.compressionPreset', ['gentle', 'standard', 'aggressive']],
  [`${PROJECT_PREFIX}defaultCompressionPreset`, ['gentle', 'standard', 'aggressive']],
]);

/** The dotted keys of all settings that a person may change. */
export function settingKeys(config: Config): string[] {
  return keysOf(config, '').filter((key) => !FIXED_KEYS.has(key));
}

/** Likewise of a project's own settings. */
export function projectSettingKeys(settings: ProjectSettings): string[] {
  return keysOf(settings, '').map((key) => `${PROJECT_PREFIX}${key}`);
}

/**
 * The configuration with one setting changed. The text is read as the type that the setting has; throws `ConfigError`
 * for a key that does not exist and for a value that the setting does not take.
 */
export function withSetting(config: Config, key: string, value: string): Config {
  checkKey(key, settingKeys(config));
  return checked(configSchema, key, changed(config, key, key, value));
}

/** As {@link withSetting}, for a project's own settings, whose keys begin with `project.`. */
export function withProjectSetting(settings: ProjectSettings, key: string, value: string): ProjectSettings {
  checkKey(key, projectSettingKeys(settings));
  return checked(projectSettingsSchema, key, changed(settings, key.slice(PROJECT_PREFIX.length), key, value));
}

function checkKey(key: string, keys: readonly string[]): void {
  if (!keys.includes(key)) throw new ConfigError('unknown-key', key, keys);
}

function changed(settings: Record<string, unknown>, dotted: string, key: string, value: string): unknown {
  const allowed = choices.get(key);
  if (allowed?.includes(value) === false) throw new ConfigError('invalid-value', key, allowed);
  const path = dotted.split('.');
  const current = valueAt(settings, path);
  if (typeof current === 'string' && value.trim() === '') throw new ConfigError('invalid-value', key, ['some text']);
  return replaced(settings, path, readAs(current, value));
}

function checked<Schema extends z.ZodMiniType>(schema: Schema, key: string, document: unknown): z.output<Schema> {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  throw new ConfigError('invalid-value', key, [schemaProblem(result.error).allowed]);
}

function keysOf(value: object, path: string): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const key = path === '' ? name : `${path}.${name}`;
    return isGroup(inner) ? keysOf(inner, key) : [key];
  });
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(settings: Record<string, unknown>, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isGroup(value) ? ownValue(value, name) : undefined), settings);
}

/** Text that is not of the setting's type stays text: the schema then says what is allowed. */
function readAs(current: unknown, value: string): unknown {
  if (typeof current === 'number') return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  if (typeof current === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function replaced(group: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const inner = ownValue(group, name);
  return { ...group, [name]: rest.length === 0 || !isGroup(inner) ? value : replaced(inner, rest, value) };
}
