import { sumOf } from '../text/ownValue';
import type { CompositionStrategy } from '../model/composition';
import { scoreTexts } from '../search/ranking';
import { fill, tokensOf, type Grant } from '../versions/digest';
import type { Passage, PassagePiece } from '../versions/passages';
import { tierPresets } from '../versions/compressionSettings';
import type { TierPreset } from '../model/compression';

const MODERATE_FROM = 3;
const AGGRESSIVE_FROM = 6;

const presetOf: Readonly<Record<AgeLevel, Exclude<TierPreset, 'custom'>>> = {
  light: 'gentle',
  moderate: 'standard',
  aggressive: 'aggressive',
};

/** A session that gets a share of the room. */
export interface Sharer {
  /** What it takes in any case: heading, and the keepits that are in. */
  readonly base: number;
  /** More than that it cannot use. */
  readonly most: number;
  /** What it says, as far as it can be cut to a share. */
  readonly passages: readonly Passage[];
  readonly originalTokens: number;
  /** How many sessions ago, 1 = newest. */
  readonly distance: number;
  /** Given by hand: instead of what the strategy would give. */
  readonly allocation?: number | undefined;
  /** For `custom`. */
  readonly weight?: number | undefined;
}

/** Tokens for each session, in the order of `sharers`. What one cannot use goes to the others; nobody gets less than its base, or more than was given by hand. */
export function shareRoom(sharers: readonly Sharer[], room: number, strategy: CompositionStrategy): number[] {
  const shares = sharers.map(({ base, most, allocation }) =>
    allocation === undefined ? undefined : Math.max(base, Math.min(allocation, most)),
  );
  for (;;) {
    const open = [...sharers.entries()].filter(([at]) => shares[at] === undefined);
    const left = shares.reduce<number>((rest, share) => rest - (share ?? 0), room);
    const next = divided(
      open.map(([, sharer]) => sharer),
      left,
      strategy,
    );
    const isFull = open.map(([, { base, most }], index) => {
      const share = next[index] ?? 0;
      return share >= most || share <= base;
    });
    const isLast = !isFull.includes(true);
    for (const [index, [at, { base, most }]] of open.entries()) {
      if (isLast || isFull[index] === true) shares[at] = Math.max(base, Math.min(most, next[index] ?? 0));
    }
    if (isLast) return shares.map((share) => share ?? 0);
  }
}

function divided(sharers: readonly Sharer[], room: number, strategy: CompositionStrategy): number[] {
  if (strategy === 'best') {
    const bases = sumOf(sharers, ({ base }) => base);
    const passages = sharers.flatMap((sharer) => sharer.passages);
    const taken = new Map(fill(passages, room - bases).map((grant) => [grant.passage, grant]));
    return sharers.map((sharer) => sharer.base + tokensOf(sharer.passages.flatMap((one) => taken.get(one) ?? [])));
  }
  const weights = sharers.map((sharer) => weightOf(sharer, strategy));
  const total = sumOf(weights, (weight) => weight);
  return weights.map((weight) => (total === 0 ? 0 : Math.floor((room * weight) / total)));
}

/** A session may always have so much with the age table: cutting a short one down saves nothing. */
const AGE_FLOOR_TOKENS = 1000;

function weightOf({ originalTokens, distance, weight = 1 }: Sharer, strategy: CompositionStrategy): number {
  if (strategy === 'age') return Math.max(AGE_FLOOR_TOKENS, originalTokens / ratioOfLevel(ageLevel(distance)));
  return strategy === 'custom' ? weight : 1;
}

/** Tokens do not quite add up: what was given by hand is not to be exceeded for that. */
const EXACT = 0.9;

/** A longer passage is cut to that where passages compete: what else it says is said less to the purpose. */
const LONGEST_ANSWER = 200;

/**
 * What each session may say when all passages compete by what they say to a purpose, the best first; in the order of `sharers`. A session
 * of which nothing is taken does not take its base either, unless `isIn` says that it is in whatever it says.
 */
