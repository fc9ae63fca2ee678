import type { Summarizer, Summary, SummaryCost, SummaryOptions, SummaryRequest } from '../../core/versions/types';
import type { SummarizerQuestion } from './compressionMessages';

/** The summarizer of the host has failed: the host knows why. */
export class HostSummarizerError extends Error {
  override readonly name = 'HostSummarizerError';
}

/** Puts a question to the host; resolves with its answer, undefined when there is none. */
export type AskHost = (question: SummarizerQuestion) => Promise<Summary | SummaryCost | undefined>;

/** In the thread: a summarizer that the host runs. */
export class HostSummarizer implements Summarizer {
  readonly name: Summarizer['name'];
  readonly #ask: AskHost;

  constructor(name: Summarizer['name'], ask: AskHost) {
    this.name = name;
    this.#ask = ask;
  }

  async estimate(request: SummaryRequest, options: SummaryOptions): Promise<SummaryCost> {
    const answer = await this.#ask({ task: 'estimate', name: this.name, request: sent(request), options });
    if (answer === undefined || 'blocks' in answer) throw new HostSummarizerError('no estimate');
    return answer;
  }

  async summarize(request: SummaryRequest, options: SummaryOptions): Promise<Summary> {
    const answer = await this.#ask({ task: 'summarize', name: this.name, request: sent(request), options });
    if (answer === undefined || !('blocks' in answer)) throw new HostSummarizerError('no summary');
    return answer;
  }
}

function sent({ counter: _counter, ...request }: SummaryRequest): SummarizerQuestion['request'] {
  return request;
}
