import { KeepitError } from '../../text/keepitError';
import { factViews, type FactView } from '../../knowledge/facts/factViews';
import { REQUEST_MANNER } from '../../material/keywords';
import type { LayersService } from '../../knowledge/layersService';
import type { LayerFiles, LayerPlace, LayerStore } from '../../knowledge/layerStore';
import { MEMORY } from '../../knowledge/rolling/rollingFiles';
import type { Concept } from '../../model/layers';
import type { HookCard, KeptSession } from '../../model/hookCard';
import type { NotebookService } from '../../knowledge/notes/notebookService';
import type { Clock } from '../../model/host';
import type { MemoryStore } from '../../model/memoryStore';
import { EstimatingTokenCounter } from '../../text/tokens/estimatingTokenCounter';
import { storedKeepits } from '../../keepits/effectiveKeepits';
import { writable } from '../../text/secrets/cleanText';
import type { ProjectManifest } from '../../model/manifest';
import { readSummary } from '../../knowledge/notes/trackingPoint';
import { makeCard, type MemoryText, isTrusted } from './cardMaker';
import type { HookStore } from './hookStore';
import { indexReminders, type ReminderSource } from './reminders';
import { harmless } from './sessionAnswers';
import { wholeUnits } from './hookAnswer';

export interface CardPreparerParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly layers: LayersService;
  readonly layerStore: LayerStore;
  readonly notebook: NotebookService;
  readonly clock: Clock;
}

/** So many sessions, the latest ones, are asked for what they left behind. */
const MOST_SESSIONS = 100;
const CONVERSATIONS = 'conversations';

/** What an enabled project has on disk. */
interface ProjectMemory {
  readonly facts: FactView[];
  readonly concepts: readonly Concept[];
  readonly exchanges: ReadonlyMap<string, ExchangePlace>;
  readonly rolling?: MemoryText;
  readonly master?: MemoryText & { readonly synthesized?: string };
  readonly summaries: readonly { readonly name: string; readonly text: string }[];
  readonly newSummaries: number;
}

const NOTHING: ProjectMemory = { facts: [], concepts: [], exchanges: new Map(), summaries: [], newSummaries: 0 };

/** Makes ready what the hooks of a project give to sessions. Writes into the store alone. Throws `StoreError`. */
export async function prepareCard(parts: CardPreparerParts, projectId: string): Promise<HookCard> {
  const { hookStore, store, clock } = parts;
  const place = await unlessExpected(parts.layers.enabledPlace(projectId));
  // Taken before the files are read, a stamp is never newer than what was read.
  const files = place === undefined ? [] : await filesOf(parts, place);
  const counter = new EstimatingTokenCounter();
  const sources = await hookStore.stamps(projectId, files);
  const memory = place === undefined ? NOTHING : await memoryOf(parts, projectId, place);
  const sessions = await hookStore.keptSessions(projectId, MOST_SESSIONS);
  const manifest = await store.readManifest(projectId);
  const config = await store.readConfig();
  const card = makeCard({
    projectId,
    madeAt: clock.now().toISOString(),
    sources,
    settings: config.hooks,
    isAutomatic: manifest?.settings.autoRegisterNewSessions ?? config.defaults.autoRegisterSessions,
    facts: memory.facts,
    master: memory.master,
    rolling: memory.rolling,
    sessions,
    summaries: { all: memory.summaries.length, new: memory.newSummaries },
    countTokens: (text) => counter.count(text),
  });
  await hookStore.saveReminders(
    projectId,
    indexReminders(reminderSources({ ...memory, sessions, manifest }), (stem) => REQUEST_MANNER.has(stem)),
  );
  await hookStore.saveCard(projectId, card);
  return card;
}

async function filesOf(parts: CardPreparerParts, place: LayerPlace): Promise<string[]> {
  const [layerDir, noteDir] = [await dirOf(parts, place), await dirOf(parts, notebookOf(place))];
  return [`${layerDir}/facts.json`, `${layerDir}/${MEMORY}`, `${noteDir}/master.md`, `${noteDir}/${CONVERSATIONS}`];
}

