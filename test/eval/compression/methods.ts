// The compressor and what it has to beat: all get the same units of text, the same budget, and the same filling of it.
import { collectUnits } from '../../../src/core/versions/local/collectUnits';
import { LocalSummarizer } from '../../../src/core/versions/local/localSummarizer';
import { isCourtesy } from '../../../src/core/material/statements';
import { QUESTION } from '../../../src/core/text/sentences';
import { CLASS_WEIGHTS, findTerms } from '../../../src/core/text/terms';
import { joinBlocks } from '../../../src/core/versions/types';
import type { SourceMessage } from '../../../src/core/material/types';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';

/** A way to make a text of at most `target` tokens from a session. */
export interface Method {
  readonly name: string;
  compress(messages: readonly SourceMessage[], target: number): Promise<string>;
}

/** Beyond so many units the graph of TextRank is cut to the first ones that were said. */
const LARGEST_GRAPH = 3000;
const DAMPING = 0.85;
const ROUNDS = 40;

/** One unit of a session as the baselines see it. */
interface Line {
  readonly text: string;
  readonly isDetail: boolean;
  /** The n-th unit of what one speaker said in a row. */
  readonly place: number;
}

export function methodsWith(counter: TokenCounter): Method[] {
  const ranked = (name: string, rank: (lines: readonly Line[]) => number[]): Method => ({
    name,
    compress: async (messages, target) => {
      const lines = linesOf(messages);
      return filled(lines, rank(lines), target, counter);
    },
  });
  return [
    { name: 'keepit', compress: (messages, target) => keepit(messages, target, counter) },
    ranked('head', (lines) => [...lines.keys()]),
    ranked('tail', (lines) => [...lines.keys()].reverse()),
    ranked('lead-k', leadK),
    ranked('textrank', textRank),
    ranked('tf-idf', tfIdf),
    ranked('specific', specific),
  ];
}

async function keepit(messages: readonly SourceMessage[], target: number, counter: TokenCounter): Promise<string> {
  const inputTokens = messages.reduce((sum, message) => sum + message.tokens, 0);
  const [first, last] = [messages[0]?.index ?? 0, messages.at(-1)?.index ?? 0];
  const ratio = inputTokens / target;
  const segment = {
    from: first,
    to: last,
    ratio,
    aggressiveness: 'moderate',
    inputTokens,
    targetTokens: target,
  } as const;
  const request = { title: '', segments: [segment], messages, counter };
  const { blocks } = await new LocalSummarizer().summarize(request, { model: '' });
  return joinBlocks(blocks);
}

function linesOf(messages: readonly SourceMessage[]): Line[] {
  const { units } = collectUnits(messages, { starts: new Set(), hasRepeats: true });
  let speaker = '';
  let place = 0;
  return units.map((unit) => {
    const now = `${unit.role} ${String(unit.messages[0] ?? 0)}`;
    place = now === speaker ? place + 1 : 0;
    speaker = now;
    const isStep = unit.kind === 'step' && unit.verb !== undefined;
    return { text: isStep ? `${unit.verb} ${unit.text}` : unit.text, isDetail: unit.kind === 'detail', place };
  });
}

/** Takes lines in the order of their rank as long as they fit; writes them in the order of the session. */
function filled(lines: readonly Line[], ranks: readonly number[], target: number, counter: TokenCounter): string {
  const write = (indexes: readonly number[]): string =>
    indexes
      .toSorted((a, b) => a - b)
      .map((index) => lines[index]?.text ?? '')
      .join('\n');
  const chosen: number[] = [];
  let left = target;
  for (const index of ranks) {
    const cost = counter.count(`${lines[index]?.text ?? ''}\n`);
    if (cost > left) continue;
    chosen.push(index);
    left -= cost;
  }
  while (chosen.length > 0 && counter.count(write(chosen)) > target) chosen.pop();
  if (chosen.length > 0) return write(chosen);
  const words = (lines[ranks[0] ?? 0]?.text ?? '').split(' ');
  while (words.length > 0 && counter.count(words.join(' ')) > target) words.pop();
  return words.join(' ');
}

