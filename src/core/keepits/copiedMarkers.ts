import { pushTo } from '../text/ownValue';
import { OWN_MODEL, messageBlocks } from '../transcript/entryReader';
import { decoded } from '../text/byteText';
import { LineScanner, type Line, type LineSink } from '../transcript/lineScanner';
import { readRecords, type TranscriptRecord } from '../transcript/recordReader';
import type { Conversation, CopiedMarkers, Message } from '../transcript/types';
import { placeKey } from '../model/keepit';
import { textPlaces } from './collectKeepits';
import { parseKeepits } from './markerParser';
import { fieldsOf, textOf, readContent } from '../transcript/jsonPlace';

/** A marker that the assistant wrote, and the words behind it. */
interface WrittenMarker {
  readonly place: string;
  readonly start: number;
  /** Of its text, in the file. */
  readonly offset: number;
  /** What it marks, and the first paragraph of that: one of them was copied as a whole. */
  readonly contents: readonly string[];
  readonly beginning: Beginning;
}

/** How what follows a marker begins. */
interface Beginning {
  readonly words: readonly string[];
  /** As far as they stand in the first line, or sentence. */
  readonly first: readonly string[];
}

/** So many words behind a marker tell that it is the same one. */
const TELLING_WORDS = 5;
const BEGINNING_CHARS = 600;
const FIRST_LINE = /^[^\n]*?(?:[.!?。！？](?=\s|$)|\n|$)/;
/** A marker as a page may show it, whatever stands for its signs there. */
const SHOWN_MARKER = /keepit\W{0,3}\d[\d.,]{0,5}[^\p{L}\p{N}\n]{0,12}/giu;
const NEXT_MARKER = /#{0,2}keepit/i;
/** Markers that share their key are compared one by one. */
const MOST_ALIKE = 500;

/**
 * Finds out which markers of the assistant are no marks of its own, because what they mark stands word for word in what tools, files and
 * the harness had told it before. To be fed with the file from its beginning; holds the markers, and a line of the file at a time.
 */
export class CopiedMarkerSearch implements LineSink {
  /** The file is of interest up to here. */
  readonly until: number;
  private readonly byContent = new Map<string, WrittenMarker[]>();
  private readonly byBeginning = new Map<string, WrittenMarker[]>();
  private readonly copied = new Set<WrittenMarker>();
  private readonly scanner = new LineScanner(this);

  constructor(markers: readonly WrittenMarker[]) {
    for (const marker of markers) {
      for (const content of marker.contents) addTo(this.byContent, longestWord(content), marker);
      const [word] = marker.beginning.words;
      if (word !== undefined) addTo(this.byBeginning, word, marker);
    }
    this.until = markers.reduce((last, { offset }) => Math.max(last, offset), 0);
  }

  feed(chunk: Uint8Array): void {
    this.scanner.feed(chunk);
  }

  found(): CopiedMarkers {
    const copied = new Map<string, number[]>();
    for (const { place, start } of this.copied) pushTo(copied, place, start);
    return copied;
  }

  onLine({ text: line, offset }: Line): void {
    const content = readRecords(line);
    if (content.kind !== 'records') return;
    for (const record of content.records) {
      for (const text of otherTexts(record)) this.take(text, offset + record.start);
    }
  }

  onOversized(): void {
    // Nobody is told of so long a line, and it has no words that a marker could have been copied from.
  }

  private take(text: string, offset: number): void {
    this.takeMarkers(text, offset);
    const words = wordsAlone(text);
    for (const word of new Set(words.split(' '))) {
      for (const marker of this.byContent.get(word) ?? []) {
        const isOpen = marker.offset > offset && !this.copied.has(marker);
        if (isOpen && marker.contents.some((content) => words.includes(content))) this.copied.add(marker);
      }
    }
  }

  private takeMarkers(text: string, offset: number): void {
    for (const { index, 0: shown } of text.matchAll(SHOWN_MARKER)) {
      const from = index + shown.length;
      const beginning = beginningOf(text.slice(from, from + BEGINNING_CHARS).split(NEXT_MARKER)[0] ?? '');
      for (const marker of this.byBeginning.get(beginning.words[0] ?? '') ?? []) {
        if (marker.offset > offset && isSameBeginning(marker.beginning, beginning)) this.copied.add(marker);
      }
    }
  }
}

