import { hash64 } from '../../text/hash64';
import type { GivenText, HookActivity, InjectedPiece } from '../../model/hookActivity';
import { withoutHarnessTags } from '../../transcript/harnessBlocks';
import { sumOf } from '../../text/ownValue';

/** Beyond 10,000 UTF-16 units Claude Code gives the model the beginning of a hook's output only. */
export const HOOK_OUTPUT_UNITS = 10_000;
const PARAGRAPH = '\n\n';

/** A piece of text that is given to a model. */
export interface Piece {
  /** One of the kinds of `hookActivity`. */
  readonly kind: string;
  readonly text: string;
  /** Where it was taken from: a file, a composition's name, a session's id. */
  readonly from?: string | undefined;
}

const PREVIEW_UNITS = 120;
/** With the blank lines and indents that a preview leaves out. */
const PREVIEW_READ = 4 * PREVIEW_UNITS;
/** English prose has about so many units to a token. */
const UNITS_PER_TOKEN = 4;

/** What a hook puts out, and what that was made of. */
export interface HookAnswer {
  readonly text: string;
  readonly injected: NonNullable<HookActivity['injected']>;
  /** The pieces as a whole, where their previews are less. */
  readonly wholes: readonly GivenText[];
}

/**
 * Puts pieces together, in their order. What does not fit any more is left out whole: pieces are made so that they fit, and half of one
 * could say something else. Undefined when there is nothing to say.
 *
 * All of it is text of past sessions, and older versions of Claude Code put it between tags of theirs as it is: no tag in it can end those.
 */
export function answerOf(pieces: readonly Piece[]): HookAnswer | undefined {
  const given: InjectedPiece[] = [];
  const wholes: GivenText[] = [];
  let text = '';
  for (const prepared of pieces) {
    if (prepared.text === '') continue;
    const piece = { ...prepared, text: withoutHarnessTags(prepared.text) };
    const longer = text === '' ? piece.text : text + PARAGRAPH + piece.text;
    if (longer.length > HOOK_OUTPUT_UNITS) continue;
    text = longer;
    const { preview, ...told } = injectedPiece(piece);
    const key = preview === piece.text ? undefined : hash64(piece.text);
    if (key !== undefined) wholes.push({ key, text: piece.text });
    given.push({ ...told, preview, key });
  }
  if (given.length === 0) return undefined;
  const tokens = sumOf(given, (piece) => piece.tokens);
  return { text, injected: { tokens, units: text.length, pieces: given }, wholes };
}

/** Whether nothing of these would have to be left out. */
export function fitsOutput(pieces: readonly Piece[]): boolean {
  const units = pieces.reduce((sum, { text }) => sum + text.length + PARAGRAPH.length, -PARAGRAPH.length);
  return units <= HOOK_OUTPUT_UNITS;
}

function injectedPiece({ kind, text, from }: Piece): InjectedPiece & { preview: string } {
  const line = text
    .slice(0, PREVIEW_READ)
    .replace(/\s+/g, ' ')
    .slice(0, PREVIEW_UNITS + 1);
  const preview = line.length > PREVIEW_UNITS ? `${wholeUnits(line, PREVIEW_UNITS - 1)}…` : line;
  const tokens = Math.ceil(text.length / UNITS_PER_TOKEN);
  return { kind, tokens, units: text.length, preview, from };
}

/** The first units of a text, without half a pair at the end. */
export function wholeUnits(text: string, units: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(units - 1)) ? units - 1 : units);
}

/** What is kept of an answer, which itself is nobody's business before it is in memory. */
export function answerMark(answer: string): string {
  return hash64(answer.trim());
}
