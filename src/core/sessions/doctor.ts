import { plural } from '../text/formats';
import { onlyExpected, failedCheck } from '../text/keepitError';
import { nameOfErase, type BegunErase } from '../model/forgotten';
import type { Clock, HostProbe, MemoryStore, StoreFinding } from '../model/host';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { redactionsOf } from '../model/manifestDocument';
import { addedUp } from '../text/secrets/cleanText';
import type { RedactedSecrets } from '../text/secrets/secrets';
import type { StatsCache } from './statsCache';
import type { DiscoveryService } from './discovery';
import type { DiscoveredSession, Discovery, DoctorCheck, SessionSource } from './results';
import { TrashService, trashTotals } from './upkeep';
import type { SessionIndex } from './sessionIndex';
import type { SessionUpdater } from './sessionUpdater';
import { sumOf } from '../text/ownValue';

/** Whether Claude Code is set up as it was asked to be. */
interface SetupChecks {
  checks(options: { repair: boolean }, signal?: AbortSignal): Promise<DoctorCheck[]>;
}

interface DoctorParts {
  claude: ClaudeFolder;
  store: MemoryStore;
  cache: StatsCache;
  clock: Clock;
  host: HostProbe;
  discovery: DiscoveryService;
  sources: SessionIndex;
  updater: SessionUpdater;
  /** What lies in an enabled project and is not from its user, in words; undefined where nothing is. */
  foreignIn: (projectId: string) => Promise<string | undefined>;
  setup?: SetupChecks | undefined;
  /** What has begun to be erased, and is there in part. */
  halfErased: () => Promise<readonly BegunErase[]>;
  searchIndex: {
    check(options: { repair: boolean }, signal?: AbortSignal): Promise<{ sessions: number; damaged: number }>;
  };
}

/** The kinds of findings that one check speaks of. */
interface StoreCheckKind {
  name: string;
  kinds: StoreFinding['kind'][];
  /** What is said when there is nothing to say. */
  sound: string;
  hint: string;
}

const REPAIR = 'Run `keepit doctor --repair`.';

const storeChecks: readonly StoreCheckKind[] = [
  { name: 'store', kinds: ['not-writable'], sound: 'can be written', hint: 'Give yourself access to the folder.' },
  { name: 'configuration', kinds: ['config'], sound: 'is valid', hint: 'Correct config.json, or delete it.' },
  { name: 'manifests', kinds: ['manifest'], sound: 'are valid', hint: REPAIR },
  {
    name: 'versions',
    kinds: ['version'],
    sound: 'are where memory says',
    hint: 'Run `keepit doctor --repair`; delete versions whose files are gone.',
  },
  {
    name: 'compositions',
    kinds: ['composition'],
    sound: 'are where memory says',
    hint: 'Rebuild those whose files are gone, with `keepit composition rebuild`; delete folders that nothing names.',
  },
  {
    name: 'links',
    kinds: ['link'],
    sound: 'there is no symbolic link in the store',
    hint: 'Put the file or folder itself there, or set CLAUDE_MEMORY_DIR to where the whole store is.',
  },
  { name: 'file modes', kinds: ['open-mode'], sound: 'nobody else can read the store', hint: REPAIR },
  { name: 'locks', kinds: ['stale-lock'], sound: 'none was left behind', hint: REPAIR },
  { name: 'leftovers', kinds: ['leftover'], sound: 'no half-written file was left behind', hint: REPAIR },
  {
    name: 'damaged files',
    kinds: ['set-aside'],
    sound: 'none was set aside',
    hint: 'Take from it what you miss, then delete it.',
  },
];

const OWN_GONE = " Claude Code's own file is gone, too.";
const FINDINGS_SHOWN = 3;
const HASH_CHARS_SHOWN = 8;
const EXPIRING_DAYS = 3;
const LOW_DISK_BYTES = 200 * 1024 * 1024;
const MIN_NODE = 20;

