import * as z from 'zod/mini';
import { addItem, isPlainJson, isSame, keepItems, removeMember, setMember, valueAt } from './jsonc';

/** The plugin, and the marketplace that it is in: the folder is both. */
export const PLUGIN_NAME = 'keepit';
export const PLUGIN_ID = `${PLUGIN_NAME}@${PLUGIN_NAME}`;

/** Something that is put into a JSON file: a member at a path, or an item of the array there. */
export type Entry = { at: readonly string[]; value: unknown } | { into: readonly string[]; item: unknown };

const MARKETPLACE = ['extraKnownMarketplaces', PLUGIN_NAME] as const;
const ENABLED = ['enabledPlugins', PLUGIN_ID] as const;

/** The files that have something of Keepit's: settings, and what Claude Code notes of marketplaces and of plugins. */
export type SettingsKind = 'settings' | 'marketplaces' | 'plugins';

/** Members that are Keepit's wherever they stand. */
const OWN_MEMBERS: Readonly<Record<SettingsKind, readonly (readonly string[])[]>> = {
  settings: [MARKETPLACE, ENABLED],
  marketplaces: [[PLUGIN_NAME]],
  plugins: [['plugins', PLUGIN_ID]],
};

const CONTAINERS: readonly (readonly string[])[] = [['extraKnownMarketplaces'], ['enabledPlugins']];

const hookSchema = z.looseObject({ command: z.optional(z.string()), args: z.optional(z.array(z.unknown())) });
const groupSchema = z.looseObject({ hooks: z.array(z.unknown()) });
export const hooksFileSchema = z.looseObject({ hooks: z.record(z.string(), z.array(groupSchema)) });

const OWN_CALL = /[\\/]claude-plugin[\\/]bin[\\/]keepit\.(?:js|cmd)["'\s].{0,400}\bhook\b/;

export function marketplaceEntry(pluginDir: string): Entry {
  return { at: MARKETPLACE, value: { source: directory(pluginDir) } };
}

export function enabledEntry(): Entry {
  return { at: ENABLED, value: true };
}

/**
 * What Claude Code notes of a marketplace once it has seen it. With it, the next session has the plugin already; without, only the
 * one after.
 */
export function knownMarketplaceEntry(pluginDir: string, nowIso: string): Entry {
  const value = { source: directory(pluginDir), installLocation: pluginDir, lastUpdated: nowIso };
  return { at: [PLUGIN_NAME], value };
}

function directory(path: string): object {
  return { source: 'directory', path };
}

/** The text with the entries in it. Throws `JsoncError`, and `TypeError` where something else than an object or array is. */
export function withEntries(text: string | undefined, entries: readonly Entry[]): string {
  const start = text === undefined || text.trim() === '' ? '{}\n' : text;
  return entries.reduce(
    (edited, entry) =>
      'at' in entry ? setMember(edited, entry.at, entry.value) : addItem(edited, entry.into, entry.item),
    start,
  );
}

/**
 * The text without anything of Keepit's: members by their names, hooks by what they call. Containers that are empty then go too,
 * unless they were there in `original`. A text without anything of Keepit's is returned as it is.
 */
export function withoutOwn(text: string, kind: SettingsKind, original?: string | null): string {
  if (text.trim() === '') return text;
  const unlisted = OWN_MEMBERS[kind].reduce(removeMember, text);
  const stripped = kind === 'settings' ? withoutHooks(unlisted) : unlisted;
  if (stripped === text) return text;
  const first = typeof original === 'string' && original.trim() !== '' ? original : '{}';
  const events = Object.keys(objectAt(stripped, ['hooks'])).map((event) => ['hooks', event]);
  return [...CONTAINERS, ...events, ['hooks']]
    .filter((path) => isFull(text, path) && valueAt(first, path) === undefined)
    .reduce((edited, path) => (isFull(edited, path) ? edited : removeMember(edited, path)), stripped);
}

/** Whether nothing is left of a JSON file but an empty object. */
export function isBlank(text: string): boolean {
  return text.trim() === '' || (isSame(valueAt(text, []), {}) && isPlainJson(text));
}

/** What the hooks of Keepit's in a settings file call, each with its event. */
export function ownCalls(text: string): string[] {
  return Object.entries(objectAt(text, ['hooks'])).flatMap(([event, groups]: [string, unknown]) => {
    const all = Array.isArray(groups) ? groups.flatMap((group) => groupSchema.safeParse(group).data?.hooks ?? []) : [];
    return all.filter(isOwnHook).map((hook) => `${event}: ${callOf(hook)}`);
  });
}

/** Why Claude Code runs no hooks because of a settings file, whatever is in it; undefined when nothing stands against it. */
export function obstacleIn(text: string): string | undefined {
  const isOff = valueAt(text, ['disableAllHooks']) === true;
  if (!isPlainJson(text))
    return 'has comments or trailing commas, and Claude Code reads nothing of such a file until they are gone';
  return isOff ? 'switches all hooks off (disableAllHooks)' : undefined;
}

/** Whether the plugin is switched on in a settings file. */
export function isEnabled(text: string): boolean {
  return valueAt(text, ENABLED) === true;
}

function withoutHooks(text: string): string {
  let edited = text;
  for (const event of Object.keys(objectAt(text, ['hooks']))) {
    const path = ['hooks', event];
    edited = keepItems(edited, path, (group) => !isWhollyOwn(group));
    const groups = valueAt(edited, path);
    for (const at of Array.isArray(groups) ? groups.keys() : []) {
      edited = keepItems(edited, [...path, at, 'hooks'], (hook) => !isOwnHook(hook));
    }
  }
  return edited;
}

function isWhollyOwn(group: unknown): boolean {
  const hooks = groupSchema.safeParse(group).data?.hooks ?? [];
  return hooks.length > 0 && hooks.every(isOwnHook);
}

function isOwnHook(hook: unknown): boolean {
  return OWN_CALL.test(callOf(hook));
}

function callOf(hook: unknown): string {
  const { command = '', args = [] } = hookSchema.safeParse(hook).data ?? {};
  return [command, ...args.map(String)].join(' ');
}

function objectAt(text: string, path: readonly string[]): object {
  const value = valueAt(text, path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function isFull(text: string, path: readonly string[]): boolean {
  const value = valueAt(text, path);
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}
