/** One way in which a session can be in a composition. */
export interface Choice {
  readonly tokens: number;
  /** How much of the session is then still there; at least 0. */
  readonly fidelity: number;
}

/** Which choice was taken of each list, by index. */
export interface Selection {
  readonly picks: readonly number[];
  readonly tokens: number;
  readonly fidelity: number;
  /** No other selection under the budget has more fidelity. */
  readonly isProven: boolean;
}

/** Differences below this are rounding. */
const EPSILON = 1e-9;
/** So many partial selections are followed at first, to get near the optimum before all that may be better is looked at. */
const SCOUTS = 64;
/** Beyond this the search is cut off, which what users have never reaches. */
const MAX_STATES = 400_000;

/**
 * Takes one choice of every list so that the fidelity is as large as it can be under the budget (a multiple-choice knapsack).
 * Undefined when even the smallest choices are larger. `candidates` are selections that the answer is not to be worse than.
 *
 * Exact, by what is known of such problems (Pisinger's core): the relaxation gives each token its price; a choice loses what it is
 * below the best one of its list at that price; a better selection than the one at hand can only be made of choices that together lose
 * less than the gap to the bound. What is left is enumerated, dominated partial selections dropped.
 */
export function selectBest(
  lists: readonly (readonly Choice[])[],
  budget: number,
  candidates: readonly (readonly number[])[] = [],
): Selection | undefined {
  const fronts = lists.map(frontOf);
  const relaxed = relax(fronts, budget);
  if (relaxed === undefined) return undefined;
  let best = measured(lists, relaxed.picks);
  for (const picks of candidates) {
    const other = measured(lists, picks);
    if (other.tokens <= budget && other.fidelity > best.fidelity) best = other;
  }
  const search = new CoreSearch(fronts, budget, relaxed.price);
  best = measured(lists, search.improve(best, SCOUTS).picks);
  const { picks, isComplete } = search.improve(best, MAX_STATES);
  return { ...measured(lists, picks), isProven: isComplete };
}

/** The tokens and the fidelity of a selection. */
export function measured(lists: readonly (readonly Choice[])[], picks: readonly number[]): Omit<Selection, 'isProven'> {
  let tokens = 0;
  let fidelity = 0;
  for (const [list, pick] of picks.entries()) {
    tokens += lists[list]?.[pick]?.tokens ?? 0;
    fidelity += lists[list]?.[pick]?.fidelity ?? 0;
  }
  return { picks, tokens, fidelity };
}

interface FrontChoice extends Choice {
  /** In the list that it came from. */
  readonly index: number;
}

/** The choices that are not both larger and poorer than another one, smallest first. */
function frontOf(choices: readonly Choice[]): FrontChoice[] {
  const sorted = choices
    .map(({ tokens, fidelity }, index) => ({ tokens, fidelity, index }))
    .sort((a, b) => a.tokens - b.tokens || b.fidelity - a.fidelity);
  const front: FrontChoice[] = [];
  for (const choice of sorted) {
    const last = front.at(-1);
    if (last === undefined || choice.fidelity > last.fidelity) front.push(choice);
  }
  return front;
}

/** The corners of a front: more fidelity per token than what lies between them. */
function hullOf(front: readonly FrontChoice[]): FrontChoice[] {
  const hull: FrontChoice[] = [];
  for (const choice of front) {
    while (hull.length > 1 && worth(hull.at(-2), hull.at(-1)) <= worth(hull.at(-1), choice)) hull.pop();
    hull.push(choice);
  }
  return hull;
}

/** Fidelity per token of a step up. */
function worth(from: FrontChoice | undefined, to: FrontChoice | undefined): number {
  if (from === undefined || to === undefined) return 0;
  return (to.fidelity - from.fidelity) / (to.tokens - from.tokens);
}

/** Steps up by their worth until the next does not fit: its worth is the price of a token. What fits after it is taken too. */
function relax(
  fronts: readonly (readonly FrontChoice[])[],
  budget: number,
): { picks: number[]; price: number } | undefined {
  const hulls = fronts.map(hullOf);
  let left = hulls.reduce((rest, hull) => rest - (hull[0]?.tokens ?? 0), budget);
  if (left < 0) return undefined;
  const steps = hulls.flatMap((hull, list) =>
    hull.slice(1).map((to, at) => ({ list, to, from: hull[at], worth: worth(hull[at], to) })),
  );
  steps.sort((a, b) => b.worth - a.worth);
  const picks = hulls.map((hull) => hull[0]?.index ?? 0);
  const blocked = new Set<number>();
  let price: number | undefined;
  for (const { list, from, to, worth: stepWorth } of steps) {
    if (blocked.has(list)) continue;
    const tokens = to.tokens - (from?.tokens ?? 0);
    if (tokens > left) {
      price ??= stepWorth;
      blocked.add(list);
      continue;
    }
    left -= tokens;
    picks[list] = to.index;
  }
  return { picks, price: price ?? 0 };
}

