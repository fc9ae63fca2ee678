import { KeepitMarkError } from './keepitMarkError';
import { isErased, privateRanges } from '../text/secrets/privateText';
import type { Conversation, Message } from '../transcript/types';
import { textPlaces, type TextPlace } from './collectKeepits';

/** Which words are to be marked. */
export interface MarkRequest {
  /**
   * The uuid of a message, which stands for all that was said in it; or of one record of a message, which stands for what that record
   * holds. A unique beginning of a message's uuid, and the message's index, are understood too.
   */
  readonly messageUuid: string;
  /** One text block of the record; its own text is then what the offsets count in. */
  readonly blockIndex?: number;
  /**
   * UTF-16 offsets in the text, blocks being joined by a blank line as in `Message.text`; `end` is not included. Without both, all of
   * the text is meant, each block by itself: a keepit never crosses a text block.
   */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** A span inside one text block. Never blank. */
export interface PlacedSpan {
  readonly place: TextPlace;
  readonly start: number;
  readonly end: number;
}

/** A text block, and where it begins in the text that was asked for. */
interface Piece {
  readonly place: TextPlace;
  readonly from: number;
}

const BETWEEN_BLOCKS = '\n\n'.length;

/** Finds what is to be marked in the live conversation. Throws `KeepitMarkError`. */
export function findSpans(conversation: Conversation, request: MarkRequest): PlacedSpan[] {
  const pieces = findPieces(conversation, request);
  const { start, end } = request;
  const spans = start === undefined && end === undefined ? pieces.map(whole) : [spanWithin(pieces, request)];
  const filled = spans.filter((span) => !isBlank(span));
  if (filled.length === 0) throw new KeepitMarkError('empty', request.messageUuid);
  if (filled.some(holdsPrivate)) throw new KeepitMarkError('private', request.messageUuid);
  return filled;
}

function whole({ place }: Piece): PlacedSpan {
  return { place, start: 0, end: place.block.text.length };
}

/** Stars alone are what is left of words that were erased. */
function isBlank({ place, start, end }: PlacedSpan): boolean {
  const words = place.block.text.slice(start, end);
  return !/\S/.test(words) || isErased(words);
}

function holdsPrivate({ place, start, end }: PlacedSpan): boolean {
  return privateRanges(place.block.text).some((range) => range.start < end && start < range.end);
}

function findPieces(conversation: Conversation, { messageUuid, blockIndex }: MarkRequest): Piece[] {
  const { message, uuid } = findMessage(conversation, messageUuid);
  const isRecord = blockIndex !== undefined || uuid !== message.uuid;
  const places = [...textPlaces([message])].filter(
    (place) => (!isRecord || place.block.uuid === uuid) && place.blockIndex === (blockIndex ?? place.blockIndex),
  );
  if (places.length === 0) throw new KeepitMarkError('not-said', messageUuid);
  let from = 0;
  return places.map((place) => {
    const piece = { place, from };
    from = endOf(piece) + BETWEEN_BLOCKS;
    return piece;
  });
}

const MIN_PREFIX = 4;
const INDEX = /^\d{1,7}$/;

/** The message that a name means, and the uuid that was meant: the message's own, or that of one of its records. */
function findMessage(conversation: Conversation, name: string): { message: Message; uuid: string } {
  const { messages, abandoned } = conversation;
  const exact = messages.find(({ uuid, lineUuids }) => uuid === name || lineUuids.includes(name));
  if (exact !== undefined) return { message: exact, uuid: name };
  if (abandoned.some((branch) => branch.messages.some(({ lineUuids }) => lineUuids.includes(name)))) {
    throw new KeepitMarkError('left-behind', name);
  }
  if (isKnownOtherwise(conversation, name)) throw new KeepitMarkError('not-said', name);
  const byIndex = INDEX.test(name) ? messages[Number(name)] : undefined;
  if (byIndex !== undefined) return { message: byIndex, uuid: byIndex.uuid };
  const matches = name.length < MIN_PREFIX ? [] : messages.filter(({ uuid }) => uuid.startsWith(name));
  const [match, ...others] = matches;
  if (match === undefined) throw new KeepitMarkError('unknown-message', name);
  if (others.length > 0) throw new KeepitMarkError('ambiguous-message', name);
  return { message: match, uuid: match.uuid };
}

/** Whether a record is there that nobody has said: a tool's call or result, or something of the harness. */
function isKnownOtherwise({ messages, events }: Conversation, uuid: string): boolean {
  return (
    events.some((event) => event.uuid === uuid) ||
    messages.some(({ tools }) => tools.some((step) => step.uuid === uuid || step.result?.uuid === uuid))
  );
}

function spanWithin(pieces: readonly Piece[], request: MarkRequest): PlacedSpan {
  const { start = 0 } = request;
  const piece = pieces.find((one) => start >= one.from && start < endOf(one));
  const total = Math.max(0, ...pieces.slice(-1).map(endOf));
  const end = request.end ?? (piece === undefined ? total : endOf(piece));
  const said = `${start}–${end}`;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end <= start || end > total) {
    throw new KeepitMarkError('bad-span', said, `the offsets 0–${total}`);
  }
  if (piece === undefined || end > endOf(piece)) {
    const blocks = pieces.map((one) => `${one.from}–${endOf(one)}`).join(', ');
    throw new KeepitMarkError('crosses-blocks', said, blocks);
  }
  for (const offset of [start, end]) {
    if (splitsPair(piece.place.block.text, offset - piece.from)) {
      throw new KeepitMarkError('split-character', String(offset));
    }
  }
  return { place: piece.place, start: start - piece.from, end: end - piece.from };
}

function endOf({ place, from }: Piece): number {
  return from + place.block.text.length;
}

/** Whether an offset lies between the halves of a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  return isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