/** The first of every message, then the second of every message … */
function leadK(lines: readonly Line[]): number[] {
  return [...lines.keys()].sort((a, b) => (lines[a]?.place ?? 0) - (lines[b]?.place ?? 0) || a - b);
}

function wordsOf(text: string): Set<string> {
  return new Set([...findTerms(text)].map(({ key }) => key));
}

/** Summed tf·idf by length; what tools printed comes after what was said and done. */
function tfIdf(lines: readonly Line[]): number[] {
  const words = lines.map(({ text }) => wordsOf(text));
  const frequency = new Map<string, number>();
  for (const set of words) for (const word of set) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scores = words.map((set) => {
    const sum = [...set].reduce((total, word) => total + Math.log(lines.length / (frequency.get(word) ?? 1)), 0);
    return sum / Math.max(4, set.size) ** 0.5;
  });
  return byScore(lines, scores);
}

/** What questions and courtesies are worth to {@link specific}. */
const ASIDE = 0.3;
/** Shorter lines are not more specific for being short. */
const FEWEST_SPECIFIC = 6;

/** Rare terms per word, by what kind of term they are: the plain rule, whoever speaks. */
function specific(lines: readonly Line[]): number[] {
  const terms = lines.map(
    ({ text }) => new Map([...findTerms(text)].map(({ key, class: of }) => [key, CLASS_WEIGHTS[of]])),
  );
  const frequency = new Map<string, number>();
  for (const own of terms) for (const key of own.keys()) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  const scores = terms.map((own, at) => {
    const text = lines[at]?.text ?? '';
    const sum = [...own].reduce(
      (all, [key, weight]) => all + weight * Math.log(lines.length / (frequency.get(key) ?? 1)),
      0,
    );
    const worth = QUESTION.test(text) || isCourtesy(text) ? ASIDE : 1;
    return (worth * sum) / Math.max(FEWEST_SPECIFIC, text.split(/\s+/).length);
  });
  return byScore(lines, scores);
}

/** Mihalcea and Tarau, 2004: shared words by the logarithms of the lengths, and PageRank over that. */
function textRank(lines: readonly Line[]): number[] {
  const nodes = [...lines.keys()].filter((index) => lines[index]?.isDetail === false).slice(0, LARGEST_GRAPH);
  const words = nodes.map((index) => wordsOf(lines[index]?.text ?? ''));
  const postings = new Map<string, number[]>();
  for (const [node, set] of words.entries()) {
    for (const word of set) postings.set(word, [...(postings.get(word) ?? []), node]);
  }
  const edges = nodes.map((_, node) => edgesOf(node, words, postings));
  const weights = edges.map((out) => [...out.values()].reduce((sum, weight) => sum + weight, 0));
  let scores = nodes.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    const next = nodes.map(() => 1 - DAMPING);
    for (const [node, out] of edges.entries()) {
      for (const [other, weight] of out) {
        next[other] = (next[other] ?? 0) + (DAMPING * weight * (scores[node] ?? 0)) / (weights[node] ?? 1);
      }
    }
    scores = next;
  }
  const all = lines.map(() => 0);
  for (const [node, index] of nodes.entries()) all[index] = scores[node] ?? 0;
  return byScore(lines, all);
}

function edgesOf(
  node: number,
  words: readonly ReadonlySet<string>[],
  postings: ReadonlyMap<string, readonly number[]>,
): Map<number, number> {
  const own = words[node] ?? new Set<string>();
  const shared = new Map<number, number>();
  for (const word of own) {
    for (const other of postings.get(word) ?? []) if (other !== node) shared.set(other, (shared.get(other) ?? 0) + 1);
  }
  for (const [other, count] of shared) {
    const lengths = Math.log(1 + own.size) + Math.log(1 + (words[other]?.size ?? 0));
    shared.set(other, count / Math.max(1, lengths));
  }
  return shared;
}

function byScore(lines: readonly Line[], scores: readonly number[]): number[] {
  const isDetail = (index: number): number => (lines[index]?.isDetail === true ? 1 : 0);
  return [...lines.keys()].sort((a, b) => isDetail(a) - isDetail(b) || (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}
