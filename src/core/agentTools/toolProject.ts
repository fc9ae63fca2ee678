import type { MemoryService } from '../memory';
import { projectsMeant } from '../sessions/projectNames';
import { SessionLookupError } from '../sessions/sessionLookupError';
import type { SessionRef } from '../sessions/results';
import type { Message } from '../transcript/types';
import { ToolError } from './toolError';

type Lookup = Pick<ToolMemory, 'sessions'>;

/** Which project a tool speaks of: the one at hand, and another one only by its name. */
export class ToolProject {
  /** `folders`: where the host is, the likeliest first. Asked for anew each time, since a client may change them. */
  constructor(
    private readonly memory: Lookup,
    private readonly folders: () => Promise<readonly string[]>,
  ) {}

  /** Throws `ToolError` where there is no such project. */
  async id(name: string | undefined, signal?: AbortSignal): Promise<string> {
    if (name === undefined) {
      const folders = await this.folders();
      for (const folder of folders) {
        const projectId = await this.memory.sessions.resolveProject(folder);
        if (projectId !== undefined) return projectId;
      }
      throw new ToolError('no-project', folders[0]);
    }
    const found = await projectsMeant([name], this.memory.sessions, signal);
    const [only, ...others] = found;
    if (only === undefined) throw new ToolError('unknown-project', name);
    if (others.length > 0)
      throw new ToolError('ambiguous-project', name, found.map(({ originalPath }) => originalPath).join(', '));
    return only.projectId;
  }

  /** A session of a project: by its id or the beginning of one, or the `latest`. Never by a path. */
  async session(projectId: string, word: string, signal?: AbortSignal): Promise<SessionRef> {
    if (word.toLowerCase() === 'latest') {
      const { projects } = await this.memory.sessions.discover({ projectIds: [projectId] }, signal);
      const newest = projects[0]?.sessions[0];
      if (newest === undefined) throw new ToolError('no-sessions');
      return { projectId, sessionId: newest.sessionId };
    }
    if (/[/\\]|\.jsonl$/i.test(word)) throw new ToolError('bad-session', word);
    try {
      return await this.memory.sessions.resolve(word, { projectId }, signal);
    } catch (error) {
      if (error instanceof SessionLookupError) throw new ToolError('unknown-session', word, error.message);
      throw error;
    }
  }
}

/** The part of the facade that tools use. */
export type ToolMemory = Pick<
  MemoryService,
  'sessions' | 'keepits' | 'compositions' | 'layers' | 'notebook' | 'rolling' | 'search' | 'hooks'
>;

const LEAST_PREFIX = 4;

/** The message that a model names: by number, uuid, the beginning of one, or `last` for the assistant's last words. Throws `ToolError`. */
export function messageMeant(messages: readonly Message[], name: string): Message {
  const word = name.trim().replace(/^#/, '').toLowerCase();
  const found =
    word === 'last'
      ? messages.findLast(({ role, text }) => role === 'assistant' && text !== '')
      : (messages.find(({ uuid, lineUuids }) => uuid.toLowerCase() === word || lineUuids.includes(word)) ??
        numbered(messages, word) ??
        beginning(messages, word));
  if (found === undefined) throw new ToolError('unknown-message', name);
  return found;
}

function numbered(messages: readonly Message[], word: string): Message | undefined {
  return /^\d{1,7}$/.test(word) ? messages[Number(word)] : undefined;
}

/** The uuid of any of its records will do: keepits and facts name the record that holds the words. */
function beginning(messages: readonly Message[], word: string): Message | undefined {
  if (word.length < LEAST_PREFIX) return undefined;
  return messages.find(({ uuid, lineUuids }) => [uuid, ...lineUuids].some((one) => one.toLowerCase().startsWith(word)));
}
