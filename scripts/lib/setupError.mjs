/** Something that the machine lacks and that a person has to do something about: the message says what, a stack says nothing. */
export class SetupError extends Error {
  name = 'SetupError';
}

/** What to show of an error that ends a script. Of a failed build nothing: esbuild has told its errors itself. */
export function explain(error) {
  if (error instanceof SetupError) return error.message;
  return Array.isArray(error?.errors) ? 'The build failed.' : error;
}
