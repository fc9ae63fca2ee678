// npm run eval -- search [--json] [--show messages|sessions] [--data ../shared/data]
// Measures searching: how far up the sessions and messages stand that are known to answer a question.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isHeldOut } from './compression/corpora';
import { devMemory, labelled, meetings, ownCorpus, type SearchCorpus } from './search/searchCorpora';
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

const SHOWN = 'keepit search';
const tallies = new Map<string, Tally>();

/** `hits`: what each of them names, the best first. */
function count(key: string, hits: readonly (readonly string[])[], wanted: ReadonlySet<string>, anyOf = false): number {
  const tally = tallies.get(key) ?? { questions: 0, recall: { 1: 0, 5: 0, 10: 0 }, reciprocal: 0 };
  tallies.set(key, tally);
  tally.questions += 1;
  for (const depth of DEPTHS) {
    const found = new Set(hits.slice(0, depth).flatMap((named) => named.filter((id) => wanted.has(id)))).size;
    // Where more answer a question than are looked at, all that are looked at can be among them at most.
    tally.recall[depth] += Math.min(1, found / (anyOf ? 1 : Math.min(depth, wanted.size)));
  }
  const first = hits.findIndex((named) => named.some((id) => wanted.has(id)));
  if (first !== -1) tally.reciprocal += 1 / (first + 1);
  return first;
}

async function measure({ name, documents, questions }: SearchCorpus): Promise<void> {
  for (const [method, prepare] of Object.entries(searchMethods)) {
    const search = prepare(documents);
    for (const { id, query, sessions, messages, anyOf } of questions) {
      const part = isHeldOut(id) ? 'held-out' : 'dev';
      const found = await search(query);
      const ranked = {
        sessions: [...new Set(found.map(([best]) => best?.sessionId ?? ''))].map((session) => [session]),
        messages: found.map((hit) => hit.map((document) => document.id)),
      };
      for (const [what, wanted] of Object.entries({ sessions, messages })) {
        if (wanted.size === 0) continue;
        const hits = what === 'sessions' ? ranked.sessions : ranked.messages;
        const first = count([name, what, part, method].join('|'), hits, wanted, anyOf);
        const isShown = options.show === what && part === 'dev' && method === SHOWN && first !== 0;
        if (isShown) console.error(`${name} ${id}: ${query} | ${first === -1 ? 'not found' : `place ${first + 1}`}`);
      }
    }
  }
}

await measure(await ownCorpus('own questions', path.resolve('test/eval/search/questions.json')));
await measure(await ownCorpus('correspondence', path.resolve('test/eval/search/correspondence.json')));
if (existsSync(options.data)) {
  for (const corpus of await labelled(options.data)) await measure(corpus);
  await measure(await devMemory(path.resolve(options.data, 'devmembench')));
  for (const corpus of await meetings(path.resolve(options.data, 'memorycode'))) await measure(corpus);
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
