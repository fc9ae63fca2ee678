import { redactSecrets } from '../text/secrets/secrets';
import { CompositionError } from './compositionError';
import { problemWith } from './compositionName';

/** Throws `CompositionError` for a name that cannot be that of a folder everywhere, or that a person would not find again. */
export function checkName(name: string): void {
  const problem = problemWith(name) ?? secretIn(name);
  if (problem !== undefined) throw new CompositionError('bad-name', name, problem);
}

/** A name becomes that of a folder, which is shown and written in many places. */
function secretIn(name: string): string | undefined {
  const [secret] = redactSecrets(name).secrets;
  return secret && `it holds a secret (${secret.kind})`;
}