/** Looks over everything that Keepit stands on, and mends what it can. Never changes anything of Claude Code's. */
export async function examineMemory(
  parts: DoctorParts,
  { repair = false }: { repair?: boolean } = {},
  signal?: AbortSignal,
): Promise<DoctorCheck[]> {
  const findings = await parts.store.check({ repair }, signal);
  const checks = [await claudeFolder(parts)];
  const discovery = await discover(parts, checks, signal);
  const erases = await erasing(parts);
  if (discovery !== undefined) checks.push(transcripts(discovery, erases.sessionIds), expiring(discovery));
  checks.push(erases.check);
  checks.push(...storeChecks.map((kind) => storeCheck(kind, findings)));
  checks.push(await secrets(parts, findings), await foreign(parts), await trash(parts));
  checks.push(await originals(parts, findings, repair, signal));
  checks.push(await cacheCheck(parts), await searchIndex(parts, repair, signal), ...(await machine(parts)));
  checks.push(...((await parts.setup?.checks({ repair }, signal)) ?? []));
  return checks;
}

async function claudeFolder(parts: DoctorParts): Promise<DoctorCheck> {
  const { claude } = parts;
  try {
    const projects = await claude.projectIds();
    if (projects.length > 0)
      return { name: 'claude folder', ok: true, detail: `${claude.dir}, ${plural(projects.length, 'project')}` };
    const hint = 'Start Claude Code once, or set CLAUDE_CONFIG_DIR to where its folder is.';
    return { name: 'claude folder', ok: false, detail: `there are no projects in ${claude.dir}`, hint };
  } catch (error) {
    return failedCheck('claude folder', error);
  }
}

async function discover(
  parts: DoctorParts,
  checks: DoctorCheck[],
  signal?: AbortSignal,
): Promise<Discovery | undefined> {
  try {
    return await parts.discovery.discover({}, signal);
  } catch (error) {
    checks.push(failedCheck('transcripts', error));
    return undefined;
  }
}

/** Kept originals that are missing, were cut short, or are links: kept again where Claude Code's own file is still there. */
async function originals(
  parts: DoctorParts,
  findings: readonly StoreFinding[],
  repair: boolean,
  signal?: AbortSignal,
): Promise<DoctorCheck> {
  const own = findings.filter(({ kind }) => kind === 'original' || kind === 'damaged-original');
  const problems: string[] = [];
  let isRepairable = false;
  for (const finding of own) {
    const source = await sourceOf(parts, finding, signal);
    isRepairable ||= source !== undefined && !repair;
    const problem = await kept(parts, finding, repair ? source : undefined, signal);
    if (problem !== undefined) problems.push(`${problem}${source === undefined ? OWN_GONE : ''}`);
  }
  if (problems.length === 0) {
    return {
      name: 'originals',
      ok: true,
      detail: own.length === 0 ? 'are as they were kept' : `${own.length} mended`,
    };
  }
  const hint = isRepairable ? REPAIR : 'What is there is left as it is; what is lost, nothing can bring back.';
  return { name: 'originals', ok: false, detail: listed(problems), hint, ...(isRepairable && { isRepairable }) };
}

/** What is wrong with an original; undefined when it was kept again. Nothing takes the place of what holds something else. */
async function kept(
  parts: DoctorParts,
  finding: StoreFinding,
  source: SessionSource | undefined,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (source === undefined) return told(finding);
  const { projectId, sessionId } = source.ref;
  try {
    const renewed = await parts.store.sessions.renew(projectId, sessionId, source.file.path, signal);
    if (renewed === 'renewed') return undefined;
    if (finding.kind === 'damaged-original') {
      return `${told(finding)} Claude Code's own file is not what was kept either, from byte ${renewed.differsFrom} on: both stay as they are.`;
    }
    await parts.updater.update(source, signal);
    return undefined;
  } catch (error) {
    onlyExpected(error);
    return `${told(finding)} ${error.message}`;
  }
}

/** From where an original could be kept again. */
async function sourceOf(
  parts: DoctorParts,
  { projectId, path }: StoreFinding,
  signal?: AbortSignal,
): Promise<SessionSource | undefined> {
  const sessionId = /(?<![^/\\])([^/\\]+)\.jsonl$/.exec(path)?.[1];
  if (projectId === undefined || sessionId === undefined) return undefined;
  const [source] = await parts.sources.locateAll([{ projectId, sessionId }], signal);
  return source?.isKept === false ? source : undefined;
}

