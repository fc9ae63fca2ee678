import { countUp } from '../text/ownValue';
import type { BarePassage, Passage, PassagePiece } from './passages';
import { TYPED_PIECES } from './passages';

/** Of the length that requests and outcomes have, what is said on the way has this share, and what was done; tools come last. */
const SHARES: Readonly<Record<Passage['kind'], number>> = {
  asked: 1,
  outcome: 1,
  said: 0.5,
  done: 0.25,
  deed: 0.25,
  step: 0.02,
};

/** A piece of fewer tokens tells too little to come in for that. */
const LEAST_TOKENS = 10;

/** What says least comes in at so much of the length that it would need. */
const LEAST_WORTH = 0.3;

/** What people type is said on purpose, whatever its words: with this floor it comes in before most of what is said to it. */
const LEAST_TYPED = 0.55;

/** Opening one more passage has to pay: a word of each says less than the whole of what tells most, and what is torn apart is hard to read. */
const OPENING_TOKENS = 60;

/** What tells twice as much may be so many times as long: with a higher power, what tells little has to wait longer. */
const TELLING_POWER = 3;

/** A piece of fewer tokens is not taken for telling because one of its few words is rare. */
const USUAL_TOKENS = 15;

/** Long pieces hold more terms: with the power 1 only their density would count. */
const LENGTH_POWER = 0.9;

type BarePiece = BarePassage['bare'][number];

/** How much longer a piece may be than others for what it tells, by its rank among all: 0 for the least, 1 for the most telling. */
function lengthWorth(rank: number): number {
  return (LEAST_WORTH + rank) ** TELLING_POWER;
}

/** How much each piece tells by its terms; what Claude says counts less where something that comes in earlier has said it. */
function scoresOf(passages: readonly BarePassage[]): Map<BarePiece, number> {
  const pieces = passages.flatMap(({ bare }) => bare);
  const claudes = new Set(passages.flatMap(({ bare, role }) => (role === 'assistant' ? bare : [])));
  const frequency = new Map<string, number>();
  for (const { terms } of pieces) for (const { key } of terms) countUp(frequency, key);
  const said = new Map<string, number>();
  const score = (piece: BarePiece): number => {
    const isClaudes = claudes.has(piece);
    let sum = 0;
    for (const { key, weight } of piece.terms) {
      const rarity = Math.log((1 + pieces.length) / (frequency.get(key) ?? 1));
      sum += weight * rarity * REPEATED_WORTH ** (isClaudes ? (said.get(key) ?? 0) : 0);
    }
    return (piece.worth * sum) / Math.max(USUAL_TOKENS, piece.tokens) ** LENGTH_POWER;
  };
  const alone = ranksOf(new Map(pieces.map((piece) => [piece, score(piece)])));
  // A long piece that tells much comes in late: what says the same in fewer words is not to wait for it.
  const early = passages.flatMap(({ bare, kind }) =>
    bare.map((piece): [BarePiece, number] => {
      const worth = SHARES[kind] * piece.share * lengthWorth(alone.get(piece) ?? 0);
      return [piece, worth / (OPENING_TOKENS + piece.tokens)];
    }),
  );
  return new Map(
    inOrder(new Map(early)).map((piece) => {
      const value = score(piece);
      for (const { key } of piece.terms) countUp(said, key);
      return [piece, value];
    }),
  );
}

