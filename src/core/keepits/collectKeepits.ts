import { placeKey, type KeepitMarker } from '../model/keepit';
import type { CopiedMarkers, Message, TextBlock } from '../transcript/types';
import { withoutSecrets } from '../text/secrets/cleanText';
import { isErased, privateRanges, type TextRange } from '../text/secrets/privateText';
import { singleSpaced } from '../text/cleanText';
import { hash64 } from '../text/hash64';
import { markerText } from './weights';
import { parseKeepits, type KeepitDiagnostic, type KeepitSpan } from './markerParser';

const MARKER_LENGTH = markerText(0).length;

/** By which rules keepits and the words around them are found. Raise it when the same transcript has others than before. */
export const KEEPIT_RULES = 2;

/** What is wrong with a marker, and in which message. */
export interface MessageDiagnostic extends KeepitDiagnostic {
  messageUuid: string;
  blockIndex: number;
  /** For a well-formed marker: where the words end that stand behind it, and what they would weigh if somebody marked them. */
  offer?: { end: number; weight: number };
}

interface CollectedKeepits {
  /** In the order of the conversation. */
  markers: KeepitMarker[];
  diagnostics: MessageDiagnostic[];
}

/** A text block, and which one it is: what a marker's place refers to. */
export interface TextPlace {
  block: TextBlock;
  /** Among the text blocks of the same record. */
  blockIndex: number;
  message: Message;
}

/** Everything that was said, block by block, in the order of the conversation. */
export function* textPlaces(messages: Iterable<Message>): Generator<TextPlace> {
  for (const message of messages) {
    const blocksSeen = new Map<string, number>();
    for (const block of message.blocks) {
      if (block.kind !== 'text') continue;
      const blockIndex = blocksSeen.get(block.uuid) ?? 0;
      blocksSeen.set(block.uuid, blockIndex + 1);
      yield { block, blockIndex, message };
    }
  }
}

/**
 * Finds the keepits in what the human and the assistant said. A span never crosses a text block; a marker in a private passage, or before
 * words that were erased, marks nothing, and one that the assistant has only `copied` is reported.
 */
export function collectKeepits(messages: Iterable<Message>, copied: CopiedMarkers = new Map()): CollectedKeepits {
  const { markers, diagnostics }: CollectedKeepits = { markers: [], diagnostics: [] };
  for (const place of textPlaces(messages)) {
    const { block, blockIndex, message } = place;
    const parsed = parseKeepits(block.text);
    if (parsed.spans.length === 0 && parsed.diagnostics.length === 0) continue;
    const hidden = privateRanges(block.text);
    const messageUuid = block.uuid;
    const copies = new Set(copied.get(placeKey({ messageUuid, blockIndex })));
    const problems = [...parsed.diagnostics, ...parsed.spans.filter(({ start }) => copies.has(start)).map(copyProblem)];
    for (const span of parsed.spans) {
      if (copies.has(span.start) || isWithin(span.start, hidden) || isErased(span.content)) continue;
      markers.push(keepitMarker(span, place, message.timestamp ?? ''));
    }
    for (const problem of problems.sort((a, b) => a.start - b.start)) {
      if (!isWithin(problem.start, hidden)) diagnostics.push({ ...problem, messageUuid, blockIndex });
    }
  }
  return { markers, diagnostics };
}

/** What is said of a marker that somebody else had set. */
function copyProblem({ start, end, weight }: KeepitSpan): KeepitDiagnostic & Pick<MessageDiagnostic, 'offer'> {
  const problem = 'Copied from what a tool told Claude: no keepit, unless you mark these words yourself.';
  return { start, end: start + MARKER_LENGTH, reason: 'copied', problem, suggestion: '', offer: { end, weight } };
}

/** A text without the markers that begin at these offsets, and with what they mark. */
export function withoutMarkersAt(text: string, starts: readonly number[]): string {
  return [...starts]
    .sort((a, b) => b - a)
    .reduce((rest, start) => rest.slice(0, start) + rest.slice(start + MARKER_LENGTH).replace(/^[ \t]/, ''), text);
}

/** Whether an offset lies in one of these ranges. */
function isWithin(offset: number, ranges: readonly TextRange[]): boolean {
  return ranges.some(({ start, end }) => offset >= start && offset < end);
}

/** The record of a marked span. */
export function keepitMarker(
  span: KeepitSpan,
  { block, blockIndex }: Pick<TextPlace, 'block' | 'blockIndex'>,
  createdAt: string,
): KeepitMarker {
  const { weight, content, start, end } = span;
  return {
    markerId: markerIdOf({ messageUuid: block.uuid, blockIndex, start, content }),
    messageUuid: block.uuid,
    ...(blockIndex > 0 && { blockIndex }),
    weight,
    content,
    position: { start, end },
    context: contextOf(block.text, span),
    createdAt,
    survivedIn: [],
    summarizedIn: [],
  };
}

const CONTEXT_BEFORE = 80;

const CONTEXT_AFTER = 160;

/** A secret that reaches into the context is known as one only as a whole. */
const CLEANED_CHARS = 4096;

/** The words before the marker and the beginning of what it marks, in one line, without secrets. */
function contextOf(text: string, { start, contentStart, contentEnd }: KeepitSpan): string {
  const from = Math.max(0, start - CONTEXT_BEFORE - CLEANED_CHARS);
  const before = withoutSecrets(text.slice(from, start)).slice(-CONTEXT_BEFORE);
  const to = Math.min(contentEnd, contentStart + CONTEXT_AFTER + CLEANED_CHARS);
  const after = withoutSecrets(text.slice(contentStart, to)).slice(0, CONTEXT_AFTER);
  return singleSpaced(`${before} ${after}`);
}

/** What a marker is known by: where it stands and what it holds. */
interface MarkerIdentity {
  messageUuid: string;
  /** Which text block of that record, from 0. */
  blockIndex: number;
  /** UTF-16 offset in the text block. */
  start: number;
  content: string;
}

/** The identity of a marker, the same whenever the transcript is read: 64 bits as 16 hex digits. */
export function markerIdOf({ messageUuid, blockIndex, start, content }: MarkerIdentity): string {
  // The first block is left out: most records have just one, and its markers stay what DESIGN section 5 says.
  const place = blockIndex === 0 ? String(start) : `${blockIndex}:${start}`;
  return hash64(`${messageUuid}\0${place}\0${content}`);
}
