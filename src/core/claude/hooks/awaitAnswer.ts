import * as z from 'zod/mini';
import { parsedJson } from '../../text/ownValue';
import type { ClaudeFolder } from '../../transcript/claudeFolder';
import { answerMark } from './hookAnswer';

interface LastAnswerParts {
  readonly claude: ClaudeFolder;
  readonly sleep: (ms: number) => Promise<void>;
}

const spokenLineSchema = z.looseObject({
  type: z.literal('assistant'),
  message: z.looseObject({
    content: z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })),
  }),
});

const TAIL_BYTES = 512 * 1024;
const TRIES = 12;
const PAUSE_MS = 250;

/** Whether an answer is in a transcript, which Claude Code writes a little later than it tells hooks; waits for that, but not for long. */
export async function awaitAnswer(
  { claude, sleep }: LastAnswerParts,
  { file, mark }: { file: string; mark: string },
  signal?: AbortSignal,
): Promise<boolean> {
  let seen = -1;
  for (let tried = 0; tried < TRIES; tried++) {
    signal?.throwIfAborted();
    const bytes = (await claude.stat(file))?.bytes ?? 0;
    if (bytes !== seen && marksIn(await tailOf(claude, { file, bytes }, signal)).has(mark)) return true;
    seen = bytes;
    await sleep(PAUSE_MS);
  }
  return false;
}

async function tailOf(
  claude: ClaudeFolder,
  { file, bytes }: { file: string; bytes: number },
  signal?: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of claude.read(file, { start: Math.max(0, bytes - TAIL_BYTES), end: bytes }, signal)) {
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Of every text that the assistant says in these lines. */
function marksIn(lines: string): Set<string> {
  const marks = new Set<string>();
  for (const line of lines.split('\n')) {
    const spoken = spokenLineSchema.safeParse(line.includes('"assistant"') ? parsedJson(line) : undefined);
    for (const { text } of spoken.success ? spoken.data.message.content : []) {
      if (text !== undefined) marks.add(answerMark(text));
    }
  }
  return marks;
}
