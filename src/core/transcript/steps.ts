/**
 * Work that can be paused: every `yield` is a place where a host may let others run. The pieces between them take a few
 * milliseconds for the largest transcripts.
 */
export type Steps<T> = Generator<undefined, T>;

/** Does all the work at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the work with a pause between its steps; throws the signal's reason when it is aborted. */
export async function runStepsWithPauses<T>(
  steps: Steps<T>,
  pause: () => Promise<void>,
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