/** A selection of the first few lists. */
interface State {
  readonly tokens: number;
  readonly fidelity: number;
  /** What it is below the bound already. */
  readonly loss: number;
  readonly choice: FrontChoice | undefined;
  readonly before: State | undefined;
}

interface CoreChoice extends FrontChoice {
  readonly loss: number;
}

interface CoreList {
  readonly list: number;
  readonly choices: readonly CoreChoice[];
}

/** What a partial selection needs at least, and can use at most, of the lists that are still to come. */
interface Rest {
  readonly least: number;
  readonly most: number;
}

/** Enumerates what can be better than a selection that is known. */
class CoreSearch {
  readonly #lists: readonly CoreList[];
  readonly #budget: number;
  readonly #price: number;
  readonly #bound: number;

  constructor(fronts: readonly (readonly FrontChoice[])[], budget: number, price: number) {
    this.#budget = budget;
    this.#price = price;
    let bound = price * budget;
    this.#lists = fronts.map((front, list) => {
      const top = Math.max(...front.map(({ tokens, fidelity }) => fidelity - price * tokens));
      bound += front.length === 0 ? 0 : top;
      return { list, choices: front.map((one) => ({ ...one, loss: top - (one.fidelity - price * one.tokens) })) };
    });
    this.#bound = bound;
  }

  /** `known`, or the best selection beyond it. Complete unless more than `width` partial selections had to be followed at once. */
  improve(
    known: { picks: readonly number[]; fidelity: number },
    width: number,
  ): { picks: readonly number[]; isComplete: boolean } {
    const gap = this.#bound - known.fidelity - EPSILON;
    if (gap <= 0) return { picks: known.picks, isComplete: true };
    const core = this.#lists.map(({ list, choices }) => ({ list, choices: choices.filter(({ loss }) => loss < gap) }));
    // Lists with one choice left first: they multiply nothing, and make the bounds on the rest sharp.
    core.sort((a, b) => a.choices.length - b.choices.length);
    const rests = restsOf(core);
    let states: State[] = [{ tokens: 0, fidelity: 0, loss: 0, choice: undefined, before: undefined }];
    let isComplete = true;
    for (const [at, { choices }] of core.entries()) {
      const rest = rests[at + 1] ?? { least: 0, most: 0 };
      states = undominated(this.#extend(states, choices, rest, gap));
      if (states.length > width) {
        isComplete = false;
        states = this.#mostPromising(states, rest, width);
      }
    }
    const best = states.at(-1);
    const isBetter = best !== undefined && best.fidelity > known.fidelity + EPSILON;
    return { picks: isBetter ? picksOf(best, core) : known.picks, isComplete };
  }

  #extend(states: readonly State[], choices: readonly CoreChoice[], rest: Rest, gap: number): State[] {
    const extended: State[] = [];
    for (const before of states) {
      for (const choice of choices) {
        const tokens = before.tokens + choice.tokens;
        if (tokens + rest.least > this.#budget) continue;
        const loss = before.loss + choice.loss;
        if (loss + this.#unused(tokens, rest) >= gap) continue;
        extended.push({ tokens, fidelity: before.fidelity + choice.fidelity, loss, choice, before });
      }
    }
    return extended;
  }

  /** The price of the tokens that will be left over whatever is chosen. */
  #unused(tokens: number, rest: Rest): number {
    return this.#price * Math.max(0, this.#budget - tokens - rest.most);
  }

  #mostPromising(states: readonly State[], rest: Rest, width: number): State[] {
    const lossOf = (state: State): number => state.loss + this.#unused(state.tokens, rest);
    return [...states]
      .sort((a, b) => lossOf(a) - lossOf(b))
      .slice(0, width)
      .sort((a, b) => a.tokens - b.tokens);
  }
}

function restsOf(core: readonly CoreList[]): Rest[] {
  const rests: Rest[] = [{ least: 0, most: 0 }];
  for (const { choices } of [...core].reverse()) {
    const [after = { least: 0, most: 0 }] = rests;
    const sizes = choices.map(({ tokens }) => tokens);
    rests.unshift({ least: after.least + Math.min(...sizes), most: after.most + Math.max(...sizes) });
  }
  return rests;
}

/** Smallest first, each with more fidelity than all before it. */
function undominated(states: State[]): State[] {
  states.sort((a, b) => a.tokens - b.tokens || b.fidelity - a.fidelity);
  const kept: State[] = [];
  let top = -Infinity;
  for (const state of states) {
    if (state.fidelity <= top) continue;
    top = state.fidelity;
    kept.push(state);
  }
  return kept;
}

function picksOf(best: State, core: readonly CoreList[]): number[] {
  const picks: number[] = [];
  let state: State | undefined = best;
  for (const { list } of [...core].reverse()) {
    picks[list] = state?.choice?.index ?? 0;
    state = state?.before;
  }
  return picks;
}
