import { expectedErrors } from '../../core/expectedErrors';

/** An error as plain data. */
export interface SentError {
  /** That of an expected error, or what the error calls itself. */
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** What it says beside that: reason, hint, code, details. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause?: SentError;
}

const classes = new Map<string, { readonly prototype: Error }>(Object.entries(expectedErrors));

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined, fields: {} };
  const { message, stack, cause } = error;
  const known = [...classes].find(([, { prototype }]) => Object.getPrototypeOf(error) === prototype);
  const fields = Object.fromEntries(Object.entries(error).filter(([key]) => key !== 'name' && key !== 'cause'));
  return {
    name: known?.[0] ?? error.name,
    message,
    stack,
    fields,
    ...(cause !== undefined && { cause: sentError(cause) }),
  };
}

/** The same error on the other side: an expected one is of its class again. */
export function receivedError({ name, message, stack, fields, cause }: SentError): Error {
  if (name === 'AbortError') return new DOMException(message, name);
  const error = new Error(message, cause === undefined ? {} : { cause: receivedError(cause) });
  const known = classes.get(name);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, fields, { name });
}
