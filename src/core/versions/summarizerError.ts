import { KeepitError } from '../text/keepitError';
import type { ErrorText } from '../text/keepitError';

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

export interface SummarizerErrorDetails {
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
