import { sumOf } from '../../text/ownValue';
import { isAbortError } from '../../text/keepitError';
import type { Clock, Ledger, Log } from '../../model/host';
import type { SummaryCost } from '../types';
import { redactSecrets } from '../../text/secrets/secrets';
import type { LedgerEntry } from '../../model/models';
import { affordableOutput, costUsd, worstCostUsd, roundUsd } from './cost';
import {
  NO_USAGE,
  type KnownModel,
  type ModelAnswer,
  type ModelCaller,
  type TokenUsage,
  SummarizerError,
} from './modelCaller';
import { type CostGate, startOfDay } from './costGate';

export interface CallPorts {
  readonly caller: ModelCaller;
  readonly gate: CostGate;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

/** What all calls of one piece of work have in common. */
interface CallContext {
  readonly model: KnownModel;
  readonly stallMs: number;
  readonly system: string;
  /** For the ledger: `compress`. */
  readonly purpose: string;
  readonly sessionId?: string | undefined;
}

/** One question, and how large it is in o200k_base. */
export interface CallQuestion {
  readonly prompt: string;
  readonly tokens: number;
  readonly maxOutputTokens: number;
  /** With less room the question is not worth asking. */
  readonly leastOutputTokens: number;
  readonly onText: (characters: number) => void;
}

/** The calls of one piece of work: each within the limits, and in the ledger however it ends. */
export class LedgeredCalls {
  readonly responseIds: string[] = [];
  private spent: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

  constructor(
    private readonly ports: CallPorts,
    private readonly context: CallContext,
  ) {}

  get cost(): SummaryCost {
    return this.spent;
  }

  /** Throws `SummarizerError`, also for an answer that was refused; a call that the limits forbid is not made. */
  async call(question: CallQuestion, signal?: AbortSignal): Promise<ModelAnswer> {
    signal?.throwIfAborted();
    const { caller, gate, clock } = this.ports;
    const { model, stallMs, system } = this.context;
    const { prompt, onText } = question;
    const sentTokens = question.tokens * model.facts.tokenFactor + caller.overheadTokens;
    const affordable = affordableOutput(model.facts, sentTokens, await gate.left());
    const maxOutputTokens = Math.max(question.leastOutputTokens, Math.min(question.maxOutputTokens, affordable));
    const reservation = await gate.reserve(worstCostUsd(model.facts, sentTokens, maxOutputTokens));
    const startedMs = clock.now().getTime();
    let usage = NO_USAGE;
    let characters = 0;
    const listener = {
      onText: (count: number) => {
        characters = count;
        onText(count);
      },
      onUsage: (told: TokenUsage) => {
        usage = told;
      },
    };
    let ended = { outcome: 'ok', usage, usd: 0, responseId: '' };
    try {
      const answer = await caller.call(
        // The last place that all words for models pass: what two clean texts make together is looked through as well.
        { model, system, prompt: redactSecrets(prompt).text, maxOutputTokens, maxUsd: reservation.usd, stallMs },
        listener,
        signal,
      );
      const outcome = answer.end === 'complete' ? 'ok' : answer.end;
      ended = { ...answer, outcome, usd: answer.usd ?? costUsd(model.facts, answer.usage) };
      if (answer.end === 'refused') throw new SummarizerError('refused');
      return answer;
    } catch (error) {
      if (ended.outcome === 'ok') {
        const told = withText(usage, characters);
        ended = { outcome: outcomeOf(error), usage: told, usd: costUsd(model.facts, told), responseId: '' };
      }
      throw error;
    } finally {
      await this.record(ended, startedMs);
      reservation.settle(ended.usd);
    }
  }

  private async record(
    { outcome, usage, usd, responseId }: { outcome: string; usage: TokenUsage; usd: number; responseId: string },
    startedMs: number,
  ): Promise<void> {
    const { caller, clock, ledger, log } = this.ports;
    const { model, purpose, sessionId } = this.context;
    const promptTotal = usage.inputTokens + usage.cacheWriteTokens + usage.cacheReadTokens;
    this.spent = {
      calls: this.spent.calls + 1,
      inputTokens: this.spent.inputTokens + promptTotal,
      outputTokens: this.spent.outputTokens + usage.outputTokens,
      usd: this.spent.usd + usd,
    };
    if (responseId !== '') this.responseIds.push(responseId);
    const now = clock.now();
    try {
      await ledger.append({
        at: now.toISOString(),
        provider: caller.name,
        model: model.id,
        purpose,
        ...(sessionId !== undefined && { sessionId }),
        ...usage,
        usd,
        durationMs: now.getTime() - startedMs,
        outcome,
        ...(responseId !== '' && { responseId }),
      });
    } catch (error) {
      // The money is spent: what it bought is not thrown away because it could not be written down.
      log.error('A call of a model could not be written into the ledger', error);
    }
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof SummarizerError) return error.reason;
  return isAbortError(error) ? 'cancelled' : 'failed';
}

const CHARACTERS_PER_TOKEN = 4;

/** Providers tell what an answer took when it is complete; of one that is not, what came of it is the least. */
function withText(usage: TokenUsage, characters: number): TokenUsage {
  return { ...usage, outputTokens: Math.max(usage.outputTokens, Math.ceil(characters / CHARACTERS_PER_TOKEN)) };
}

export interface LedgerTotals {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

/** What calls have taken and cost together; tokens that a cache had a part in count as input. */
export function ledgerTotals(entries: readonly LedgerEntry[]): LedgerTotals {
  return {
    calls: entries.length,
    inputTokens: sumOf(entries, (entry) => promptTokensOf(entry)),
    outputTokens: sumOf(entries, ({ outputTokens }) => outputTokens),
    usd: roundUsd(sumOf(entries, ({ usd }) => usd)),
  };
}

/** The calls that ended on the host's calendar day of `now`: those that count for the limit of a day. */
export function entriesOfDay(entries: readonly LedgerEntry[], now: Date): LedgerEntry[] {
  const start = startOfDay(now).getTime();
  return entries.filter(({ at }) => Date.parse(at) >= start);
}

export function promptTokensOf({ inputTokens, cacheWriteTokens, cacheReadTokens }: LedgerEntry): number {
  return inputTokens + cacheWriteTokens + cacheReadTokens;
}