/** The markers of the assistant. `start` is where in the file the conversation was read from. */
export function writtenMarkers({ messages, abandoned }: Conversation, start: number): WrittenMarker[] {
  const all = [...messages, ...abandoned.flatMap((branch) => branch.messages)];
  return all.flatMap((message) => (isOwnReply(message) ? markersIn(message, start) : []));
}

/** What Keepit wrote into a resumed session is known to be marked. */
function isOwnReply({ role, model }: Message): boolean {
  return role === 'assistant' && model !== OWN_MODEL;
}

function markersIn(message: Message, fileStart: number): WrittenMarker[] {
  return [...textPlaces([message])].flatMap(({ block, blockIndex }) => {
    if (!/##keepit/i.test(block.text)) return [];
    const place = placeKey({ messageUuid: block.uuid, blockIndex });
    return parseKeepits(block.text).spans.map(({ start, content }) => {
      const contents = [content, content.split(/\n[ \t]*\r?\n/, 1)[0] ?? ''].map(wordsAlone).filter(isTelling);
      const beginning = beginningOf(content.slice(0, BEGINNING_CHARS));
      return { place, start, offset: fileStart + block.range.offset, contents: [...new Set(contents)], beginning };
    });
  });
}

function beginningOf(text: string): Beginning {
  const bare = text.replace(/^[^\p{L}\p{N}]+/u, '');
  return { words: firstWords(bare), first: firstWords(FIRST_LINE.exec(bare)?.[0] ?? '') };
}

function firstWords(text: string): string[] {
  return wordsAlone(text)
    .trim()
    .split(' ', TELLING_WORDS)
    .filter((word) => word !== '');
}

/** Whether a marker goes on as one that was shown, in its first line or over several. */
function isSameBeginning(written: Beginning, shown: Beginning): boolean {
  return beginsAlike(written.first, shown.first) || beginsAlike(written.words, shown.words);
}

/** Either may have been cut off, or go on in other words; that somebody else begins with the same word may be chance. */
function beginsAlike(own: readonly string[], theirs: readonly string[]): boolean {
  const length = Math.min(own.length, theirs.length);
  const isEnough = length > 1 || (length === 1 && own.length === 1);
  return isEnough && own.slice(0, length).every((word, at) => word === theirs[at]);
}

function longestWord(words: string): string {
  return words.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

function addTo(index: Map<string, WrittenMarker[]>, key: string, marker: WrittenMarker): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [marker]);
  else if (known.length < MOST_ALIKE) known.push(marker);
}

const LINE_NUMBERS = /^[ \t]*\d{1,7}(?:→|\t)/gm;
/** How pages write signs: `&quot;`, `&#35;`. */
const ENTITY = /&(?:[a-z]{2,8}|#x?[\da-f]{1,6});/gi;
const INVISIBLE = /\p{Cf}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/** Less than this may stand anywhere by chance. */
const LEAST_COPY = 12;

/**
 * The words of a text and nothing else, with a space before, between and after them: equal for the same words with other emphasis, in a
 * list, in other lines, and behind the numbers that tools put before lines.
 */
function wordsAlone(text: string): string {
  const words = text
    .replace(LINE_NUMBERS, ' ')
    .replace(ENTITY, ' ')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(BETWEEN_WORDS, ' ')
    .trim();
  return words === '' ? '' : ` ${words} `;
}

/** Whether so few words, as {@link wordsAlone} gives them, tell that they were copied. */
export function isTelling(words: string): boolean {
  return words.length >= LEAST_COPY + 2;
}

/**
 * The texts of a record that the assistant was told, and that nobody said: results of tools, files and the like that were attached, what
 * the harness put in.
 */
export function* otherTexts(record: TranscriptRecord): Generator<string> {
  const { fields } = record;
  if (fields['type'] === 'user') {
    for (const block of messageBlocks(record)) {
      const isTold = block.type === 'tool_result';
      const told = isTold ? readContent(block.fields['content']) : fields['isMeta'] === true ? [block] : [];
      for (const { raw } of told) if (raw !== undefined) yield decoded(raw);
    }
  }
  const type = textOf(fieldsOf(fields['attachment'])['type']) ?? '';
  if (fields['type'] === 'attachment' && type !== 'queued_command' && !type.startsWith('hook_')) {
    yield* stringsIn(fields);
  }
}

function* stringsIn(value: unknown): Generator<string> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') yield decoded(next);
    else if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) open.push(item);
  }
}
