import { LayersError } from '../knowledge/layersError';
import { writable } from '../text/writable';
import { NotebookError } from '../knowledge/notes/notebookError';
import { defineTool, projectField } from './memoryTool';
import { type ToolMemory } from './toolProject';
import { ToolError } from './toolError';
import { listingOf, type Listing } from './toolPage';
import { plural } from './toolTexts';

const MEMORY_FILE = 'memory.md';

export const recall = defineTool({
  name: 'recall',
  title: "Recall the project's memory",
  description:
    "Gives what the project's past sessions say together: where things stand, decisions and their reasons, what was learned, open questions. Use it at the beginning of work that builds on earlier work, or when the user asks where things stand. Takes no search words; search_memory finds single things.",
  searchHint:
    'keepit memory overview: status of the project, where it stands, its history, what we decided, what to remember',
  isReadOnly: true,
  input: { project: projectField },
  async list({ project }, { memory, project: projects, signal }) {
    const projectId = await projects.id(project, signal);
    const { isEnabled } = await memory.layers.status(projectId);
    if (!isEnabled) throw new ToolError('layers-off', projectId);
    const found = (await masterNote(memory, projectId)) ?? (await rollingMemory(memory, projectId));
    if (found !== undefined) return found;
    const facts = await memory.layers.facts(projectId);
    if (facts.length === 0) throw new ToolError('nothing-to-recall', projectId);
    return listingOf(
      `There is no synthesis of the project yet. ${plural(facts.length, 'fact')} that its sessions say:`,
      facts.map((fact) => `- ${fact.content}`),
    );
  },
});

async function masterNote(memory: ToolMemory, projectId: string): Promise<Listing | undefined> {
  try {
    const { text, lastSynthesized, newSources } = await memory.notebook.recall(projectId);
    const age = lastSynthesized === undefined ? '' : `, as of ${lastSynthesized}`;
    const late = newSources.length === 0 ? '' : `; ${plural(newSources.length, 'newer note')} not in it yet`;
    return listingOf(`The project's memory${age}${late}:`, [writable(text)]);
  } catch (error) {
    if (error instanceof NotebookError && error.reason === 'no-master') return undefined;
    throw error;
  }
}

async function rollingMemory(memory: ToolMemory, projectId: string): Promise<Listing | undefined> {
  try {
    const text = await memory.rolling.get(projectId, MEMORY_FILE);
    return text.trim() === ''
      ? undefined
      : listingOf("The project's rolling memory, the newest last:", [writable(text)]);
  } catch (error) {
    if (error instanceof LayersError && error.reason === 'not-built') return undefined;
    throw error;
  }
}
