// npm run eval -- search [--json] [--show messages|sessions] [--data ../shared/data]
// Measures searching: how far up the sessions and messages stand that are known to answer a question, by set and kind of question,
// beside what one would write in an afternoon. `<` marks where plain BM25 finds more than Keepit.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isHeldOut } from './compression/corpora';
import { devMemory, labelled, meetings, ownCorpus, type SearchCorpus } from './search/searchCorpora';
import { KEEPIT, PLAIN, searchMethods } from './search/searchMethods';

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
}

/** By set, what is looked for and part of the questions, and then by method. */
const tallies = new Map<string, Map<string, Tally>>();

/** `hits`: what each of them names, the best first. */
function count(keys: readonly string[], method: string, recall: (depth: number) => number): void {
  for (const key of keys) {
    const row = tallies.get(key) ?? new Map<string, Tally>();
    tallies.set(key, row);
    const tally = row.get(method) ?? { questions: 0, recall: { 1: 0, 5: 0, 10: 0 } };
    row.set(method, tally);
    tally.questions += 1;
    for (const depth of DEPTHS) tally.recall[depth] += recall(depth);
  }
}

async function measure({ name, documents, questions }: SearchCorpus): Promise<void> {
  for (const [method, prepare] of Object.entries(searchMethods)) {
    const search = prepare(documents);
    for (const { id, kind, query, also, sessions, messages, anyOf } of questions) {
      const found = await search(query, also);
      const ranked = {
        sessions: [...new Set(found.map(([best]) => best?.sessionId ?? ''))].map((session) => [session]),
        messages: found.map((hit) => hit.map((document) => document.id)),
      };
      for (const [what, wanted] of Object.entries({ sessions, messages })) {
        if (wanted.size === 0) continue;
        const hits: readonly (readonly string[])[] = what === 'sessions' ? ranked.sessions : ranked.messages;
        const parts = ['all', isHeldOut(id) ? 'held-out' : 'dev', ...(kind === undefined ? [] : [kind])];
        count(
          parts.map((part) => [name, what, part].join('|')),
          method,
          (depth) => {
            const among = hits.slice(0, depth).flatMap((named) => named.filter((one) => wanted.has(one)));
            // Where more answer a question than are looked at, all that are looked at can be among them at most.
            return Math.min(1, new Set(among).size / (anyOf === true ? 1 : Math.min(depth, wanted.size)));
          },
        );
        const first = hits.findIndex((named) => named.some((one) => wanted.has(one)));
        const isShown = options.show === what && !isHeldOut(id) && first !== 0;
        if (isShown) console.error(`${name} ${id} | ${method} | ${query} | ${first === -1 ? '-' : first + 1}`);
      }
    }
  }
}

for (const [name, file] of Object.entries({
  'own questions': 'questions',
  correspondence: 'correspondence',
  'long friendship': 'friends',
  'German support': 'german',
  'long advice': 'advice',
})) {
  await measure(await ownCorpus(name, path.resolve(`test/eval/search/${file}.json`)));
}
if (existsSync(options.data)) {
  for (const corpus of await labelled(options.data)) await measure(corpus);
  await measure(await devMemory(path.resolve(options.data, 'devmembench')));
  for (const corpus of await meetings(path.resolve(options.data, 'memorycode'))) await measure(corpus);
} else console.error(`${options.data} is not there: only Keepit's own questions are asked.`);

const figures = [...tallies].map(([key, byMethod]) => {
  const [set = '', what = '', part = ''] = key.split('|');
  const found = [...byMethod].map(([method, { questions, recall }]) => {
    const shares = DEPTHS.map((depth) => [`recall@${depth}`, recall[depth] / questions] as const);
    return [method, Object.fromEntries(shares)] as const;
  });
  return { set, what, part, questions: byMethod.get(KEEPIT)?.questions ?? 0, found: Object.fromEntries(found) };
});
if (options.json) console.log(JSON.stringify(figures, undefined, 2));
else {
  const column = 24;
  console.log(
    `recall@${DEPTHS.join(', @')} in %`.padEnd(56) +
      Object.keys(searchMethods)
        .map((name) => name.padEnd(column))
        .join(''),
  );
  for (const { set, what, part, questions, found } of figures) {
    const columns = Object.entries(found).map(([, shares]) =>
      Object.values(shares)
        .map((share) => (share * 100).toFixed(1).padStart(6))
        .join(''),
    );
    const below = Object.entries(found[KEEPIT] ?? {}).filter(([depth, share]) => share < (found[PLAIN]?.[depth] ?? 0));
    const marks = below.length === 0 ? '' : `< ${below.map(([depth]) => depth).join(' ')}`;
    console.log(
      `${`${set}, ${what}, ${part} (${questions})`.padEnd(54)}${columns.map((one) => one.padEnd(column)).join('')}${marks}`,
    );
  }
}