function inOrder(scores: ReadonlyMap<BarePiece, number>): BarePiece[] {
  return [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
}

/** From 0 to 1, in the order of the scores; 0 for what tells nothing. */
function ranksOf(scores: ReadonlyMap<BarePiece, number>): Map<BarePiece, number> {
  const order = inOrder(scores).reverse();
  return new Map(order.map((piece, rank) => [piece, scores.get(piece) === 0 ? 0 : rank / order.length]));
}

let last: { readonly sessions: readonly (readonly BarePassage[])[]; readonly passages: Passage[][] } | undefined;

/**
 * The passages of all sessions that are told together: a piece tells much when its terms are rare among all of them. Another budget for the
 * same sessions changes nothing of that: they are not weighed twice.
 */
export function weighed(sessions: readonly (readonly BarePassage[])[]): Passage[][] {
  const isSame =
    last?.sessions.length === sessions.length &&
    last.sessions.every((passages, at) => {
      const own = sessions[at] ?? [];
      return passages.length === own.length && passages.every((passage, index) => passage === own[index]);
    });
  last = isSame && last !== undefined ? last : { sessions, passages: weighedAnew(sessions) };
  return last.passages;
}

function weighedAnew(sessions: readonly (readonly BarePassage[])[]): Passage[][] {
  const ranks = ranksOf(scoresOf(sessions.flat()));
  const repeated = repetitionsIn(sessions.flat());
  return sessions.map((passages) => {
    const opening = passages.find(({ kind }) => kind === 'asked') ?? passages[0];
    return passages.map((passage) => {
      const { bare, isOffer = false, ...one } = passage;
      const ranked = bare.map((piece) => ({
        ...piece,
        rank: ranks.get(piece) ?? 0,
        isRepeated: repeated.has(piece),
      }));
      // What a person chose says little without what they could choose from.
      const isTyped = isOffer || (one.kind === 'asked' && bare.length <= TYPED_PIECES);
      const entered = withEntries(ranked, SHARES[one.kind], isTyped ? LEAST_TYPED : 0);
      return { ...one, pieces: passage === opening ? withFirst(entered) : entered };
    });
  });
}

/** What a term is worth each time that something that comes in earlier has said it. */
const REPEATED_WORTH = 0.5;

/** Shorter pieces say something else where they are said again: `Yes, do that.` */
const LEAST_REPEATED_TOKENS = 8;

/** What the same side has said before, word for word: plans that are put again, prompts that are sent again, turns that a resumed session copies. */
function repetitionsIn(passages: readonly BarePassage[]): Set<BarePassage['bare'][number]> {
  const said = new Set<string>();
  return new Set(
    passages.flatMap(({ kind, role, text, bare }) => {
      const repeated = bare.filter(({ start, end, tokens }) => {
        if (tokens < LEAST_REPEATED_TOKENS) return false;
        const words = `${role} ${text.slice(start, end)}`;
        const isRepeated = said.has(words);
        said.add(words);
        return isRepeated;
      });
      // What a tool answered says nothing without what it was called for.
      const isWhole = (kind !== 'step' && kind !== 'deed') || repeated.length === bare.length;
      return isWhole ? repeated : repeated.filter((piece) => piece !== bare[0]);
    }),
  );
}

/** What a session began with says what it is about: a piece of that comes in long before others that tell as much. */
const OPENING_LEAD = 4;

function withFirst(pieces: readonly PassagePiece[]): PassagePiece[] {
  const first = Math.min(...pieces.map(({ enters }) => enters));
  const at = pieces.findIndex(({ enters }) => enters === first);
  return pieces.map((piece, index) => (index === at ? { ...piece, enters: first / OPENING_LEAD } : piece));
}

function withEntries(
  pieces: readonly (Omit<PassagePiece, 'enters'> &
    Pick<BarePiece, 'share' | 'point'> & { rank: number; isRepeated: boolean })[],
  share: number,
  leastTelling: number,
): PassagePiece[] {
  let before = OPENING_TOKENS;
  let last = 0;
  const entries = new Map<object, number>();
  const own = pieces.filter(({ isRepeated }) => !isRepeated);
  for (const piece of own.sort((a, b) => b.share - a.share || b.rank - a.rank || a.start - b.start)) {
    const worth = lengthWorth(piece.rank);
    const telling = piece.share < 1 ? piece.share * worth : Math.max(leastTelling, worth);
    last = Math.max(last, (before + Math.max(LEAST_TOKENS, piece.tokens)) / (share * telling));
    entries.set(piece, last);
    before += piece.tokens;
  }
  for (const list of listsIn(pieces.filter(({ isRepeated }) => !isRepeated))) {
    const ordered = list.map((piece) => entries.get(piece) ?? Infinity).sort((a, b) => a - b);
    for (const [at, piece] of list.entries()) entries.set(piece, ordered[at] ?? Infinity);
  }
  return pieces.map((piece) => ({
    start: piece.start,
    end: piece.end,
    tokens: piece.tokens,
    enters: entries.get(piece) ?? Infinity,
  }));
}

/** Points that are counted one after the other: what there is no room for is cut from the end. */
function listsIn<T extends Pick<BarePiece, 'point'>>(pieces: readonly T[]): T[][] {
  const lists: T[][] = [];
  for (const piece of pieces) {
    if (piece.point === '') continue;
    const last = lists.at(-1);
    if (last === undefined || /^[1A]$/.test(piece.point)) lists.push([piece]);
    else last.push(piece);
  }
  return lists;
}
