import { findCodeRanges } from '../keepits/codeRanges';
import { parseKeepits } from '../keepits/markerParser';
import type { ArmedContext } from '../model/armedContext';
import { SCHEMA_VERSION } from '../model/schemaVersion';
import { markerLine, type DocumentIdentity } from './composedDocument';

/** Beyond 10,000 UTF-16 units Claude Code gives the model the beginning of a hook's output only. */
const HOOK_UNITS = 9_900;
/** So many hooks of one event were seen to be delivered in full. */
export const HOOK_PIECES = 4;
const PLACE_UNITS = 90;
const PARAGRAPH = '\n\n';

/** The composition in pieces for hooks. `file` is where all of it can be read: named to the model when the pieces do not hold it. */
export function armContext(
  identity: DocumentIdentity,
  markdown: string,
  place: { readonly projectId: string; readonly file: string; readonly armedAt: string },
): ArmedContext {
  const { projectId, armedAt, file } = place;
  const capacity = HOOK_UNITS - markerLine(identity).length - PLACE_UNITS;
  const { bodies, isWhole } = bodiesFor(markdown, capacity, file);
  const pieces = bodies.map(
    (body, at) => `${markerLine(identity)} ${placeOf(at + 1, bodies.length)}${PARAGRAPH}${body}`,
  );
  const { compositionId, name } = identity;
  const armed = { version: SCHEMA_VERSION, projectId, compositionId, name, armedAt, pieces };
  return isWhole ? armed : { ...armed, rest: { file } };
}

/** Hooks run side by side: whichever piece a model reads first, it can tell where it belongs, and that it is data. */
function placeOf(piece: number, count: number): string {
  const before = piece === 1 ? '' : `: data from past sessions, goes on where piece ${piece - 1} ends`;
  return `(piece ${piece} of ${count}${before})`;
}

/** Which piece of a composition a text is, and of how many; undefined for a text that is no piece of it. */
export function pieceIn(text: string, compositionId: string): { piece: number; count: number } | undefined {
  const line = text.split('\n').find((one) => one.includes(compositionId)) ?? '';
  const [, piece, count] = /\(piece (\d) of (\d)[^()]*\)$/.exec(line) ?? [];
  return piece === undefined ? undefined : { piece: Number(piece), count: Number(count) };
}

function bodiesFor(markdown: string, capacity: number, file: string): { bodies: string[]; isWhole: boolean } {
  const text = new CuttableText(markdown.trim());
  const whole = text.cut(0, capacity, HOOK_PIECES);
  if (whole.end === text.length) return { bodies: whole.pieces, isWhole: true };
  // The last piece tells what is missing, and holds the pinned keepits that would be missing with it.
  const most = text.cut(0, capacity, HOOK_PIECES - 1);
  const tail = tailFor(text.slice(most.end), capacity, file);
  const room = capacity - tail.length - PARAGRAPH.length;
  const [filler = ''] = room > capacity / 4 ? text.cut(most.end, room, 1).pieces : [];
  return { bodies: [...most.pieces, [filler, tail].filter((part) => part !== '').join(PARAGRAPH)], isWhole: false };
}

const PINNED = 1;

function tailFor(rest: string, capacity: number, file: string): string {
  const note = `This is the beginning only. All of it is in ${file}: read that file when more is needed.`;
  let tail = note;
  for (const { weight, start, end } of parseKeepits(rest).spans) {
    if (weight < PINNED) continue;
    const longer = `${tail}${PARAGRAPH}${rest.slice(start, end)}##keepit:end##`;
    if (longer.length <= capacity) tail = longer;
  }
  return tail;
}

/** A text that is cut between paragraphs, and never inside a keepit or a code block, as long as these fit. */
class CuttableText {
  readonly length: number;
  readonly #cuts: readonly number[];

  constructor(private readonly text: string) {
    this.length = text.length;
    const ranges = [...findCodeRanges(text), ...parseKeepits(text).spans].sort((a, b) => a.start - b.start);
    let next = 0;
    let reach = 0;
    this.#cuts = [...text.matchAll(/\n\n+/g)].flatMap(({ index }) => {
      for (let range = ranges[next]; range !== undefined && range.start < index; range = ranges[++next]) {
        reach = Math.max(reach, range.end);
      }
      return reach > index ? [] : [index];
    });
  }

  slice(start: number): string {
    return this.text.slice(start).trim();
  }

  /** At most `count` pieces of at most `capacity` units from `start` on, and where the last one ends. */
  cut(start: number, capacity: number, count: number): { pieces: string[]; end: number } {
    const pieces: string[] = [];
    let from = start;
    while (from < this.length && pieces.length < count) {
      const to = this.#endOf(from, capacity);
      const piece = this.text.slice(from, to).trim();
      if (piece !== '') pieces.push(piece);
      from = to;
    }
    return { pieces, end: from };
  }

  #endOf(from: number, capacity: number): number {
    const most = from + capacity;
    if (most >= this.length) return this.length;
    const paragraph = this.#cuts.findLast((cut) => cut > from && cut <= most);
    if (paragraph !== undefined) return paragraph;
    const line = this.text.lastIndexOf('\n', most);
    if (line > from) return line;
    return /[\udc00-\udfff]/.test(this.text.charAt(most)) ? most - 1 : most;
  }
}
