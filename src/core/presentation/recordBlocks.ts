import { textPlaces } from '../keepit/collectKeepits';
import { readAuthorship, readReply } from '../transcript/authorship';
import { TranscriptReader } from '../transcript/transcriptReader';
import type { TextBlock, TokenEstimator } from '../transcript/types';
import { decodeLiteral } from './jsonLiteral';
import { firstWhere } from './saidBlocks';

/** What was said in a record, and where its characters stand in the record's line. */
export interface RecordBlock {
  readonly uuid: string;
  readonly blockIndex: number;
  readonly text: string;
  /** The UTF-16 column of the line at which the character at an offset of `text` begins. */
  readonly columnOf: (offset: number) => number;
}

const uncounted: TokenEstimator = { estimate: () => 0, estimateBytes: () => 0 };

/**
 * The text blocks of one line of a transcript, as the reader of whole transcripts understands it: nothing for what nobody said
 * (tool results, reminders, summaries) and for a line that is no record.
 */
export function recordBlocks(line: string): RecordBlock[] {
  const bytes = new TextEncoder().encode(line);
  const reader = new TranscriptReader({ estimator: uncounted });
  reader.feed(bytes);
  const { messages, agents } = reader.conversation();
  const said = [...messages, ...agents.flatMap((agent) => agent.messages)];
  return [...textPlaces(said)].flatMap(({ block, blockIndex }) => {
    const { uuid, text } = block;
    const columnOf = columnsOf(block, bytes);
    return columnOf === undefined ? [] : [{ uuid, blockIndex, text, columnOf }];
  });
}

function columnsOf(block: TextBlock, bytes: Uint8Array): RecordBlock['columnOf'] | undefined {
  const { offset, length } = block.range;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const column = decoder.decode(bytes.subarray(0, offset)).length;
  const rawOffset = rawOffsets(block, decoder.decode(bytes.subarray(offset, offset + length)));
  return rawOffset === undefined ? undefined : (at) => column + rawOffset(at);
}

/**
 * Where the characters of a block stand in the literal that holds it; undefined when it is not the block's literal. What the
 * harness wrote into the literal is no part of the block.
 */
export function rawOffsets(
  { text, stripped }: Pick<TextBlock, 'text' | 'stripped'>,
  literal: string,
): ((offset: number) => number) | undefined {
  const decoded = decodeLiteral(literal);
  if (decoded === undefined) return undefined;
  if (!stripped) return decoded.text === text ? decoded.rawOffset : undefined;
  const readings = [readAuthorship(decoded.text), readReply(decoded.text)];
  const said = readings.find((reading) => reading.kind === 'words' && reading.text === text);
  if (said?.kind !== 'words') return undefined;
  const starts: { own: number; source: number }[] = [];
  let own = 0;
  for (const { start, end } of said.pieces) {
    starts.push({ own, source: start });
    own += end - start;
  }
  return (offset) => {
    const piece = starts[firstWhere(starts, (start) => start.own > offset) - 1];
    return decoded.rawOffset(piece === undefined ? offset : piece.source + offset - piece.own);
  };
}