export function shareByPurpose(
  sharers: readonly (Sharer & { readonly isIn: boolean })[],
  purpose: string,
  room: number,
): Grant[][] {
  const scores = scoresFor(
    purpose,
    sharers.map(({ passages }) => passages),
  );
  const ranked = sharers
    .flatMap(({ passages }, sharer) => passages.map((passage) => ({ passage, sharer })))
    .map((one, at) => ({ ...one, score: scores.get(one.passage) ?? 0, at }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at);
  let left = sharers.reduce((rest, { isIn, base }) => rest - (isIn ? base : 0), room);
  const own = sharers.map(({ allocation, base, isIn }) => (allocation ?? Infinity) * EXACT - (isIn ? base : 0));
  const taken = sharers.map(() => new Map<Passage, Grant>());
  for (const { passage, sharer } of ranked) {
    const { base, isIn } = sharers[sharer] ?? { base: 0, isIn: true };
    const grants = taken[sharer];
    if (grants === undefined) continue;
    const grant = answerIn(passage, purpose);
    const cost = tokensOf([grant]) + (isIn || grants.size > 0 ? 0 : base);
    if (cost > left || cost > (own[sharer] ?? 0)) continue;
    left -= cost;
    own[sharer] = (own[sharer] ?? 0) - cost;
    grants.set(passage, grant);
  }
  return withRest(sharers, taken, left);
}

/** What is left of the room says what else was asked and answered: in the sessions that are in, then in others, the newest first. */
function withRest(
  sharers: readonly (Sharer & { readonly isIn: boolean })[],
  taken: readonly ReadonlyMap<Passage, Grant>[],
  room: number,
): Grant[][] {
  let left = room;
  const joins = new Set(sharers.flatMap(({ isIn }, at) => (isIn || (taken[at]?.size ?? 0) > 0 ? [at] : [])));
  const others = [...sharers.keys()].filter((at) => !joins.has(at));
  for (const at of others.sort((a, b) => (sharers[a]?.distance ?? 0) - (sharers[b]?.distance ?? 0))) {
    const base = sharers[at]?.base ?? 0;
    if (base + LEAST_JOINING > left || sharers[at]?.allocation !== undefined) continue;
    left -= base;
    joins.add(at);
  }
  const begun = taken.flatMap((grants) => [...grants.values()]);
  const open = sharers.flatMap(({ passages, allocation }, at) =>
    joins.has(at) && allocation === undefined ? passages : [],
  );
  const filled = new Map([...begun, ...fill(open, left, begun)].map((grant) => [grant.passage, grant]));
  return sharers.map(({ passages }) => passages.flatMap((passage) => filled.get(passage) ?? []));
}

/** Less than that would say nothing of a session. */
const LEAST_JOINING = 100;

/** Besides itself, a passage is worth this share of what its turn says, and a reply that of what it replies to. */
const OF_TURN = 0.3;
const OF_REPLIED = 0.3;

function scoresFor(purpose: string, sessions: readonly (readonly Passage[])[]): Map<Passage, number> {
  const turns: Passage[][] = [];
  const repliedTo = new Map<Passage, Passage[]>();
  for (const passages of sessions) {
    let current: Passage[] | undefined;
    for (const passage of passages) {
      if (passage.kind === 'asked' || current === undefined) {
        if (current !== undefined) repliedTo.set(passage, current);
        current = [];
        turns.push(current);
      }
      current.push(passage);
    }
  }
  const own = scoreTexts(purpose, sessions).flat();
  const [whole = []] = scoreTexts(purpose, [
    turns.map((turn) => ({ text: turn.map(({ text }) => text).join('\n\n') })),
  ]);
  const turnScores = new Map(turns.map((turn, at) => [turn, whole[at] ?? 0]));
  const scores = new Map<Passage, number>();
  let from = 0;
  for (const turn of turns) {
    for (const [at, passage] of turn.entries()) {
      const replied = repliedTo.get(passage);
      const around = OF_TURN * (turnScores.get(turn) ?? 0);
      const before = at === 0 && replied !== undefined ? OF_REPLIED * (turnScores.get(replied) ?? 0) : 0;
      scores.set(passage, (own[from + at] ?? 0) + Math.max(around, before));
    }
    from += turn.length;
  }
  return scores;
}

/** A passage, or of a long one what says most to the purpose. */
function answerIn(passage: Passage, purpose: string): Grant {
  const { text, pieces } = passage;
  if (tokensOf([passage]) <= LONGEST_ANSWER) return { passage, pieces };
  const [scores = []] = scoreTexts(purpose, [pieces.map(({ start, end }) => ({ text: text.slice(start, end) }))]);
  const taken = new Set<PassagePiece>();
  let left = LONGEST_ANSWER;
  for (const { piece } of pieces
    .map((piece, at) => ({ piece, score: scores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.piece.enters - b.piece.enters)) {
    if (piece.tokens > left) continue;
    left -= piece.tokens;
    taken.add(piece);
  }
  return { passage, pieces: pieces.filter((piece) => taken.has(piece)) };
}

/** Seed 001: how much detail a session deserves by its age. */
type AgeLevel = 'light' | 'moderate' | 'aggressive';

/** Seed 001's table: one or two sessions ago light, three to five moderate, older ones aggressive. */
export function ageLevel(distance: number): AgeLevel {
  if (distance >= AGGRESSIVE_FROM) return 'aggressive';
  return distance >= MODERATE_FROM ? 'moderate' : 'light';
}

/** What a level comes to over a whole session, 5 for 5:1. */
function ratioOfLevel(level: AgeLevel): number {
  let before = 0;
  let share = 0;
  for (const { endPercent, compactionRatio } of tierPresets[presetOf[level]]) {
    share += (endPercent - before) / 100 / compactionRatio;
    before = endPercent;
  }
  return 1 / share;
}
