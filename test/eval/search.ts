// npm run eval -- search [--json] [--show messages|sessions] [--data ../shared/data]
// Measures searching: how far up the sessions and messages stand that are known to answer a question.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isHeldOut } from './compression/corpora';
import { devMemory, meetings, ownCorpus, type SearchCorpus } from './search/searchCorpora';
import { searchMethods } from './search/searchMethods';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    show: { type: 'string', default: '' },
    data: { type: 'string', default: '../shared/data' },
  },
});

const DEPTHS = [1, 5, 10] as const;

interface Tally {
  questions: number;
  /** Of what answers a question, the share among so many of the best, summed up. */
  recall: Record<(typeof DEPTHS)[number], number>;
  reciprocal: number;
}

const tallies = new Map<string, Tally>();

function count(key: string, ranked: readonly string[], wanted: ReadonlySet<string>): number {
  const tally = tallies.get(key) ?? { questions: 0, recall: { 1: 0, 5: 0, 10: 0 }, reciprocal: 0 };
  tallies.set(key, tally);
  tally.questions += 1;
  for (const depth of DEPTHS) {
    // Where more answer a question than are looked at, all that are looked at can be among them at most.
    const found = ranked.slice(0, depth).filter((id) => wanted.has(id)).length;
    tally.recall[depth] += found / Math.min(depth, wanted.size);
  }
  const first = ranked.findIndex((id) => wanted.has(id));
  if (first !== -1) tally.reciprocal += 1 / (first + 1);
  return first;
}

function measure({ name, documents, questions }: SearchCorpus): void {
  for (const [method, search] of Object.entries(searchMethods)) {
    for (const { id, query, sessions, messages } of questions) {
      const part = isHeldOut(id) ? 'held-out' : 'dev';
      const found = search(query, documents);
      const ranked = {
        sessions: [...new Set(found.map(({ sessionId = '' }) => sessionId))],
        messages: found.map((document) => document.id),
      };
      for (const [what, wanted] of Object.entries({ sessions, messages })) {
        if (wanted.size === 0) continue;
        const first = count(
          [name, what, part, method].join('|'),
          what === 'sessions' ? ranked.sessions : ranked.messages,
          wanted,
        );
        const isShown = options.show === what && part === 'dev' && method === 'keepit search' && first !== 0;
        if (isShown) console.error(`${name} ${id}: ${query} | ${first === -1 ? 'not found' : `place ${first + 1}`}`);
      }
    }
  }
}

measure(await ownCorpus(path.resolve('test/eval/search/questions.json')));
if (existsSync(options.data)) {
  measure(await devMemory(path.resolve(options.data, 'devmembench')));
  for (const corpus of await meetings(path.resolve(options.data, 'memorycode'))) measure(corpus);
} else console.error(`${options.data} is not there: only Keepit's own questions are asked.`);

const figures = [...tallies]
  .map(([key, { questions, recall, reciprocal }]) => {
    const [corpus = '', what = '', part = '', method = ''] = key.split('|');
    const shares = Object.fromEntries(DEPTHS.map((depth) => [`recall@${depth}`, recall[depth] / questions]));
    return { corpus, what, part, method, questions, ...shares, mrr: reciprocal / questions };
  })
  .sort((a, b) => {
    const order = ({ corpus, what, part }: typeof a): string => [corpus, what, part].join('|');
    return order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0;
  });
if (options.json) console.log(JSON.stringify(figures, undefined, 2));
else {
  for (const figure of figures) {
    const { corpus, what, part, method, questions, mrr, ...shares } = figure;
    const head = `${corpus}, ${what}, ${part} (${questions})`.padEnd(40);
    const recalls = Object.entries(shares).map(
      ([name, share]) => `${name} ${(Number(share) * 100).toFixed(1).padStart(5)} %`,
    );
    console.log(`${head} ${method.padEnd(22)} ${recalls.join('  ')}  MRR ${mrr.toFixed(3)}`);
  }
}
