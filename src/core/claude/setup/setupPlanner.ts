import type { SetupInstall, SetupRecord, TouchedFile } from '../../model/setupRecord';
import { JsoncError } from './jsonc';
import {
  enabledEntry,
  isBlank,
  knownMarketplaceEntry,
  marketplaceEntry,
  obstacleIn,
  withEntries,
  withoutOwn,
  type Entry,
  type SettingsKind,
} from './ownEntries';
import { SetupError } from './setupError';
import type { FileChange, SetupMachine } from './setupTypes';

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
  note?: string;
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
      ...(note !== undefined && { note }),
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