async function dirOf(parts: CardPreparerParts, place: LayerPlace): Promise<string> {
  return (await parts.layerStore.examine(place)).dir;
}

async function memoryOf(parts: CardPreparerParts, projectId: string, place: LayerPlace): Promise<ProjectMemory> {
  const { layers, layerStore } = parts;
  const l4 = await unlessExpected(layers.layer(projectId, 'l4'));
  const l3 = await unlessExpected(layers.layer(projectId, 'l3'));
  const l2 = await unlessExpected(layers.layer(projectId, 'l2'));
  const rolling = await layerStore.files(place).read(MEMORY);
  const recalled = await unlessExpected(parts.notebook.recall(projectId));
  const summaries = await summariesIn(layerStore.files(notebookOf(place)));
  return {
    facts: l4?.layer === 'l4' ? factViews(l4.facts) : [],
    concepts: l3?.layer === 'l3' ? l3.concepts : [],
    exchanges: l2?.layer === 'l2' ? placesIn(l2.sessions) : new Map(),
    ...(rolling !== undefined && { rolling: { file: `${await dirOf(parts, place)}/${MEMORY}`, text: rolling } }),
    ...(recalled !== undefined && { master: { ...recalled, ...synthesizedAt(recalled.lastSynthesized) } }),
    summaries,
    newSummaries: recalled === undefined ? summaries.length : recalled.newSources.length,
  };
}

function notebookOf(place: LayerPlace): LayerPlace {
  return { ...place, room: 'notebook' };
}

function synthesizedAt(at: string | undefined): { synthesized?: string } {
  return at === undefined ? {} : { synthesized: at };
}

/** Undefined for what is not there, not enabled, or cannot be read now: hooks then say nothing of it. */
async function unlessExpected<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeepitError) return undefined;
    throw error;
  }
}

function placesIn(
  sessions: readonly { sessionId: string; exchanges: readonly { id: string; ts: string }[] }[],
): Map<string, ExchangePlace> {
  return new Map(
    sessions.flatMap(({ sessionId, exchanges }) => exchanges.map(({ id, ts }) => [id, { sessionId, at: ts }] as const)),
  );
}

async function summariesIn(files: LayerFiles): Promise<{ name: string; text: string }[]> {
  const names = (await files.names(CONVERSATIONS)).filter((name) => name.endsWith('.md'));
  const summaries = [];
  for (const name of names.slice(-MOST_OF_A_KIND)) {
    summaries.push({ name: name.slice(0, -'.md'.length), text: (await files.read(`${CONVERSATIONS}/${name}`)) ?? '' });
  }
  return summaries;
}

/** A hook reads all that it may remind of: so much of each kind, the latest first. */
const MOST_OF_A_KIND = 400;

/** A keepit of less weight is a hint. */
const LEAST_KEEPIT = 0.5;
const MAX_UNIT = 600;
const MAX_TITLE = 60;
const SHORT_ID = 8;
const MOST_FILES = 4;

/** Where and when something was said. */
interface ExchangePlace {
  readonly sessionId: string;
  readonly at: string;
}

/** All that prompts may remind of. */
export interface ReminderMaterial {
  readonly facts: readonly FactView[];
  readonly concepts: readonly Concept[];
  /** Of each exchange that a concept consists of. */
  readonly exchanges: ReadonlyMap<string, ExchangePlace>;
  readonly summaries: readonly { readonly name: string; readonly text: string }[];
  /** The latest first. */
  readonly sessions: readonly KeptSession[];
  readonly manifest: ProjectManifest | undefined;
}

/**
 * What prompts may remind of: what the user stated, confirmed or marked, and what sessions were about. Each says what it is, and when and in
 * which session it was said, so that one can go there.
 */
