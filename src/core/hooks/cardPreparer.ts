import { KeepitError } from '../errors';
import { storedKeepits } from '../keepit/effectiveKeepits';
import { factViews, type FactView } from '../layers/facts/factViews';
import { MANNER } from '../layers/keywords';
import type { LayersService } from '../layers/layersService';
import type { LayerFiles, LayerPlace, LayerStore } from '../layers/layerStore';
import { MEMORY } from '../layers/rolling/rollingFiles';
import { writable } from '../layers/writable';
import type { Concept } from '../model/layers';
import type { HookCard, KeptSession } from '../model/hookCard';
import type { ProjectManifest } from '../model/manifest';
import { readSummary } from '../notebook/trackingPoint';
import type { NotebookService } from '../notebook/notebookService';
import type { Clock, MemoryStore } from '../ports';
import { EstimatingTokenCounter } from '../tokens/estimatingTokenCounter';
import { harmless, isTrusted, makeCard, type MemoryText } from './cardMaker';
import type { HookStore } from './hookStore';
import { indexReminders, type ReminderSource } from './reminders';

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
/** A hook reads all that it may remind of: so much of each kind, the latest first. */
const MOST_UNITS = 400;
/** A keepit of less weight is a hint. */
const LEAST_KEEPIT = 0.5;
const MAX_UNIT = 600;
const CONVERSATIONS = 'conversations';

/** What an enabled project has on disk. */
interface ProjectMemory {
  readonly facts: FactView[];
  readonly concepts: readonly Concept[];
  readonly rolling?: MemoryText;
  readonly master?: MemoryText & { readonly synthesized?: string };
  readonly summaries: readonly { readonly name: string; readonly text: string }[];
  readonly newSummaries: number;
}

const NOTHING: ProjectMemory = { facts: [], concepts: [], summaries: [], newSummaries: 0 };

/** Makes ready what the hooks of a project give to sessions. Writes into the store alone. */
export class CardPreparer {
  private readonly counter = new EstimatingTokenCounter();

  constructor(private readonly parts: CardPreparerParts) {}

  /** Throws `StoreError`. */
  async prepare(projectId: string): Promise<HookCard> {
    const { hookStore, store, clock } = this.parts;
    const place = await unlessExpected(this.parts.layers.enabledPlace(projectId));
    // Taken before the files are read, a stamp is never newer than what was read.
    const files = place === undefined ? [] : await this.filesOf(place);
    const sources = await hookStore.stamps(projectId, files);
    const memory = place === undefined ? NOTHING : await this.memoryOf(projectId, place);
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
      countTokens: (text) => this.counter.count(text),
    });
    await hookStore.saveReminders(
      projectId,
      indexReminders(reminderSources(memory, sessions, manifest), (stem) => MANNER.has(stem)),
    );
    await hookStore.saveCard(projectId, card);
    return card;
  }

  private async filesOf(place: LayerPlace): Promise<string[]> {
    const [layerDir, noteDir] = [await this.dirOf(place), await this.dirOf(notebookOf(place))];
    return [`${layerDir}/facts.json`, `${layerDir}/${MEMORY}`, `${noteDir}/master.md`, `${noteDir}/${CONVERSATIONS}`];
  }

  private async dirOf(place: LayerPlace): Promise<string> {
    return (await this.parts.layerStore.examine(place)).dir;
  }

  private async memoryOf(projectId: string, place: LayerPlace): Promise<ProjectMemory> {
    const { layers, layerStore } = this.parts;
    const l4 = await unlessExpected(layers.layer(projectId, 'l4'));
    const l3 = await unlessExpected(layers.layer(projectId, 'l3'));
    const rolling = await layerStore.files(place).read(MEMORY);
    const recalled = await unlessExpected(this.parts.notebook.recall(projectId));
    const summaries = await summariesIn(layerStore.files(notebookOf(place)));
    return {
      facts: l4?.layer === 'l4' ? factViews(l4.facts) : [],
      concepts: l3?.layer === 'l3' ? l3.concepts : [],
      ...(rolling !== undefined && { rolling: { file: `${await this.dirOf(place)}/${MEMORY}`, text: rolling } }),
      ...(recalled !== undefined && { master: { ...recalled, ...synthesizedAt(recalled.lastSynthesized) } }),
      summaries,
      newSummaries: recalled === undefined ? summaries.length : recalled.newSources.length,
    };
  }
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

async function summariesIn(files: LayerFiles): Promise<{ name: string; text: string }[]> {
  const names = (await files.names(CONVERSATIONS)).filter((name) => name.endsWith('.md'));
  const summaries = [];
  for (const name of names.slice(-MOST_UNITS)) {
    summaries.push({ name: name.slice(0, -'.md'.length), text: (await files.read(`${CONVERSATIONS}/${name}`)) ?? '' });
  }
  return summaries;
}

/** What prompts may remind of: what the user stated, confirmed or marked, and what sessions were about. */
function reminderSources(
  { facts, concepts, summaries }: ProjectMemory,
  sessions: readonly KeptSession[],
  manifest: ProjectManifest | undefined,
): ReminderSource[] {
  const byKind: ReminderSource[][] = [
    facts.filter(isTrusted).map((fact) => ({
      id: `fact ${fact.id}`,
      text: fact.content,
      label: labelOf(
        fact.isConfirmed ? 'confirmed by the user' : 'the user said',
        fact.source?.ts,
        fact.source?.sessionId,
      ),
      sessionId: fact.source?.sessionId,
    })),
    Object.values(manifest?.sessions ?? {}).flatMap((entry) =>
      storedKeepits(entry)
        .filter(({ weight }) => weight >= LEAST_KEEPIT)
        .map(({ markerId, content }) => ({
          id: `keepit ${markerId}`,
          text: content,
          label: labelOf('marked by the user', entry.lastTimestamp, entry.sessionId),
          sessionId: entry.sessionId,
        })),
    ),
    sessions.flatMap(({ sessionId, at, decisions }) =>
      decisions.map((text) => ({ id: `point ${text}`, text, label: labelOf('decided', at, sessionId), sessionId })),
    ),
    summaries.flatMap(({ name, text }) => {
      const { points, date } = readSummary(text);
      return points.map((point) => ({
        id: `point ${point.text}`,
        text: point.text,
        label: labelOf(point.label.toLowerCase(), date, name),
        sessionId: name,
      }));
    }),
    concepts.map(({ id, name, summary, updated, files }) => ({
      id: `concept ${id}`,
      text: `${name}: ${summary}${files.length === 0 ? '' : ` (${files.slice(0, 4).join(', ')})`}`,
      label: labelOf(`worked on as concept ${id}`, updated),
    })),
  ];
  const known = new Set<string>();
  return byKind.flatMap((sources) =>
    sources
      .slice(0, MOST_UNITS)
      .map((source) => ({ ...source, text: harmless(writable(source.text)).slice(0, MAX_UNIT) }))
      .filter(({ text }) => text !== '' && !known.has(text) && known.add(text)),
  );
}

function labelOf(what: string, at: string | undefined, sessionId?: string): string {
  const day = at?.slice(0, 10) ?? '';
  return [what, day, sessionId === undefined ? '' : `session ${sessionId.slice(0, 8)}`]
    .filter((word) => word !== '')
    .join(', ');
}
