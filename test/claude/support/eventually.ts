/** Shorter than a test may take, and long enough for programs that start on a machine that is busy. */
const WAIT_MS = 100_000;
const LOOK_EVERY_MS = 30;

/** Asks again until it is so; a test in which that never comes fails with what it waited for, and what is known of it. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  known: () => string | Promise<string> = () => '',
): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}\n${await known()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