export function reminderSources(material: ReminderMaterial): ReminderSource[] {
  const kinds = [factSources, keepitSources, decisionSources, summarySources, conceptSources];
  const known = new Set<string>();
  return kinds.flatMap((sourcesOf) =>
    sourcesOf(material)
      .slice(0, MOST_OF_A_KIND)
      .map((source) => ({ ...source, text: wholeUnits(harmless(writable(source.text)), MAX_UNIT) }))
      .filter(({ text }) => text !== '' && !known.has(text) && known.add(text)),
  );
}

function factSources(material: ReminderMaterial): ReminderSource[] {
  return material.facts.filter(isTrusted).map(({ id, content, isConfirmed, source }) => ({
    id: `fact ${id}`,
    text: content,
    ...origin(material, isConfirmed ? 'confirmed by the user' : 'the user said', source?.sessionId, source?.ts),
  }));
}

function keepitSources(material: ReminderMaterial): ReminderSource[] {
  return Object.values(material.manifest?.sessions ?? {}).flatMap((entry) =>
    storedKeepits(entry)
      .filter(({ weight }) => weight >= LEAST_KEEPIT)
      .map(({ markerId, content }) => ({
        id: `keepit ${markerId}`,
        text: content,
        ...origin(material, 'marked by the user', entry.sessionId, entry.lastTimestamp),
      })),
  );
}

function decisionSources(material: ReminderMaterial): ReminderSource[] {
  return material.sessions.flatMap(({ sessionId, at, decisions }) =>
    decisions.map((text) => ({ id: `point ${text}`, text, ...origin(material, 'decided', sessionId, at) })),
  );
}

function summarySources(material: ReminderMaterial): ReminderSource[] {
  return material.summaries.flatMap(({ name, text }) => {
    const { points, date } = readSummary(text);
    return points.map((point) => ({
      id: `point ${point.text}`,
      text: point.text,
      ...origin(material, point.label.toLowerCase(), name, date),
    }));
  });
}

/** A concept grows over sessions: it is told of the last one that was about it. */
function conceptSources(material: ReminderMaterial): ReminderSource[] {
  return material.concepts.map(({ id, name, summary, updated, files, exchanges }) => {
    const places = exchanges.flatMap((exchange) => material.exchanges.get(exchange) ?? []);
    const last = places.reduce<ExchangePlace | undefined>(
      (latest, place) => (latest === undefined || latest.at <= place.at ? place : latest),
      undefined,
    );
    return {
      id: `concept ${id}`,
      text: `${name}: ${summary}${files.length === 0 ? '' : ` (${files.slice(0, MOST_FILES).join(', ')})`}`,
      ...origin(material, `worked on as concept ${id}`, last?.sessionId, last?.at ?? updated),
    };
  });
}

/** What something is, its day, and its session: the beginning of the id, which `keepit show` takes, and the title. */
function origin(
  { manifest, sessions }: ReminderMaterial,
  what: string,
  sessionId: string | undefined,
  at: string | undefined,
): Pick<ReminderSource, 'label' | 'sessionId'> {
  const day = at?.slice(0, 10) ?? '';
  const words = [what, ...(day === '' ? [] : [day])];
  if (sessionId === undefined) return { label: words.join(', ') };
  const registered = Object.entries(manifest?.sessions ?? {}).find(([id]) => id === sessionId)?.[1];
  const kept = sessions.find((session) => session.sessionId === sessionId);
  const title = titleText(registered?.metadata.title ?? kept?.title ?? '');
  words.push(`session ${sessionId.slice(0, SHORT_ID)}${title === '' ? '' : ` “${title}”`}`);
  return { label: words.join(', '), sessionId };
}

function titleText(title: string): string {
  const line = harmless(writable(title))
    .replace(/[\s“”]+/g, ' ')
    .trim();
  return line.length > MAX_TITLE ? `${wholeUnits(line, MAX_TITLE - 1)}…` : line;
}
