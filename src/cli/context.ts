import type { StoredComposition } from '../core/compositions/compositions';
import { CompositionError } from '../core/compositions/compositionError';
import type { MemoryService } from '../core/memory';
import type { Log } from '../core/model/host';
import type { OnProgress } from '../core/sessions/results';
import type { Formats } from '../core/text/formats';
import type { KeepitError } from '../core/text/keepitError';
import type { Scope } from './scope';

/** What a command may use. */
export interface CommandContext {
  readonly memory: MemoryService;
  /** The projects and sessions that the command line speaks of. */
  readonly scope: Scope;
  readonly onProgress: OnProgress;
  readonly formats: Formats;
  /** Asks a person; undefined where nobody can be asked or is to be: no terminal, `--json`, `--yes`. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** As `confirm`, for an answer in words; '' is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly isJson: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** A mistake in the command line, with the way to the command's help. */
  readonly wrong: (message: string) => KeepitError;
}

/**
 * The composition of a name or an id: that of the project which the command line speaks of, else the only one of that name there is. Throws
 * `CompositionError`.
 */
export async function namedComposition(
  name: string,
  { scope, memory }: Pick<CommandContext, 'scope' | 'memory'>,
): Promise<StoredComposition> {
  const isMeant = ({ record }: StoredComposition): boolean => [record.name, record.compositionId].includes(name);
  const projectId = await scope.projectId();
  if (projectId !== undefined) {
    const own = (await memory.compositions.list(projectId)).find(isMeant);
    if (own !== undefined) return own;
  }
  const all = (await memory.compositions.list()).filter(isMeant);
  const [only] = all;
  if (only === undefined) throw new CompositionError('unknown', name);
  if (all.length > 1) throw new CompositionError('ambiguous', name, all.map((one) => one.projectId).join(', '));
  return only;
}