/** What has been left out, and whether something has not: never the secrets themselves. */
async function secrets(parts: DoctorParts, findings: readonly StoreFinding[]): Promise<DoctorCheck> {
  const { store } = parts;
  const reports: (readonly RedactedSecrets[])[] = [];
  for (const projectId of await store.listProjects().catch(() => [])) {
    const manifest = await store.readManifest(projectId).catch(() => undefined); // told by the check of manifests
    reports.push(...Object.values(manifest?.sessions ?? {}).map(redactionsOf));
  }
  const sessions = reports.filter((report) => report.length > 0).length;
  const kinds = addedUp(reports).map(({ kind, count }) => `${count} × ${kind}`);
  const sound =
    sessions === 0
      ? 'none had to be left out'
      : `left out of what is kept of ${plural(sessions, 'session')}: ${kinds.join(', ')}`;
  return storeCheck({ name: 'secrets', kinds: ['secret'], sound, hint: REPAIR }, findings);
}

/** Nothing is wrong with it: no session is told of it. */
async function foreign(parts: DoctorParts): Promise<DoctorCheck> {
  const { store, foreignIn } = parts;
  const found: string[] = [];
  for (const projectId of await store.listProjects().catch(() => [])) {
    try {
      const text = await foreignIn(projectId);
      if (text !== undefined) found.push(`${projectId}: ${text}`);
    } catch (error) {
      onlyExpected(error); // told by the check of manifests
    }
  }
  const name = 'foreign memories';
  if (found.length === 0) return { name, ok: true, detail: 'no enabled project holds any' };
  return { name, ok: true, detail: `not from you, and told to no session: ${listed(found)}` };
}

async function trash(parts: DoctorParts): Promise<DoctorCheck> {
  const { store } = parts;
  const config = await store.readConfig().catch(() => undefined); // told by its own check
  const days = config?.storage.trashDays ?? 0;
  const totals = trashTotals(await new TrashService(parts).list().catch(() => []));
  const what = totals.items === 0 ? 'empty' : `${plural(totals.items, 'thing')}, ${Math.ceil(totals.bytes / 1024)} KB`;
  const fate =
    days === 0
      ? 'kept until somebody empties it'
      : `versions and compositions are deleted for good after ${plural(days, 'day')}`;
  return { name: 'trash', ok: true, detail: `${what}; ${fate}` };
}

async function cacheCheck(parts: DoctorParts): Promise<DoctorCheck> {
  const { claude, cache } = parts;
  const projectIds = await claude.projectIds().catch(() => []); // told by the check of Claude Code's folder
  const caches = await Promise.all(projectIds.map((id) => cache.load(id)));
  const known = sumOf(caches, (project) => Object.keys(project.transcripts).length);
  return { name: 'cache', ok: true, detail: `${plural(known, 'transcript')} need not be read again` };
}

/** Derived from transcripts: what is damaged is made again by the next search. */
async function searchIndex(parts: DoctorParts, repair: boolean, signal?: AbortSignal): Promise<DoctorCheck> {
  const { sessions, damaged } = await parts.searchIndex.check({ repair }, signal);
  const ok = damaged === 0 || repair;
  const made = `${plural(sessions, 'session')} can be searched at once`;
  const detail = damaged === 0 ? made : `${made}, ${plural(damaged, 'file')} of it ${repair ? 'was' : 'is'} damaged`;
  return { name: 'search index', ok, detail, hint: REPAIR };
}

async function machine(parts: DoctorParts): Promise<DoctorCheck[]> {
  const { nodeVersion, freeBytes, claudeCommand } = await parts.host.facts(parts.store.dir);
  const isNodeNew = Number.parseInt(nodeVersion, 10) >= MIN_NODE;
  return [
    {
      name: 'disk space',
      ok: freeBytes === undefined || freeBytes >= LOW_DISK_BYTES,
      detail: freeBytes === undefined ? 'unknown' : `${Math.round(freeBytes / 1024 / 1024)} MB free for the store`,
      hint: 'Free some disk space.',
    },
    {
      name: 'node',
      ok: isNodeNew,
      detail: `version ${nodeVersion}`,
      hint: `Keepit needs Node ${MIN_NODE} or newer.`,
    },
    // Nothing of this needs the command: that it is not there is told, not complained about.
    { name: 'claude command', ok: true, detail: claudeCommand ?? 'not found on PATH' },
  ];
}

