import * as z from 'zod/mini';
import { text, optionalText } from '../../model/fields';
import type { SetupInstall, SetupRecord, TouchedFile } from '../../model/setupRecord';
import { JsoncError, addItem, isPlainJson, isSame, keepItems, removeMember, setMember, valueAt } from './jsonc';
import { type FileChange, type SetupMachine, SetupError } from './setupTypes';

/** What one installation wants a file to have. `kind` says what else of Keepit's may be in it. */
export type Wanted =
  | { path: string; kind: SettingsKind; entries: readonly Entry[] }
  /** A file that is Keepit's as a whole. */
  | { path: string; kind: 'text'; text: string };

/** What the plugin's folder has for people who want no plugin. */
export interface PlainParts {
  hooks: readonly Entry[];
  /** Texts by file name. */
  commands: ReadonlyMap<string, string>;
}

type Places = Pick<SetupMachine, 'claudeDir' | 'pluginDir' | 'join'>;

/** The settings that a scope is about. */
export function settingsFile({ scope, folder }: Pick<SetupInstall, 'scope' | 'folder'>, places: Places): string {
  if (scope === 'user' || folder === undefined) return places.join(places.claudeDir, 'settings.json');
  return places.join(folder, '.claude', scope === 'local' ? 'settings.local.json' : 'settings.json');
}

/** All that an installation wants. */
export function wantedBy(install: SetupInstall, places: Places, plain: PlainParts): Wanted[] {
  const settings = settingsFile(install, places);
  if (install.mode === 'plugin') {
    // Where the plugin is on this machine is the user's matter: a project that is shared only says that it wants it.
    return [
      {
        path: places.join(places.claudeDir, 'settings.json'),
        kind: 'settings',
        entries: [marketplaceEntry(places.pluginDir)],
      },
      { path: settings, kind: 'settings', entries: [enabledEntry()] },
      {
        path: places.join(places.claudeDir, 'plugins', 'known_marketplaces.json'),
        kind: 'marketplaces',
        entries: [knownMarketplaceEntry(places.pluginDir, install.at)],
      },
    ];
  }
  const commands =
    install.scope === 'user' || install.folder === undefined
      ? places.join(places.claudeDir, 'commands')
      : places.join(install.folder, '.claude', 'commands');
  return [
    { path: settings, kind: 'settings', entries: plain.hooks },
    ...[...plain.commands].map(([name, text]) => ({ path: places.join(commands, name), kind: 'text', text }) as const),
  ];
}

/** What installing and uninstalling make of one file. */
export interface FilePlan {
  change: FileChange;
  /** What is to be remembered of the file; undefined when nothing of Keepit's is left in it. */
  touched: TouchedFile | undefined;
  note?: string | undefined;
}

/**
 * What becomes of a file that is to have exactly `wanted` of Keepit's, whatever it has now. A file that is as it was left begins with
 * what it held before it was touched; any other with what it holds now, without what is Keepit's. Throws `SetupError`.
 */
export function planFile(
  path: string,
  kind: Wanted['kind'],
  wanted: readonly Wanted[],
  now: { text: string | undefined; touched: TouchedFile | undefined },
): FilePlan {
  return kind === 'text' ? planText(path, wanted, now) : planSettings(path, kind, wanted, now);
}

type Now = Parameters<typeof planFile>[3];

function planText(path: string, wanted: readonly Wanted[], { text, touched }: Now): FilePlan {
  const own = wanted.find((one) => one.kind === 'text')?.text;
  const isOwn = text === undefined || text === touched?.written;
  if (!isOwn && text !== own) {
    const note = own === undefined ? `${path} was edited and stays.` : `${path} is yours and stays as it is.`;
    return { change: { path, before: text, after: text }, touched: undefined, note };
  }
  if (own !== undefined) {
    return {
      change: { path, before: text, after: own },
      touched: { original: touched?.original ?? null, written: own },
    };
  }
  return { change: { path, before: text, after: touched?.original ?? undefined }, touched: undefined };
}

function planSettings(path: string, kind: SettingsKind, wanted: readonly Wanted[], now: Now): FilePlan {
  const { text: before, touched } = now;
  const entries = uniqueEntries(wanted.flatMap((one) => (one.kind === 'text' ? [] : one.entries)));
  try {
    const base = baseOf(kind, now);
    if (entries.length === 0) {
      const isLeftOver = touched?.original === null && base !== undefined && isBlank(base);
      return { change: { path, before, after: isLeftOver ? undefined : base }, touched: undefined };
    }
    const after = withEntries(base, entries);
    const note = noteOn(path, kind, after);
    return {
      change: { path, before, after },
      touched: { original: base ?? null, written: after },
      note,
    };
  } catch (error) {
    if (error instanceof JsoncError) return unreadable(path, kind, before, error);
    if (error instanceof TypeError) throw new SetupError('unfit-settings', path, error.message, { cause: error });
    throw error;
  }
}

