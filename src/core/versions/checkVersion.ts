import { textPlaces } from '../keepits/collectKeepits';
import { parseKeepits } from '../keepits/markerParser';
import { readTranscript } from '../transcript/readTranscript';
import { CompressionError } from './compressionError';
import type { CompressionPlan } from './compressionPlan';
import type { VersionTranscript } from './versionRecords';

interface ReadKeepit {
  readonly weight: number;
  readonly content: string;
}

/**
 * Reads a version again, both forms of it, and compares what is there with the receipt: every keepit that survives, once, with its
 * weight, byte for byte, and nothing else. Throws `CompressionError`.
 */
export async function checkVersion(
  { body, transcript }: { body: string; transcript: VersionTranscript },
  plan: CompressionPlan,
  pause: () => Promise<void>,
): Promise<void> {
  const expected = plan.keepits.flatMap(({ keepit, block, receipt }) =>
    block === undefined ? [] : [{ weight: keepit.effectiveWeight, content: block.span, markerId: receipt.markerId }],
  );
  compare('the text', expected, parseKeepits(body).spans);
  const estimator = { estimate: () => 0, sample: () => 0 };
  const { messages, account } = await readTranscript(chunksOf(transcript.jsonl), { estimator, pause });
  if (account.brokenCount > 0 || messages.length !== transcript.messages) {
    throw new CompressionError('receipt', `${messages.length} of ${transcript.messages} messages can be read again`);
  }
  if (messages.some(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'))) {
    throw new CompressionError('receipt', 'human and assistant do not take turns');
  }
  const spans = [...textPlaces(messages)].flatMap(({ block }) => parseKeepits(block.text).spans);
  compare('the transcript', expected, spans);
}

function compare(
  where: string,
  expected: readonly (ReadKeepit & { readonly markerId: string })[],
  read: readonly ReadKeepit[],
): void {
  if (read.length !== expected.length) {
    throw new CompressionError('receipt', `${where} has ${read.length} keepits instead of ${expected.length}`);
  }
  for (const [index, { weight, content, markerId }] of expected.entries()) {
    const found = read[index];
    if (found?.content === content && found.weight === weight) continue;
    throw new CompressionError('receipt', `keepit ${markerId} is not in ${where} as it was marked`);
  }
}

async function* chunksOf(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}