/** An erase that was killed leaves what nobody else could explain. Only whoever asked for it goes on with it. */
async function erasing({ halfErased }: DoctorParts): Promise<{ check: DoctorCheck; sessionIds: ReadonlySet<string> }> {
  const name = 'erasing';
  try {
    const begun = await halfErased();
    const [first] = begun;
    if (first === undefined) return { check: { name, ok: true, detail: 'none was cut short' }, sessionIds: new Set() };
    const detail = `cut short, and to be finished: ${listed(begun.map(toldErase))}`;
    const again =
      first.words === undefined
        ? `\`${['keepit erase', first.sessionId, first.message].join(' ').trim()}\``
        : '`keepit erase --text` with the same words';
    const hint = `${again} takes away the rest; \`keepit never remove ${shortName(first)}\` leaves it.`;
    const sessions = begun.filter(({ message }) => message === undefined).flatMap(({ sessionId }) => sessionId ?? []);
    return { check: { name, ok: false, detail, hint }, sessionIds: new Set(sessions) };
  } catch (error) {
    return { check: failedCheck(name, error), sessionIds: new Set() };
  }
}

function toldErase(begun: BegunErase): string {
  const { sessionId, message, words } = begun;
  if (words !== undefined) return `words (${shortName(begun)})`;
  return message === undefined ? (sessionId ?? '') : `message ${message} of ${sessionId}`;
}

/** The hash of words is long, and its beginning enough. */
function shortName(begun: BegunErase): string {
  return begun.words?.slice(0, HASH_CHARS_SHOWN) ?? nameOfErase(begun);
}

function transcripts({ projects }: Discovery, erased: ReadonlySet<string>): DoctorCheck {
  const sessions = projects.flatMap((project) => project.sessions.filter(({ sessionId }) => !erased.has(sessionId)));
  const skipped = projects.flatMap((project) => project.skipped ?? []);
  const unreadable = [...projects, ...sessions, ...skipped].flatMap(({ problem }) => problem ?? []);
  const damaged = sessions.filter(({ brokenLines }) => brokenLines > 0);
  const lines = sumOf(damaged, ({ brokenLines }) => brokenLines);
  const broken = lines === 0 ? '' : `; passed over: ${plural(lines, 'damaged line')} in ${damaged.length} of them`;
  if (unreadable.length === 0)
    return { name: 'transcripts', ok: true, detail: `${plural(sessions.length, 'session')} can be read${broken}` };
  return {
    name: 'transcripts',
    ok: false,
    detail: listed(unreadable),
    hint: 'Give yourself read access to what may not be read, and put files themselves where there are links.',
  };
}

function expiring({ projects }: Discovery): DoctorCheck {
  const isExpiring = ({ registered, expiresInDays, messages }: DiscoveredSession) =>
    !registered && messages > 0 && expiresInDays !== undefined && expiresInDays <= EXPIRING_DAYS;
  const sessions = projects.flatMap((project) => project.sessions).filter(isExpiring);
  const name = 'expiring sessions';
  if (sessions.length === 0) return { name, ok: true, detail: 'none will be deleted soon without being in memory' };
  return {
    name,
    ok: false,
    detail: `${sessions.length} will be deleted by Claude Code within ${EXPIRING_DAYS} days and are not in memory`,
    hint: '`keepit register <session>` keeps them.',
  };
}

function storeCheck({ name, kinds, sound, hint }: StoreCheckKind, findings: readonly StoreFinding[]): DoctorCheck {
  const own = findings.filter(({ kind }) => kinds.includes(kind));
  const open = own.filter(({ isRepaired }) => !isRepaired);
  if (open.length === 0) {
    return {
      name,
      ok: true,
      detail: own.length === 0 ? sound : `mended: ${listed(own.map(told))}`,
    };
  }
  const isRepairable = open.some((finding) => finding.isRepairable);
  return {
    name,
    ok: false,
    detail: listed(open.map(told)),
    hint: open.find((finding) => finding.hint !== undefined)?.hint ?? hint,
    ...(isRepairable && { isRepairable }),
  };
}

function told({ path, problem }: StoreFinding): string {
  return problem.includes(path) ? problem : `${path}: ${problem}`;
}

function listed(problems: readonly string[]): string {
  const rest = problems.length - FINDINGS_SHOWN;
  return problems.slice(0, FINDINGS_SHOWN).join(' · ') + (rest > 0 ? ` · and ${rest} more` : '');
}
