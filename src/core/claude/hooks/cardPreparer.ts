import { KeepitError } from '../../text/keepitError';
import { factViews, type FactView } from '../../knowledge/facts/factViews';
import { REQUEST_MANNER } from '../../material/keywords';
import type { LayersService } from '../../knowledge/layersService';
import type { LayerFiles, LayerPlace, LayerStore } from '../../knowledge/layerStore';
import { MEMORY } from '../../knowledge/rolling/rollingFiles';
import type { Concept } from '../../model/layers';
import type { HookCard } from '../../model/hookCard';
import type { NotebookService } from '../../knowledge/notes/notebookService';
import type { Clock } from '../../model/host';
import type { MemoryStore } from '../../model/memoryStore';
import { EstimatingTokenCounter } from '../../text/tokens/estimatingTokenCounter';
import { makeCard, type MemoryText } from './cardMaker';
import type { HookStore } from './hookStore';
import { indexReminders } from './reminders';
import { MOST_OF_A_KIND, reminderSources, type ExchangePlace } from './reminderSources';

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
      indexReminders(reminderSources({ ...memory, sessions, manifest }), (stem) => REQUEST_MANNER.has(stem)),
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
    const l2 = await unlessExpected(layers.layer(projectId, 'l2'));
    const rolling = await layerStore.files(place).read(MEMORY);
    const recalled = await unlessExpected(this.parts.notebook.recall(projectId));
    const summaries = await summariesIn(layerStore.files(notebookOf(place)));
    return {
      facts: l4?.layer === 'l4' ? factViews(l4.facts) : [],
      concepts: l3?.layer === 'l3' ? l3.concepts : [],
      exchanges: l2?.layer === 'l2' ? placesIn(l2.sessions) : new Map(),
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
