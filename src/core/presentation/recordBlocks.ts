import { readAuthorship, readReply } from '../transcript/authorship';
import { ChainTable } from '../transcript/chainTable';
import type { Entry } from '../transcript/entry';
import type { Piece } from '../transcript/harnessBlocks';
import { answerWords, refusalWords, type WordPiece } from '../transcript/resultWords';
import { TranscriptIntake } from '../transcript/transcriptIntake';
import type { MessageBlock, TextBlock } from '../transcript/types';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import { decodeLiteral } from './jsonLiteral';
import { firstWhere } from '../sessions/document/saidBlocks';

/** What was said in a record, and where its characters stand in the record's line. */
export interface RecordBlock {
  readonly uuid: string;
  readonly blockIndex: number;
  readonly text: string;
  /** The UTF-16 column of the line at which the character at an offset of `text` begins. */
  readonly columnOf: (offset: number) => number;
}

const uncounted: TokenEstimator = { estimate: () => 0, sample: () => 0 };

/**
 * The text blocks of one line of a transcript, as the reader of whole transcripts understands it: nothing for what nobody said
 * (what tools gave back, reminders, summaries) and for a line that is no record. What only other lines can tell is given the benefit of
 * the doubt: a prompt in the queue, and a result that may be a person's sentence.
 */
export function recordBlocks(line: string): RecordBlock[] {
  const bytes = new TextEncoder().encode(line);
  const found: RecordBlock[] = [];
  const onEntry = (entry: Entry): void => {
    const texts = blocksOf(entry).flatMap((block) => (block.kind === 'text' ? [block] : []));
    for (const [blockIndex, block] of texts.entries()) {
      const columnOf = columnsOf(block, bytes);
      if (columnOf !== undefined) found.push({ uuid: block.uuid, blockIndex, text: block.text, columnOf });
    }
  };
  const options = { estimator: uncounted, detail: 'full' } as const;
  const sink = { onEntry, onWords: () => undefined, onWithdrawn: () => undefined };
  const intake = new TranscriptIntake(options, new ChainTable(), sink);
  intake.feed(bytes);
  intake.finish('read');
  return found;
}

function blocksOf(entry: Entry): readonly MessageBlock[] {
  if (entry.kind === 'human' || entry.kind === 'assistant') return entry.blocks;
  if (entry.kind === 'toolResult') return entry.bare?.blocks ?? [];
  return entry.kind === 'queue' ? (entry.words?.blocks ?? []) : [];
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
  const pieces = piecesOf(text, decoded.text);
  if (pieces === undefined) return undefined;
  return (offset) => {
    const piece = pieces[firstWhere(pieces, ({ at }) => at > offset) - 1];
    return decoded.rawOffset(
      piece === undefined ? (pieces[0]?.start ?? 0) : piece.start + Math.min(offset - piece.at, piece.length),
    );
  };
}

/** Where in a literal the words of a block stand; undefined when it holds others. */
function piecesOf(text: string, literal: string): readonly WordPiece[] | undefined {
  const said = refusalWords(literal) ?? answerWords(literal);
  if (said?.text === text) return said.pieces;
  const readings = [readAuthorship(literal), readReply(literal)];
  const own = readings.find((reading) => reading.kind === 'words' && reading.text === text);
  return own?.kind === 'words' ? laidOut(own.pieces) : undefined;
}

function laidOut(pieces: readonly Piece[]): WordPiece[] {
  let at = 0;
  return pieces.map(({ start, end }) => {
    const piece = { at, start, length: end - start };
    at += piece.length;
    return piece;
  });
}
