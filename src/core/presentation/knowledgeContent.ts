import type { MemoryService } from '../memory';
import type { KnowledgeContent } from './knowledgeTree';

/** All that a list of what is known of a project shows, but for exchanges. Reads a few files, however many sessions there are. */
export async function readKnowledge(
  { layers, notebook, rolling }: Pick<MemoryService, 'layers' | 'notebook' | 'rolling'>,
  projectId: string,
): Promise<Pick<KnowledgeContent, 'overview' | 'notes' | 'memory'>> {
  const overview = await layers.overview(projectId);
  const { isEnabled, problem, dir } = overview.status;
  if (!isEnabled || problem !== undefined) return { overview, notes: [], memory: [] };
  const [notes, files] = await Promise.all([notebook.list(projectId), rolling.list(projectId)]);
  return { overview, notes, memory: files.map((file) => ({ ...file, file: `${dir}/${file.name}` })) };
}
