/**
 * Expected failures, one class per area. A host shows `message` and `hint` as they are; anything that is not a
 * `KeepitError` (or an abort) is a bug and goes to the host's one boundary with its stack.
 */

/** What a person sees of an expected failure: what happened, and what to do next. */
export interface ErrorText {
  message: string;
  hint: string;
}

/** The base of every expected failure. `code` is stable and unique over all areas: scripts may compare it. */
export abstract class KeepitError extends Error {
  /** What to do next, in one sentence. */
  readonly hint: string;

  protected constructor(
    readonly code: string,
    text: ErrorText,
    options?: { cause?: unknown },
  ) {
    super(text.message, options);
    this.name = new.target.name;
    this.hint = text.hint;
  }
}

/**
 * The class of an area's expected failures: one for each reason, told by what it is about and what stands against it. Its codes begin
 * with `area`.
 */
export function expectedFailure<const Reason extends string>(
  area: string,
  texts: Readonly<Record<Reason, (subject: string, detail: string) => ErrorText>>,
) {
  return class extends KeepitError {
    constructor(
      readonly reason: Reason,
      readonly subject = '',
      detail = '',
      options?: { cause?: unknown },
    ) {
      super(area + reason, texts[reason](subject, detail), options);
    }
  };
}

/** Whether work ended because somebody asked for that: neither a failure nor a bug. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Throws again what is no expected failure: a bug goes to the host's boundary. */
export function onlyExpected(error: unknown): asserts error is KeepitError {
  if (!(error instanceof KeepitError)) throw error;
}

/** What a check says that could not be made. */
export function failedCheck(name: string, error: unknown) {
  onlyExpected(error);
  return { name, ok: false, detail: error.message, hint: error.hint };
}

/** What a list of failures says: what went wrong, and of an expected failure what to do next. */
export function failureText(error: unknown): string {
  return error instanceof KeepitError ? `${error.message} ${error.hint}` : errorText(error);
}

/** What a log or a list of failures says about any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
