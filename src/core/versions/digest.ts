import { AROUND_PASSAGE, type Passage, type PassagePiece } from './passages';

/** A passage, and what of it there is room for. */
export interface Grant {
  readonly passage: Passage;
  readonly pieces: readonly PassagePiece[];
}

/** What passages come to, or some pieces of each. */
export function tokensOf(grants: readonly { readonly pieces: readonly PassagePiece[] }[]): number {
  return grants.reduce(
    (sum, { pieces }) =>
      pieces.length === 0 ? sum : pieces.reduce((all, { tokens }) => all + tokens, sum + AROUND_PASSAGE),
    0,
  );
}

/** Small pieces fill what is left when a larger one does not fit, but only those that would have been next: the rest says nothing. */
const NOT_MUCH_LATER = 1.5;

/**
 * What passages say in a room: all that is asked and answered is cut to the same length, the most telling pieces of each come first.
 * `begun` are grants that are in already, and take nothing of the room.
 */
export function fill(passages: readonly Passage[], room: number, begun: readonly Grant[] = []): Grant[] {
  const taken = new Map(begun.map(({ passage, pieces }) => [passage, new Set(pieces)]));
  const steps = passages
    .flatMap((passage, at) => passage.pieces.map((piece) => ({ piece, passage, at })))
    .sort((a, b) => a.piece.enters - b.piece.enters || a.at - b.at);
  let left = room;
  let last = Infinity;
  for (const { piece, passage } of steps) {
    const own = taken.get(passage);
    const cost = piece.tokens + (own === undefined ? AROUND_PASSAGE : 0);
    if (piece.enters > last || piece.enters === Infinity) break;
    if (own?.has(piece) === true) continue;
    if (cost > left) {
      last = Math.min(last, piece.enters * NOT_MUCH_LATER);
      continue;
    }
    left -= cost;
    taken.set(passage, (own ?? new Set()).add(piece));
  }
  return passages.flatMap((passage) => {
    const own = taken.get(passage);
    return own === undefined ? [] : [{ passage, pieces: passage.pieces.filter((piece) => own.has(piece)) }];
  });
}

/** What stands where something was left out. */
export const GAP = '…';

/** The words of a grant, with a sign where something was left out. */
export function grantText({ passage: { text, pieces: all }, pieces }: Grant): string {
  const taken = new Set(pieces);
  let said = '';
  let isOpen = false;
  for (const [at, piece] of all.entries()) {
    if (!taken.has(piece)) {
      isOpen = true;
      continue;
    }
    const before = text.slice(all[at - 1]?.end ?? 0, piece.start);
    const joint = said === '' ? '' : before.includes('\n') ? '\n' : ' ';
    said += isOpen && said !== '' ? `${joint}${GAP} ` : at === 0 || said === '' ? '' : before;
    said += text.slice(piece.start, piece.end);
    isOpen = false;
  }
  return said;
}
