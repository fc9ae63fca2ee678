/** How a piece of work ended, for those who go on with the others when one fails. */
export async function settled<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}
