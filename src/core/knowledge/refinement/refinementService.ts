import type { CheckedQuestion, ModelAsker } from '../../versions/models/modelAsker';
import { SummarizerError } from '../../versions/summarizerError';
import { NO_COST, type SummarizerName, type SummaryCost } from '../../versions/types';
import type { Concept, Exchange } from '../../model/layers';
import { ownValue } from '../../text/ownValue';
import type { Clock, Log } from '../../model/host';
import type { MemoryStore } from '../../model/memoryStore';
import type { TokenCounters } from '../../text/tokens/tokenCounter';
import type { SessionRef } from '../../sessions/results';
import { readL1 } from '../l1Text';
import { l1File, LayerDocuments } from '../layerDocuments';
import { LayersError } from '../layersError';
import type { LayersService } from '../layersService';
import type { LayerFiles, LayerPlace, LayerStore } from '../layerStore';
import { conceptItem, exchangeItem, type RefinableItem } from './refinable';
import { readRefinements, type Refinement, type Refinements } from './refineAnswer';
import { refinePrompt, refineSystem } from './refinePrompt';
import { wordsOfOurs } from './refined';

export interface RefinementParts {
  readonly layers: Pick<LayersService, 'enabledPlace'>;
  readonly layerStore: LayerStore;
  readonly store: MemoryStore;
  readonly tokens: TokenCounters;
  readonly clock: Clock;
  readonly log: Log;
  /** Ways to ask a model; none on a host that has none. */
  readonly askers?: readonly ModelAsker[];
}

export interface RefineRequest {
  readonly provider: Exclude<SummarizerName, 'local'>;
  readonly model?: string | undefined;
  readonly maxCostUsd?: number | undefined;
}

/** What a model would be asked, or has answered. */
export interface RefineReport extends Refinements {
  readonly sessionId: string;
  readonly asked: { readonly exchanges: number; readonly concepts: number };
  readonly model: string;
  readonly cost: SummaryCost;
}

/** So much is asked at once; what is left comes with the next call. */
const MAX_PROMPT_TOKENS = 40_000;
const TOKENS_AROUND = 700;
const TOKENS_PER_ANSWER = 90;

/**
 * Has a model put the names and summaries of a session's exchanges and concepts into better words: in one question, behind the cost
 * gate. What our code says stays beside it, and is shown again when the layers come to say something else.
 */
export class RefinementService {
  constructor(private readonly parts: RefinementParts) {}

  /** What it would cost. Nobody is asked, and nothing is written. */
  async estimate(ref: SessionRef, request: RefineRequest): Promise<RefineReport> {
    const { asker, options, question, items } = await this.prepared(ref, request);
    const cost = items.length === 0 ? NO_COST : await asker.estimate(question, options);
    return { ...reportOf(ref, items), model: options.model, cost, accepted: [], rejected: [] };
  }

  /** Asks, and writes what holds. Throws `LayersError`, `SummarizerError`, `StoreError`; nothing is written then. */
  async refine(ref: SessionRef, request: RefineRequest, signal?: AbortSignal): Promise<RefineReport> {
    const { asker, options, question, items, place } = await this.prepared(ref, request);
    if (items.length === 0)
      return { ...reportOf(ref, items), model: options.model, cost: NO_COST, accepted: [], rejected: [] };
    const { value, model, cost } = await asker.ask(question, options, signal);
    const at = this.parts.clock.now().toISOString();
    await this.parts.layerStore.change(place, (files) => this.write(files, ref, { ...value, model, at }), signal);
    return { ...reportOf(ref, items), ...value, model, cost };
  }

