import { pushTo, parsedJson } from '../../text/ownValue';
import type { EffectiveKeepit } from '../../keepits/effectiveKeepits';
import { placeKey } from '../../model/keepit';
import { markerIdOf, type MessageDiagnostic } from '../../keepits/collectKeepits';
import type { KeepitListing } from '../results';
import { firstWhere, type LinePosition } from '../document/saidBlocks';
import { parseKeepits } from '../../keepits/markerParser';
import type { Entry } from '../../transcript/entry';
import { uncounted } from '../../text/tokens/tokenCounter';
import { TranscriptReader } from '../../transcript/transcriptReader';
import type { MessageBlock, TextBlock } from '../../transcript/types';
import { answerWords, refusalWords, type WordPiece } from '../../transcript/resultWords';
import { readAuthorship, readReply } from '../../transcript/authorship';
import type { TextRange } from '../../text/secrets/privateText';
import { factsOf, noMarks, placeMark, type DocumentMarks, type KeepitMark, type MarkProblem } from './keepitMarks';

const MARKER = /##keepit/i;

const UUID = /"uuid"\s*:\s*"([^"\\]+)"/g;

/**
 * The keepits of a transcript in its raw form, record by record. With the session's listing, only what counts as a keepit
 * there is one, with the weight that counts; without it, every marker that somebody wrote is.
 */
export class RecordMarks {
  private readonly byId = new Map<string, EffectiveKeepit>();
  private readonly added = new Map<string, EffectiveKeepit[]>();
  private readonly addedTo = new Set<string>();
  /** Markers that are well formed, and mark nothing all the same. */
  private readonly copied = new Map<string, MessageDiagnostic[]>();

  constructor(private readonly listing: KeepitListing | undefined) {
    for (const keepit of [...(listing?.keepits ?? []), ...(listing?.inactive ?? [])]) {
      this.byId.set(keepit.markerId, keepit);
      if (keepit.origin !== 'overlay' || keepit.state === 'orphaned') continue;
      const key = placeKey(keepit);
      pushTo(this.added, key, keepit);
      this.addedTo.add(keepit.messageUuid);
    }
    for (const diagnostic of listing?.diagnostics ?? []) {
      const key = placeKey(diagnostic);
      if (diagnostic.reason === 'copied') pushTo(this.copied, key, diagnostic);
    }
  }

  /** Whether it is worth to look into a line: most lines of a transcript hold nothing of the kind, and may have megabytes. */
  mayMark(text: string): boolean {
    if (MARKER.test(text)) return true;
    return this.addedTo.size > 0 && [...text.matchAll(UUID)].some(([, uuid]) => this.addedTo.has(uuid ?? ''));
  }

  /** The marks of one line, in its order. Never throws. */
  ofLine(text: string, line: number): DocumentMarks {
    if (!this.mayMark(text)) return noMarks;
    const marks: KeepitMark[] = [];
    const problems: MarkProblem[] = [];
    for (const block of recordBlocks(text)) {
      const locate = (offset: number): LinePosition => ({ line, column: block.columnOf(offset) });
      const parsed = parseKeepits(block.text);
      for (const span of parsed.spans) {
        const facts = this.facts(block, span);
        if (facts !== undefined) marks.push(placeMark(block.text, span, facts, locate));
      }
      const key = placeKey({ ...block, messageUuid: block.uuid });
      const added = this.added.get(key) ?? [];
      for (const keepit of added) {
        marks.push(placeMark(block.text, keepit.position, factsOf(keepit), locate));
      }
      const copied = (this.copied.get(key) ?? []).filter(
        ({ end }) => !added.some(({ position }) => position.start === end),
      );
      for (const { start, end, problem, suggestion } of [...parsed.diagnostics, ...copied]) {
        problems.push({ range: { start: locate(start), end: locate(end) }, problem, suggestion });
      }
    }
    return { marks: marks.sort((a, b) => a.range.start.column - b.range.start.column), problems };
  }

  private facts(
    { uuid, blockIndex }: RecordBlock,
    span: { start: number; content: string; weight: number },
  ): ReturnType<typeof factsOf> | undefined {
    const { start, content, weight } = span;
    if (this.listing === undefined) return { weight, ownWeight: weight, state: 'live', origin: 'transcript' };
    const known = this.byId.get(markerIdOf({ messageUuid: uuid, blockIndex, start, content }));
    return known === undefined ? undefined : factsOf(known);
  }
}

/** What was said in a record, and where its characters stand in the record's line. */
interface RecordBlock {
  readonly uuid: string;
  readonly blockIndex: number;
  readonly text: string;
  /** The UTF-16 column of the line at which the character at an offset of `text` begins. */
  readonly columnOf: (offset: number) => number;
}

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
  const reader = new TranscriptReader({ estimator: uncounted, onEntry });
  reader.feed(bytes);
  reader.conversation('read');
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
function rawOffsets(
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

function laidOut(pieces: readonly TextRange[]): WordPiece[] {
  let at = 0;
  return pieces.map(({ start, end }) => {
    const piece = { at, start, length: end - start };
    at += piece.length;
    return piece;
  });
}

/** A JSON string literal, decoded, with the way back to it. */
interface DecodedLiteral {
  readonly text: string;
  /** Where in the literal (its opening quote is 0) the character at an offset of `text` begins; for the text's end, the closing quote. */
  readonly rawOffset: (offset: number) => number;
}

/** Decodes a literal, quotes included; undefined when it is none. */
export function decodeLiteral(literal: string): DecodedLiteral | undefined {
  const text = parsedJson(literal);
  if (typeof text !== 'string') return undefined;
  // Where escapes end, in the text and in the literal: between two of them both run alike.
  const ends: { text: number; raw: number }[] = [{ text: 0, raw: 1 }];
  let hidden = 1;
  for (let at = literal.indexOf('\\'); at >= 0; at = literal.indexOf('\\', at)) {
    const length = literal.charAt(at + 1) === 'u' ? 6 : 2;
    hidden += length - 1;
    at += length;
    ends.push({ text: at - hidden, raw: at });
  }
  return {
    text,
    rawOffset: (offset) => {
      const last = ends[firstWhere(ends, (end) => end.text > offset) - 1];
      return last === undefined ? 1 : last.raw + offset - last.text;
    },
  };
}
