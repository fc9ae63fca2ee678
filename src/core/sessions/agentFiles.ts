import { TranscriptUnreadableError, type ClaudeFolder, type ProjectFolder } from '../transcript/claudeFolder';
import type { TranscriptFile } from '../model/host';
import { mapLimited } from '../text/mapLimited';
import { textOf } from '../transcript/jsonPlace';
import { byteText } from '../text/byteText';
import type { ProjectCache } from './statsCache';
import { ownValue, setOwnValue, pushTo } from '../text/ownValue';
import { baseName } from '../text/formats';

const PARALLEL_READS = 8;

/**
 * Asks each agent file beside the sessions once in its life whose it is, and notes the answer in `cache`. Returns the
 * files that were opened.
 */
export async function findAgentParents(
  claude: ClaudeFolder,
  { strayAgents }: ProjectFolder,
  cache: ProjectCache,
  signal?: AbortSignal,
): Promise<TranscriptFile[]> {
  const unknown = strayAgents.filter(
    ({ path }) => isDialogue(path) && ownValue(cache.agentParents, path) === undefined,
  );
  await mapLimited(unknown, PARALLEL_READS, async ({ path }) => {
    try {
      const beginning = await readBeginning(claude, path, signal);
      setOwnValue(cache.agentParents, path, beginning?.sessionId ?? '');
    } catch (error) {
      // Nobody's agent for now; the next look asks again.
      if (!(error instanceof TranscriptUnreadableError)) throw error;
    }
  });
  return unknown;
}

/** The transcripts of sub-agents by the session that they worked for, wherever they lie. */
export function agentsBySession(folder: ProjectFolder, cache: ProjectCache): Map<string, TranscriptFile[]> {
  const agents = new Map<string, TranscriptFile[]>();
  const add = (sessionId: string, file: TranscriptFile) => {
    if (!isDialogue(file.path)) return;
    pushTo(agents, sessionId, file);
  };
  for (const session of folder.sessions) for (const file of session.subAgents) add(session.sessionId, file);
  for (const file of folder.strayAgents) {
    const parent = ownValue(cache.agentParents, file.path) ?? '';
    if (parent !== '') add(parent, file);
  }
  return agents;
}

/** `agent-acompact-*` is Claude Code's compactor at work, and no dialogue. */
function isDialogue(path: string): boolean {
  return !baseName(path).includes('agent-acompact-');
}

/** Enough for the first record of most transcripts, of nearly all, and for one with the longest prompt that is sane. */
const LOOKS_BYTES = [8 * 1024, 64 * 1024, 4 * 1024 * 1024];

/** What the first records of a transcript say about their session; undefined when they name none. */
export async function readBeginning(
  claude: ClaudeFolder,
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly sessionId: string; readonly firstCwd: string | undefined } | undefined> {
  const { readRecords } = await import('../transcript/recordReader'); // most programs need no look
  for (const end of LOOKS_BYTES) {
    let text = '';
    for await (const chunk of claude.read(path, { end }, signal)) text += byteText(chunk, 0, chunk.length);
    const records = text.split('\n').flatMap((line) => {
      const content = readRecords(line);
      return content.kind === 'records' ? content.records.map(({ fields }) => fields) : [];
    });
    const sessionId = records.map((fields) => textOf(fields['sessionId'])).find((id) => id !== undefined);
    const firstCwd = records.map((fields) => textOf(fields['cwd'])).find((cwd) => cwd !== undefined);
    if (sessionId !== undefined) return { sessionId, firstCwd };
  }
  return undefined;
}
