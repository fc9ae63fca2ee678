/** `Promise.all` over a list with at most `limit` calls under way; results in the order of the items. After a failure no further call begins. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  let hasFailed = false;
  const run = async () => {
    for (const [index, item] of queue) {
      if (hasFailed) return;
      try {
        results.set(index, await work(item));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
