import * as z from 'zod/mini';
import { NO_USAGE, type CallListener, type ModelAnswer, type TokenUsage } from '../../core/versions/models/modelCaller';
import { SummarizerError, type SummarizerReason } from '../../core/versions/summarizerError';
import { reasonOf, shortText } from './anthropicErrors';

const figure = z.nullish(z.number());
const usageSchema = z.looseObject({
  input_tokens: figure,
  output_tokens: figure,
  cache_creation_input_tokens: figure,
  cache_read_input_tokens: figure,
});

const lineSchema = z.looseObject({ type: z.string() });

const streamEventSchema = z.looseObject({
  event: z.looseObject({
    type: z.string(),
    message: z.optional(z.looseObject({ id: z.string(), usage: z.optional(usageSchema) })),
    delta: z.optional(z.looseObject({ type: z.optional(z.string()), text: z.optional(z.string()) })),
    usage: z.optional(usageSchema),
  }),
});

const resultSchema = z.looseObject({
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.optional(z.string()),
  stop_reason: z.nullish(z.string()),
  api_error_status: z.nullish(z.number()),
  total_cost_usd: z.optional(z.number()),
  usage: z.optional(usageSchema),
  session_id: z.optional(z.string()),
});
type Result = z.infer<typeof resultSchema>;

/** Reads what `claude -p --output-format stream-json` prints, line by line. */
export class ClaudeOutput {
  private characters = 0;
  private usage = NO_USAGE;
  private responseId = '';
  private result: Result | undefined;

  constructor(private readonly listener: CallListener) {}

  /** Lines of kinds that say nothing to us are passed over, and so is what is no JSON: a warning of some wrapper. */
  read(line: string): void {
    const parsed = parsedLine(line);
    const { type } = lineSchema.safeParse(parsed).data ?? { type: '' };
    if (type === 'stream_event') this.readEvent(streamEventSchema.safeParse(parsed).data?.event);
    if (type === 'result') this.result = resultSchema.safeParse(parsed).data;
  }

  /** What the run came to, once the program has ended. Throws `SummarizerError` for everything that is no answer. */
  answer(ended: { readonly code: number | null; readonly stderr: string }): ModelAnswer {
    const { result } = this;
    if (result === undefined) throw withoutResult(ended);
    if (result.usage !== undefined) this.tell(result.usage);
    const { result: text = '', total_cost_usd: usd, stop_reason: stopReason } = result;
    const common = {
      text,
      usage: this.usage,
      responseId: this.responseId === '' ? (result.session_id ?? '') : this.responseId,
      ...(usd !== undefined && { usd }),
    };
    if (stopReason === 'refusal') return { ...common, end: 'refused' };
    if (stopReason === 'max_tokens' || /exceeded the \d+ output token maximum/i.test(text)) {
      return { ...common, end: 'truncated' };
    }
    if (result.is_error || result.subtype !== 'success') throw failureOf(result);
    return { ...common, end: 'complete' };
  }

  private readEvent(event: z.infer<typeof streamEventSchema>['event'] | undefined): void {
    if (event?.type === 'message_start' && event.message !== undefined) {
      this.responseId = event.message.id;
      this.tell(event.message.usage ?? {});
    }
    if (event?.type === 'message_delta' && event.usage !== undefined) this.tell(event.usage);
    if (event?.delta?.type === 'text_delta') {
      this.characters += event.delta.text?.length ?? 0;
      this.listener.onText(this.characters);
    }
  }

  private tell(reported: z.infer<typeof usageSchema>): void {
    this.usage = usageOf(reported, this.usage);
    this.listener.onUsage(this.usage);
  }
}

function usageOf(reported: z.infer<typeof usageSchema>, before: TokenUsage): TokenUsage {
  return {
    inputTokens: reported.input_tokens ?? before.inputTokens,
    outputTokens: reported.output_tokens ?? before.outputTokens,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: reported.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

function parsedLine(line: string): unknown {
  try {
    const parsed: unknown = JSON.parse(line);
    return parsed;
  } catch {
    return undefined; // no line of the protocol
  }
}

function failureOf({ subtype, result = '', api_error_status: status }: Result): SummarizerError {
  if (subtype === 'error_max_budget_usd') return new SummarizerError('run-limit', { detail: 'claude stopped there' });
  const detail = shortText(result === '' ? subtype : result);
  return new SummarizerError(reasonOfText(status ?? undefined, result), { detail });
}

/** What the API answered counts before the words that `claude` has for it. */
function reasonOfText(status: number | undefined, text: string): SummarizerReason {
  if (status === undefined) {
    if (/not logged in|please run \/login|invalid api key|oauth token/i.test(text)) return 'not-signed-in';
    if (/usage limit|limit reached/i.test(text)) return 'rate-limited';
    if (/connection error|unable to connect|ECONNREFUSED|ENOTFOUND/i.test(text)) return 'network';
  }
  const reason = reasonOf(status, undefined, text);
  return reason === 'bad-key' ? 'not-signed-in' : reason;
}

function withoutResult({ code, stderr }: { code: number | null; stderr: string }): SummarizerError {
  const detail = shortText(stderr) || `it ended with code ${code ?? 'none'}`;
  if (/unknown option|unexpected argument/i.test(stderr)) return new SummarizerError('claude-outdated', { detail });
  return new SummarizerError('provider', { detail });
}
