import { effectiveKeepits, findKeepits } from '../../../src/core/keepits/effectiveKeepits';
import type { TranscriptDocument } from '../../../src/core/sessions/document/transcriptDocument';
import type { KeepitListing } from '../../../src/core/sessions/results';
import type { Conversation } from '../../../src/core/transcript/types';
import { conversation, message, textBlock } from './conversations';

const ref = { projectId: '-p', sessionId: 's' };

/** What the session holds, as a list of its keepits. */
export function listingOf(said: Conversation): KeepitListing {
  const found = findKeepits(said);
  const keepits = effectiveKeepits(ref, found);
  return { keepits, inactive: [], diagnostics: found.diagnostics.map((one) => ({ ...one, ...ref })), failed: [] };
}

/** One block, a keepit and a mistaken marker in each of its lines. */
export function shown(text: string): { said: Conversation; document: TranscriptDocument } {
  const block = textBlock(text);
  const said = conversation([message({ role: 'user', blocks: [block] })]);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const { uuid } = block;
  const place = { uuid, messageUuid: uuid, blockIndex: 0, headingLine: 0, line: 1, isLive: true };
  const document: TranscriptDocument = {
    text: '',
    lineCount: starts.length + 1,
    anchors: [],
    folds: [],
    outline: [],
    agentLinks: [],
    said: [{ ...place, text, starts }],
  };
  return { said, document };
}

/** A text of so many keepits, with a mistaken marker beside each. */
export function manyKeepits(count: number): string {
  return '##keepit0.50## שלום 😀 ##keepit0.8## é\r\n'.repeat(count);
}
