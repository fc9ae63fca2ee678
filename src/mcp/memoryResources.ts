import { ErrorCode, McpError, type Resource, type TextResourceContents } from '@modelcontextprotocol/sdk/types.js';
import { KeepitError } from '../core/text/keepitError';
import { writable } from '../core/text/writable';
import { withoutHarnessTags } from '../core/transcript/harnessBlocks';
import { NotebookError } from '../core/knowledge/notes/notebookError';
import type { ToolMemory } from '../core/agentTools/toolProject';
import { ToolError } from '../core/agentTools/toolError';
import type { ToolProject } from '../core/agentTools/toolProject';

const MASTER = 'keepit://memory/master.md';
const COMPOSITION = 'keepit://compositions/';
const MIME = 'text/markdown';

/** What of the project at hand can be read as a whole: its synthesis, and its compositions. A folder without memory has none. */
export async function listResources(
  memory: ToolMemory,
  project: ToolProject,
  signal?: AbortSignal,
): Promise<Resource[]> {
  const projectId = await idOf(project, signal);
  if (projectId === undefined) return [];
  const compositions = await memory.compositions.saved.list(projectId);
  return [
    ...((await masterText(memory, projectId)) === undefined
      ? []
      : [resource(MASTER, 'master.md', "The project's memory: what its past sessions say together")]),
    ...compositions
      .filter(({ record }) => record.outputs?.some((file) => file.endsWith('.md')) ?? true)
      .map(({ record }) =>
        resource(
          `${COMPOSITION}${encodeURIComponent(record.name)}`,
          record.name,
          `A context composed from past sessions, ${record.totalTokens} tokens`,
        ),
      ),
  ];
}

/** Throws `McpError` for what is not there. */
export async function readResource(
  uri: string,
  memory: ToolMemory,
  project: ToolProject,
  signal?: AbortSignal,
): Promise<TextResourceContents> {
  try {
    const projectId = await project.id(undefined, signal);
    const text = await textOf(uri, memory, projectId);
    if (text !== undefined) return { uri, mimeType: MIME, text: withoutHarnessTags(writable(text)) };
  } catch (error) {
    if (error instanceof KeepitError) throw new McpError(ErrorCode.InvalidParams, `${error.message} ${error.hint}`);
    throw error;
  }
  throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri}; resources/list tells which there are.`);
}

async function textOf(uri: string, memory: ToolMemory, projectId: string): Promise<string | undefined> {
  if (uri === MASTER) return masterText(memory, projectId);
  if (!uri.startsWith(COMPOSITION)) return undefined;
  const name = decoded(uri.slice(COMPOSITION.length));
  return name === undefined ? undefined : memory.compositions.saved.text(projectId, name, 'markdown');
}

async function masterText(memory: ToolMemory, projectId: string): Promise<string | undefined> {
  if (!(await memory.layers.status(projectId)).isEnabled) return undefined;
  try {
    return (await memory.notebook.recall(projectId)).text;
  } catch (error) {
    if (error instanceof NotebookError && error.reason === 'no-master') return undefined;
    throw error;
  }
}

async function idOf(project: ToolProject, signal?: AbortSignal): Promise<string | undefined> {
  try {
    return await project.id(undefined, signal);
  } catch (error) {
    if (error instanceof ToolError) return undefined; // nothing is known of this folder
    throw error;
  }
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined; // no name that we have given
  }
}

function resource(uri: string, name: string, description: string): Resource {
  return { uri, name, title: name, description, mimeType: MIME };
}
