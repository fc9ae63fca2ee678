import { isObject } from '../model/migrations';
import type * as z from 'zod/mini';
import { configSchema, type Config } from '../model/config';
import {
  projectSettingsSchema,
  settingsOf,
  type OwnProjectSettings,
  type ProjectManifest,
  type ProjectSettings,
} from '../model/manifest';
import { ownValue } from '../text/ownValue';
import { schemaProblem } from '../model/fields';
import { type MemoryStore, StoreError } from '../model/host';
import { KeepitError } from '../text/keepitError';

/** What is about the file rather than about how Keepit behaves. */
const FIXED_KEYS = new Set(['version', 'createdAt']);

/** What a project decides for itself is written behind this, so that no key means two things. */
export const PROJECT_PREFIX = 'project.';

/** Settings that are any text in a file, which another tool may have written, and one of a few when they are set. */
const presets = ['gentle', 'standard', 'aggressive'];
const choices: ReadonlyMap<string, readonly string[]> = new Map([
  ['storage.compressionRetention', ['all', 'used', 'a number of days']],
  ['defaults.compressionPreset', presets],
  [`${PROJECT_PREFIX}defaultCompressionPreset`, presets],
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

/** As {@link withSetting}, for a project's own settings, whose keys begin with `project.`; `current` are those that hold. */
export function withProjectSetting(
  own: OwnProjectSettings,
  current: ProjectSettings,
  { key, value }: { readonly key: string; readonly value: string },
): OwnProjectSettings {
  checkKey(key, projectSettingKeys(current));
  const name = key.slice(PROJECT_PREFIX.length);
  const path = name.split('.');
  const after = valueAt(changed({ ...current }, name, key, value), path);
  return checked(projectSettingsSchema, key, replaced(own, path, after));
}

function checkKey(key: string, keys: readonly string[]): void {
  if (!keys.includes(key)) throw new ConfigError('unknown-key', key, keys);
}

function changed(
  settings: Record<string, unknown>,
  dotted: string,
  key: string,
  value: string,
): Record<string, unknown> {
  const allowed = choices.get(key);
  const isDays = /^\d{1,5}$/.test(value) && allowed?.includes('a number of days') === true;
  if (allowed?.includes(value) === false && !isDays) throw new ConfigError('invalid-value', key, allowed);
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
    return isObject(inner) ? keysOf(inner, key) : [key];
  });
}

function valueAt(settings: Record<string, unknown>, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? ownValue(value, name) : undefined), settings);
}

/** Text that is not of the setting's type stays text: the schema then says what is allowed. */
function readAs(current: unknown, value: string): unknown {
  // What is empty may be a number, and a number may be emptied.
  if (value.trim() === '' && typeof current !== 'string') return null;
  if (typeof current === 'number' || current === null) return Number.isFinite(Number(value)) ? Number(value) : value;
  if (typeof current === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function replaced(group: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const inner = ownValue(group, name);
  return { ...group, [name]: rest.length === 0 ? value : replaced(isObject(inner) ? inner : {}, rest, value) };
}

/** What holds for a project. Throws `StoreError` for one that has nothing in memory. */
export async function readProjectSettings(store: MemoryStore, projectId: string): Promise<ProjectSettings> {
  const manifest = await manifestOf(store, projectId);
  return { ...manifest.settings, ...settingsOf(manifest, await store.readConfig()) };
}

/** Changes one setting of a project, by its key behind `project.`. Throws `ConfigError` with what is allowed. */
export async function changeProjectSetting(
  store: MemoryStore,
  projectId: string,
  change: { key: string; value: string },
): Promise<ProjectSettings> {
  const current = await readProjectSettings(store, projectId);
  await store.updateManifest(await manifestOf(store, projectId), (manifest) => ({
    ...manifest,
    settings: withProjectSetting(manifest.settings, current, change),
  }));
  return readProjectSettings(store, projectId);
}

async function manifestOf(store: MemoryStore, projectId: string): Promise<ProjectManifest> {
  const manifest = await store.readManifest(projectId);
  if (manifest === undefined) throw new StoreError('not-found', { path: projectId });
  return manifest;
}

type ConfigReason = 'unknown-key' | 'invalid-value';

/** A configuration key that does not exist, or a value that it does not take. */
export class ConfigError extends KeepitError {
  constructor(
    readonly reason: ConfigReason,
    readonly key: string,
    /** The keys, or the values, that are allowed. */
    readonly allowed: readonly string[],
  ) {
    super(
      `config-${reason}`,
      reason === 'unknown-key'
        ? { message: `There is no setting ${JSON.stringify(key)}.`, hint: `Settings are: ${allowed.join(', ')}.` }
        : { message: `That is not a value for ${key}.`, hint: `Allowed: ${allowed.join(', ')}.` },
    );
  }
}
