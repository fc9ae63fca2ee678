// How many programs of `npm test` run at the same time: as many as there are processors. With more, tests wait for windows in vain.
import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism } from 'node:os';

let free = availableParallelism();
const waiting = [];
const ranks = new AsyncLocalStorage();

/**
 * Runs `task`; whatever it wants a slot for comes before that of a higher rank.
 * @param {number} rank
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 * @template T
 */
export function ranked(rank, task) {
  return ranks.run(rank, task);
}

/**
 * Runs `task` as soon as there is room for it.
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 * @template T
 */
export async function inSlot(task) {
  const rank = ranks.getStore() ?? 0;
  if (free > 0) free -= 1;
  else await new Promise((go) => waiting.push({ rank, go }));
  try {
    return await task();
  } finally {
    const [next] = waiting.toSorted((a, b) => a.rank - b.rank);
    if (next === undefined) free += 1;
    else {
      waiting.splice(waiting.indexOf(next), 1);
      next.go();
    }
  }
}
