import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import {
  Messages,
  type MessageCreateParamsStreaming,
  type RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages/messages';
import {
  NO_USAGE,
  type CallListener,
  type ModelAnswer,
  type ModelCall,
  type TokenUsage,
  SummarizerError,
} from '../../core/versions/models/modelCaller';
import { answerJsonSchema } from '../../core/versions/models/summaryAnswer';
import { asSummarizerError } from './anthropicErrors';
import { Stall } from './stall';

/** The part of the SDK that is used: importing its whole client would make the bundle three times as large. */
class MessagesClient extends BaseAnthropic {
  readonly messages = new Messages(this);
}

interface AnthropicAccess {
  readonly apiKey: string;
  /** Default: `ANTHROPIC_BASE_URL`, else Anthropic's own. */
  readonly baseUrl: string | undefined;
}

/** One request, without retries. Loaded when the first one is made, as the SDK comes with it. */
export async function streamAnswer(
  call: ModelCall,
  { apiKey, baseUrl }: AnthropicAccess,
  listener: CallListener,
  signal?: AbortSignal,
): Promise<ModelAnswer> {
  const stall = new Stall(call.stallMs, signal);
  try {
    const client = new MessagesClient({
      apiKey,
      baseURL: baseUrl,
      maxRetries: 0, // pauses are shared by all calls: see Politeness
      logLevel: 'off', // the SDK's log goes to the console, requests and all
      openTelemetry: false,
      fetch: watchedFetch(() => stall.pulse()),
    });
    const stream = await client.messages.create(paramsOf(call), { signal: stall.signal });
    return await readStream(stream, listener);
  } catch (error) {
    stall.throwIfEnded(error);
    throw asSummarizerError(error);
  } finally {
    stall.dispose();
  }
}

/** Every byte is a sign of life, those of the pings that the SDK keeps to itself included. */
function watchedFetch(pulse: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    pulse();
    if (response.body === null) return response;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        pulse();
        controller.enqueue(bytes);
      },
    });
    return new Response(response.body.pipeThrough(watch), response);
  };
}

function paramsOf({ model, system, prompt, maxOutputTokens }: ModelCall): MessageCreateParamsStreaming {
  const { effort } = model.facts;
  return {
    model: model.id,
    max_tokens: maxOutputTokens,
    // The same for all chunks and sessions. A transcript is not marked for the cache: it is sent once, and writing costs more.
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: prompt }],
    output_config: {
      format: { type: 'json_schema', schema: answerJsonSchema },
      ...(effort !== undefined && { effort }),
    },
    stream: true,
  };
}

async function readStream(
  stream: AsyncIterable<RawMessageStreamEvent>,
  { onText, onUsage }: CallListener,
): Promise<ModelAnswer> {
  let text = '';
  let usage = NO_USAGE;
  let responseId = '';
  let stopReason: string | null = null;
  for await (const event of stream) {
    if (event.type === 'message_start') {
      responseId = event.message.id;
      usage = usageOf(event.message.usage, NO_USAGE);
      onUsage(usage);
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      text += event.delta.text;
      onText(text.length);
    } else if (event.type === 'message_delta') {
      stopReason = event.delta.stop_reason;
      usage = usageOf(event.usage, usage);
      onUsage(usage);
    }
  }
  if (stopReason === null) throw new SummarizerError('network', { detail: 'the answer ended before it was complete' });
  return { text, end: endOf(stopReason), usage, responseId };
}

interface ReportedUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number | null;
  readonly cache_read_input_tokens: number | null;
}

/** Later events repeat, or leave out, what the first has said of the prompt. */
function usageOf(reported: ReportedUsage, before: TokenUsage): TokenUsage {
  return {
    inputTokens: reported.input_tokens ?? before.inputTokens,
    outputTokens: reported.output_tokens,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: reported.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

function endOf(stopReason: string): ModelAnswer['end'] {
  if (stopReason === 'refusal') return 'refused';
  return stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded' ? 'truncated' : 'complete';
}
