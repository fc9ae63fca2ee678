import * as z from 'zod/mini';
import { addItem, keepItems, removeMember, setMember } from './jsoncEdit';
import { nodeAt, parseJsonc, plainValue } from './jsoncTree';

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
  const first = typeof original === 'string' && original.trim() !== '' ? parseJsonc(original).root : undefined;
  const events = Object.keys(objectAt(stripped, ['hooks']) ?? {}).map((event) => ['hooks', event]);
  const wasFull = (path: readonly string[]) => isFull(text, path);
  return [...CONTAINERS, ...events, ['hooks']]
    .filter((path) => wasFull(path) && (first === undefined || nodeAt(first, path) === undefined))
    .reduce((edited, path) => (isFull(edited, path) ? edited : removeMember(edited, path)), stripped);
}

/** Whether nothing is left of a JSON file but an empty object. */
export function isBlank(text: string): boolean {
  if (text.trim() === '') return true;
  const { root, isExtended } = parseJsonc(text);
  return !isExtended && root.kind === 'object' && root.members.length === 0;
}

/** What the hooks of Keepit's in a settings file call, each with its event. */
export function ownCalls(text: string): string[] {
  return Object.entries(objectAt(text, ['hooks']) ?? {}).flatMap(([event, groups]: [string, unknown]) => {
    const all = Array.isArray(groups) ? groups.flatMap((group) => groupSchema.safeParse(group).data?.hooks ?? []) : [];
    return all.filter(isOwnHook).map((hook) => `${event}: ${callOf(hook)}`);
  });
}

/** Why Claude Code runs no hooks because of a settings file, whatever is in it; undefined when nothing stands against it. */
export function obstacleIn(text: string): string | undefined {
  const { root, isExtended } = parseJsonc(text);
  if (isExtended)
    return 'has comments or trailing commas, and Claude Code reads nothing of such a file until they are gone';
  const isOff = nodeAt(root, ['disableAllHooks']);
  return isOff !== undefined && plainValue(isOff) === true ? 'switches all hooks off (disableAllHooks)' : undefined;
}

/** Whether the plugin is switched on in a settings file. */
export function isEnabled(text: string): boolean {
  const node = nodeAt(parseJsonc(text).root, ENABLED);
  return node !== undefined && plainValue(node) === true;
}

function withoutHooks(text: string): string {
  let edited = text;
  for (const event of Object.keys(objectAt(text, ['hooks']) ?? {})) {
    const path = ['hooks', event];
    edited = keepItems(edited, path, (group) => !isWhollyOwn(group));
    const groups = nodeAt(parseJsonc(edited).root, path);
    const count = groups?.kind === 'array' ? groups.items.length : 0;
    for (let at = 0; at < count; at += 1) {
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

function objectAt(text: string, path: readonly string[]): object | undefined {
  const node = nodeAt(parseJsonc(text).root, path);
  const value: unknown = node?.kind === 'object' ? plainValue(node) : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}

function isFull(text: string, path: readonly string[]): boolean {
  const node = nodeAt(parseJsonc(text).root, path);
  if (node?.kind === 'object') return node.members.length > 0;
  return node?.kind === 'array' ? node.items.length > 0 : node !== undefined;
}