/** The file as it is without Keepit. */
function baseOf(kind: SettingsKind, { text, touched }: Now): string | undefined {
  if (text !== undefined && text === touched?.written) return touched.original ?? undefined;
  return text === undefined ? undefined : withoutOwn(text, kind, touched?.original);
}

/** Settings that cannot be read are the user's to mend. What Claude Code notes for itself it makes again. */
function unreadable(path: string, kind: SettingsKind, before: string | undefined, error: JsoncError): FilePlan {
  if (kind === 'settings') throw new SetupError('broken-settings', path, error.message, { cause: error });
  return {
    change: { path, before, after: before },
    touched: undefined,
    note: `${path} cannot be read and is left as it is.`,
  };
}

function noteOn(path: string, kind: SettingsKind, text: string): string | undefined {
  const obstacle = kind === 'settings' ? obstacleIn(text) : undefined;
  return obstacle && `${path} ${obstacle}. That is left as it is.`;
}

/** Several installations may want the same of the user's settings. */
function uniqueEntries(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const key = JSON.stringify('at' in entry ? entry.at : entry);
    return !seen.has(key) && seen.add(key);
  });
}

/** The record after a plan. */
export function recordAfter(
  record: SetupRecord,
  installs: readonly SetupInstall[],
  plans: readonly FilePlan[],
): SetupRecord {
  const files = new Map(Object.entries(record.files));
  for (const { change, touched } of plans) {
    if (touched === undefined) files.delete(change.path);
    else files.set(change.path, touched);
  }
  return { ...record, installs: [...installs], files: Object.fromEntries(files) };
}

/** The plugin, and the marketplace that it is in: the folder is both. */
export const PLUGIN_NAME = 'keepit';
const PLUGIN_ID = `${PLUGIN_NAME}@${PLUGIN_NAME}`;

/** Something that is put into a JSON file: a member at a path, or an item of the array there. */
export type Entry = { at: readonly string[]; value: unknown } | { into: readonly string[]; item: unknown };

const MARKETPLACE = ['extraKnownMarketplaces', PLUGIN_NAME] as const;
const ENABLED = ['enabledPlugins', PLUGIN_ID] as const;

/** The files that have something of Keepit's: settings, and what Claude Code notes of marketplaces and of plugins. */
type SettingsKind = 'settings' | 'marketplaces' | 'plugins';

/** Members that are Keepit's wherever they stand. */
const OWN_MEMBERS: Readonly<Record<SettingsKind, readonly (readonly string[])[]>> = {
  settings: [MARKETPLACE, ENABLED],
  marketplaces: [[PLUGIN_NAME]],
  plugins: [['plugins', PLUGIN_ID]],
};

const CONTAINERS: readonly (readonly string[])[] = [['extraKnownMarketplaces'], ['enabledPlugins']];

const hookSchema = z.looseObject({ command: optionalText, args: z.optional(z.array(z.unknown())) });
const groupSchema = z.looseObject({ hooks: z.array(z.unknown()) });
export const hooksFileSchema = z.looseObject({ hooks: z.record(text, z.array(groupSchema)) });

const OWN_CALL = /[\\/]claude-plugin[\\/]bin[\\/]keepit\.(?:js|cmd)["'\s].{0,400}\bhook\b/;

function marketplaceEntry(pluginDir: string): Entry {
  return { at: MARKETPLACE, value: { source: directory(pluginDir) } };
}

function enabledEntry(): Entry {
  return { at: ENABLED, value: true };
}

/**
 * What Claude Code notes of a marketplace once it has seen it. With it, the next session has the plugin already; without, only the
 * one after.
 */
function knownMarketplaceEntry(pluginDir: string, nowIso: string): Entry {
  const value = { source: directory(pluginDir), installLocation: pluginDir, lastUpdated: nowIso };
  return { at: [PLUGIN_NAME], value };
}

function directory(path: string): object {
  return { source: 'directory', path };
}

/** The text with the entries in it. Throws `JsoncError`, and `TypeError` where something else than an object or array is. */
function withEntries(text: string | undefined, entries: readonly Entry[]): string {
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
function withoutOwn(text: string, kind: SettingsKind, original?: string | null): string {
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
function isBlank(text: string): boolean {
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
