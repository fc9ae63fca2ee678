import { LayersError } from '../core/knowledge/layersError';
import type { Scope } from './scope';

/** The one project that a command works on. */
export async function projectOf(scope: Scope): Promise<string> {
  const projectId = await scope.projectId();
  if (projectId === undefined) throw new LayersError('no-project', '');
  return projectId;
}
