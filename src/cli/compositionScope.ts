import { CompositionError } from '../core/compositions/compositionError';
import type { StoredComposition } from '../core/compositions/compositions';
import type { CommandContext } from './command';

/**
 * The composition of a name: that of the project which the command line speaks of, else the only one of that name there is. Throws
 * `CompositionError`.
 */
export async function namedComposition(name: string, { scope, memory }: CommandContext): Promise<StoredComposition> {
  const projectId = await scope.projectId();
  if (projectId !== undefined) {
    const own = (await memory.compositions.saved.list(projectId)).find(({ record }) => record.name === name);
    if (own !== undefined) return own;
  }
  const all = (await memory.compositions.saved.list()).filter(({ record }) => record.name === name);
  const [only] = all;
  if (only === undefined) throw new CompositionError('unknown', name);
  if (all.length > 1) throw new CompositionError('ambiguous', name, all.map((one) => one.projectId).join(', '));
  return only;
}