  private async prepared(ref: SessionRef, request: RefineRequest) {
    const asker = this.parts.askers?.find(({ name }) => name === request.provider);
    if (asker === undefined) throw new SummarizerError('unavailable', { detail: request.provider });
    const place = await this.parts.layers.enabledPlace(ref.projectId);
    const { defaults } = await this.parts.store.readConfig();
    const options = { model: request.model ?? defaults.model, maxCostUsd: request.maxCostUsd };
    const { items, tokens } = await this.items(ref, place);
    const question: CheckedQuestion<Refinements> = {
      system: refineSystem,
      prompt: (problem) => refinePrompt(items, problem),
      promptTokens: tokens + TOKENS_AROUND,
      answerTokens: items.length * TOKENS_PER_ANSWER,
      purpose: 'refine',
      sessionId: ref.sessionId,
      read: (text) => readRefinements(text, items),
    };
    return { asker, options, question, items, place };
  }

  /** What has no words of a model's yet, the newest first. */
  private async items(ref: SessionRef, place: LayerPlace): Promise<{ items: RefinableItem[]; tokens: number }> {
    const files = this.parts.layerStore.files(place);
    const documents = new LayerDocuments(files, this.parts.log, false);
    const { state, concepts } = await documents.load();
    const session = ownValue(state.sessions, ref.sessionId);
    if (session === undefined) throw new LayersError('not-built', `layer of session ${ref.sessionId}`);
    const exchanges = await documents.exchanges(session.file, ref.sessionId);
    const entries = readL1((await files.read(l1File(session.file))) ?? '');
    const summaries = new Map(exchanges.map(({ id, summary }) => [id, summary]));
    const own = concepts.filter((concept) => concept.exchanges.some((id) => summaries.has(id)));
    const counter = await this.parts.tokens.exact();
    const items: RefinableItem[] = [];
    let tokens = 0;
    const add = (make: (number: number) => RefinableItem): void => {
      const item = make(items.length + 1);
      const size = counter.count(item.source);
      if (tokens + size > MAX_PROMPT_TOKENS) return;
      items.push(item);
      tokens += size;
    };
    for (const exchange of [...exchanges].reverse())
      if (!isRefined(exchange)) add((number) => exchangeItem(exchange, entries, number));
    for (const concept of own) if (!isRefined(concept)) add((number) => conceptItem(concept, summaries, number));
    return { items, tokens };
  }

  private async write(
    files: LayerFiles,
    ref: SessionRef,
    { accepted, model, at }: { accepted: readonly Refinement[]; model: string; at: string },
  ): Promise<void> {
    const documents = new LayerDocuments(files, this.parts.log, true);
    const { state, concepts, facts } = await documents.load();
    const session = ownValue(state.sessions, ref.sessionId);
    if (session === undefined) return; // the layers were made anew meanwhile
    const byId = new Map(accepted.map((refinement) => [`${refinement.item.kind} ${refinement.item.id}`, refinement]));
    const exchanges = (await documents.exchanges(session.file, ref.sessionId)).map((exchange): Exchange => {
      const { summary } = byId.get(`exchange ${exchange.id}`) ?? {};
      if (summary === undefined) return exchange;
      return { ...exchange, refined: { summary, of: wordsOfOurs({ summary: exchange.summary }), model, at } };
    });
    const named = concepts.map((concept): Concept => {
      const { name, summary } = byId.get(`concept ${concept.id}`) ?? {};
      if (name === undefined) return concept;
      return {
        ...concept,
        refined: { name, ...(summary !== undefined && { summary }), of: wordsOfOurs(concept), model, at },
      };
    });
    await documents.saveExchanges(session.file, ref.sessionId, exchanges);
    await documents.save({ facts, concepts: named, state });
  }
}

function isRefined(one: Exchange | Concept): boolean {
  const { refined, summary } = one;
  return (
    refined?.of ===
    wordsOfOurs('name' in one && typeof one.name === 'string' ? { name: one.name, summary } : { summary })
  );
}

function reportOf(
  { sessionId }: SessionRef,
  items: readonly RefinableItem[],
): Pick<RefineReport, 'sessionId' | 'asked'> {
  const count = (kind: RefinableItem['kind']): number => items.filter((item) => item.kind === kind).length;
  return { sessionId, asked: { exchanges: count('exchange'), concepts: count('concept') } };
}
