import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk/error';
import { SummarizerError, type SummarizerReason } from '../../core/versions/models/modelCaller';
import { errorText } from '../../core/text/keepitError';
import { redactSecrets } from '../../core/text/secrets/secrets';
import { ownValue } from '../../core/text/ownValue';
import { singleSpaced } from '../../core/text/cleanText';

const reasonByStatus: Readonly<Record<number, SummarizerReason>> = {
  401: 'bad-key',
  403: 'bad-key',
  404: 'unknown-model',
  408: 'timeout',
  413: 'too-large',
  429: 'rate-limited',
  503: 'overloaded',
  529: 'overloaded',
};

/** Errors inside a stream carry no status: their type says what they are. */
const reasonByType: Readonly<Record<string, SummarizerReason>> = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate-limited',
  authentication_error: 'bad-key',
  permission_error: 'bad-key',
  api_error: 'failing',
  not_found_error: 'unknown-model',
  request_too_large: 'too-large',
};

/** The expected failure behind what the SDK throws; everything else stays what it is. */
export function asSummarizerError(error: unknown): unknown {
  if (error instanceof APIConnectionTimeoutError) return new SummarizerError('timeout', { cause: error });
  if (error instanceof APIConnectionError) {
    return new SummarizerError('network', { detail: shortText(error.cause ?? error), cause: error });
  }
  if (error instanceof SyntaxError)
    return new SummarizerError('failing', { detail: 'its answer is damaged', cause: error });
  // A body that breaks off is not wrapped by the SDK: `fetch` throws a TypeError whose cause says what happened.
  if (error instanceof TypeError && error.cause instanceof Error) {
    return new SummarizerError('network', { detail: shortText(error.cause), cause: error });
  }
  if (!isApiError(error)) return error;
  const reason = reasonOf(error.status, error.type ?? undefined, error.message);
  return new SummarizerError(reason, {
    detail: shortText(error),
    retryAfterMs: retryAfterMs(error.headers),
    cause: error,
  });
}

/** The SDK leaves the types of its parts open. */
function isApiError(error: unknown): error is APIError {
  return error instanceof APIError;
}

export function reasonOf(status: number | undefined, type: string | undefined, message: string): SummarizerReason {
  if (/prompt is too long|exceed(s|ed)? (the )?context/i.test(message)) return 'too-large';
  const byStatus = status === undefined ? undefined : reasonByStatus[status];
  const byType = type === undefined ? undefined : ownValue(reasonByType, type);
  return byStatus ?? byType ?? ((status ?? 0) >= 500 ? 'failing' : 'provider');
}

const DETAIL_CHARACTERS = 200;

/** What a provider says about a failure, fit to be shown: one line, without keys. */
export function shortText(error: unknown): string {
  const line = singleSpaced(redactSecrets(errorText(error)).text);
  return line.length > DETAIL_CHARACTERS ? `${line.slice(0, DETAIL_CHARACTERS)}…` : line.replace(/\.$/, '');
}

/** `retry-after` is in seconds, or a date. */
function retryAfterMs(headers: Headers | undefined, nowMs = Date.now()): number | undefined {
  const value = headers?.get('retry-after') ?? undefined;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const delayMs = Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1000;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
