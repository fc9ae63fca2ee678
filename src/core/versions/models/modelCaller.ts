import { KeepitError, type ErrorText } from '../../text/keepitError';
import type { SummarizerName } from '../types';
import { knownAliases, knownModels, modelFactsSchema, type ModelFacts, type ModelSettings } from '../../model/models';
import { ownValue } from '../../text/ownValue';
import { schemaProblem } from '../../model/fields';

/** The summarizers that ask a model. */
type ModelProvider = Exclude<SummarizerName, 'local'>;

/** Tokens as the provider counts and bills them. */
export interface TokenUsage {
  /** Without what the cache took part in. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
}

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 };

/** A model with everything that a budget needs to know of it. */
export interface KnownModel {
  /** As the provider calls it. */
  readonly id: string;
  readonly facts: ModelFacts;
}

/** One question to a model. */
export interface ModelCall {
  readonly model: KnownModel;
  /** The same for all calls of one prompt version: worth a cache where there is one. */
  readonly system: string;
  readonly prompt: string;
  /** What thinking takes is included. */
  readonly maxOutputTokens: number;
  /** What the call must not exceed, for providers that can be told. */
  readonly maxUsd: number;
  readonly stallMs: number;
}

export interface ModelAnswer {
  readonly text: string;
  /** `truncated`: the room for the answer ran out. `refused`: the model, or what guards it, declined. */
  readonly end: 'complete' | 'truncated' | 'refused';
  readonly usage: TokenUsage;
  /** Where the provider says so itself; else it follows from the usage and the model's prices. */
  readonly usd?: number;
  readonly responseId: string;
}

/** Told while an answer comes. What was told last counts when the call fails, or is given up. */
export interface CallListener {
  /** Characters of the answer so far. */
  readonly onText: (characters: number) => void;
  /** What the provider has said so far of what it bills. */
  readonly onUsage: (usage: TokenUsage) => void;
}

/**
 * A way to ask a model one question. Retries what passes by itself (rate limits, overload, lost connections before an answer
 * began); everything that is no answer is a `SummarizerError`, an abort rejects with the signal's reason.
 */
export interface ModelCaller {
  readonly name: ModelProvider;
  /** How many calls may be under way at once. */
  readonly parallelCalls: number;
  /** Tokens that the provider puts around a prompt. */
  readonly overheadTokens: number;
  /** What a name or an alias stands for. Asks nobody for money; throws `SummarizerError`. */
  model(name: string, settings: ModelSettings): Promise<KnownModel>;
  call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer>;
}

const DATE = /-\d{8}$/;

/** The model behind a name or an alias, as Keepit knows it and as the configuration corrects that. Throws `SummarizerError`. */
export function knownModel(name: string, settings: ModelSettings): KnownModel {
  const id = ownValue(settings.aliases, name) ?? ownValue(knownAliases, name) ?? name;
  const plain = id.replace(DATE, '');
  const known = ownValue(knownModels, id) ?? ownValue(knownModels, plain);
  const corrected = ownValue(settings.catalog, id) ?? ownValue(settings.catalog, plain);
  if (known === undefined && corrected === undefined) {
    throw new SummarizerError('unknown-model', { detail: JSON.stringify(id) });
  }
  const facts = modelFactsSchema.safeParse({ ...known, ...corrected });
  if (facts.success) return { id, facts: facts.data };
  const { key, allowed } = schemaProblem(facts.error);
  throw new SummarizerError('unknown-model', { detail: `${key} of ${JSON.stringify(id)} must be ${allowed}` });
}

/** The short names that can be used, and what each stands for. */
export function modelAliases(settings: ModelSettings): { readonly alias: string; readonly id: string }[] {
  return Object.entries({ ...knownAliases, ...settings.aliases }).map(([alias, id]) => ({ alias, id }));
}

export type SummarizerReason =
  | 'no-key'
  | 'bad-key'
  | 'no-claude'
  | 'claude-outdated'
  | 'not-signed-in'
  | 'no-model'
  | 'unknown-model'
  | 'no-consent'
  | 'unavailable'
  | 'refused'
  | 'truncated'
  | 'too-large'
  | 'rate-limited'
  | 'overloaded'
  | 'failing'
  | 'timeout'
  | 'network'
  | 'provider'
  | 'invalid-output'
  | 'run-limit'
  | 'day-limit';

const LOCAL = 'or use the provider `local`, which is free and offline.';

const texts: Record<SummarizerReason, (detail: string) => ErrorText> = {
  'no-key': () => ({
    message: 'There is no Anthropic API key.',
    hint: `Set ANTHROPIC_API_KEY, use the provider \`claude-cli\`, ${LOCAL}`,
  }),
  'bad-key': () => ({
    message: 'Anthropic does not accept the API key.',
    hint: `Check the key and what it may be used for, ${LOCAL}`,
  }),
  'no-claude': (detail) => ({
    message: `The command \`claude\` could not be started${detail}.`,
    hint: `Install Claude Code, or see to it that \`claude\` is on PATH, ${LOCAL}`,
  }),
  'claude-outdated': (detail) => ({
    message: `This \`claude\` cannot be run apart from your sessions${detail}.`,
    hint: `Update it with \`claude update\`, ${LOCAL}`,
  }),
  'not-signed-in': () => ({
    message: '`claude` is not signed in.',
    hint: `Start \`claude\` once and sign in, ${LOCAL}`,
  }),
  'no-model': (detail) => ({
    message: `VS Code offers no language model that fits${detail}.`,
    hint: `Sign in to an extension that brings models, such as GitHub Copilot, ${LOCAL}`,
  }),
  'unknown-model': (detail) => ({
    message: `What the model costs and takes is not known${detail}.`,
    hint: 'Name another model, or describe this one below `models.catalog` in config.json.',
  }),
  'no-consent': () => ({
    message: 'VS Code was not allowed to ask its language model for Keepit.',
    hint: `Allow it when VS Code asks, ${LOCAL}`,
  }),
  unavailable: (detail) => ({
    message: `This provider is not available here${detail}.`,
    hint: `Use \`anthropic\` or \`claude-cli\`, ${LOCAL}`,
  }),
  refused: (detail) => ({
    message: `The model declined to summarize this session${detail}.`,
    hint: `Try another model, ${LOCAL}`,
  }),
  truncated: () => ({
    message: 'The model ran out of room before its summary was complete.',
    hint: `Ask for a higher ratio or for another model, ${LOCAL}`,
  }),
  'too-large': (detail) => ({
    message: `The model's window is too small for this session${detail}.`,
    hint: `Choose a model with a larger window, ${LOCAL}`,
  }),
  'rate-limited': (detail) => ({
    message: `The provider's rate limit is reached${detail}.`,
    hint: `Wait a little and try again, ${LOCAL}`,
  }),
  overloaded: () => ({
    message: 'The provider is overloaded.',
    hint: `Try again in some minutes, ${LOCAL}`,
  }),
  failing: (detail) => ({
    message: `The provider has an internal error${detail}.`,
    hint: `Try again in some minutes, ${LOCAL}`,
  }),
  timeout: (detail) => ({
    message: `The model showed no sign of life${detail}.`,
    hint: `Try again, or raise \`models.stallSeconds\` in config.json, ${LOCAL}`,
  }),
  network: (detail) => ({
    message: `The connection to the provider failed${detail}.`,
    hint: `Check the network and ANTHROPIC_BASE_URL, ${LOCAL}`,
  }),
  provider: (detail) => ({
    message: `The provider did not accept the request${detail}.`,
    hint: `Choose another model, ${LOCAL}`,
  }),
  'invalid-output': (detail) => ({
    message: `What the model wrote is no usable summary, nor was its second attempt${detail}.`,
    hint: `Try again, choose a larger model, ${LOCAL}`,
  }),
  'run-limit': (detail) => ({
    message: `This could cost more than you allowed${detail}.`,
    hint: `Allow more for this run, choose a smaller model, ${LOCAL}`,
  }),
  'day-limit': (detail) => ({
    message: `This could cost more than is allowed for a day${detail}.`,
    hint: `Raise \`models.limits.dayUsd\` with \`keepit config set\`, wait for tomorrow, ${LOCAL}`,
  }),
};

interface SummarizerErrorDetails {
  /** More about it, as part of a sentence. Never holds text of a session or a key. */
  detail?: string | undefined;
  /** When the provider wants to be asked again at the earliest. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A model that could not be asked, or gave no usable summary. Nothing was written; the ledger has what it cost. */
export class SummarizerError extends KeepitError {
  readonly reason: SummarizerReason;
  readonly retryAfterMs: number | undefined;

  constructor(reason: SummarizerReason, details: SummarizerErrorDetails = {}) {
    const { detail, retryAfterMs, cause } = details;
    super(`summarizer-${reason}`, texts[reason](detail === undefined ? '' : `: ${detail}`), { cause });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
