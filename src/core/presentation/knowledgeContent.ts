import type { MemoryService } from '../memory';
import type { KnowledgeContent } from './knowledgeTree';

/** All that a list of what is known of a project shows, but for exchanges. Reads a few files, however many sessions there are. */
export async function readKnowledge(
  { layers, notebook, rolling }: Pick<MemoryService, 'layers' | 'notebook' | 'rolling'>,
  projectId: string,
): Promise<Pick<KnowledgeContent, 'overview' | 'notes' | 'memory' | 'foreign'>> {
  const overview = await layers.overview(projectId);
  const { isEnabled, problem, dir } = overview.status;
  if (!isEnabled || problem !== undefined) {
    return { overview, notes: [], memory: [], foreign: { notes: [], sessionFiles: 0 } };
  }
  const [notes, files, found] = await Promise.all([
    notebook.list(projectId),
    rolling.list(projectId),
    layers.foreign(projectId),
  ]);
  const noteDir = overview.status.notebook.dir;
  const foreign = found.notes.map((note) => {
    return { ...note, file: `${note.room === 'notebook' ? noteDir : dir}/${note.name}` };
  });
  return {
    overview,
    notes,
    memory: files.map((file) => ({ ...file, file: `${dir}/${file.name}` })),
    foreign: { notes: foreign, sessionFiles: found.sessions.length },
  };
}
