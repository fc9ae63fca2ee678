import type { SourceMessage, SourceTool } from '../../material/types';
import type { DiffBlock } from './types';

/** Of what a tool returned, so much is compared: summaries tell of its beginning, or of why it failed. */
const RESULT_CHARS = 600;

/** Messages of the original as they are compared with what became of them: words, tool calls, the beginnings of results. */
export function originalBlocks(messages: readonly SourceMessage[]): DiffBlock[] {
  return messages.map((message) => ({
    kind: 'message',
    role: message.role,
    from: message.index,
    to: message.index,
    text: messageText(message),
  }));
}

/** A message as text, its tool calls where they were made. */
export function messageText({ texts, tools }: SourceMessage): string {
  const pieces: string[] = [];
  for (let place = 0; place <= texts.length; place++) {
    const said = texts[place - 1]?.text;
    if (said !== undefined) pieces.push(said);
    for (const tool of tools) if (tool.afterText === place) pieces.push(toolText(tool));
  }
  return pieces.join('\n\n');
}

function toolText({ name, target, result, isError }: SourceTool): string {
  const call = target === '' ? name : `${name}: ${target}`;
  const answer = result.trim();
  if (answer === '') return `› ${call}`;
  const shown = answer.length > RESULT_CHARS ? `${answer.slice(0, RESULT_CHARS)} …` : answer;
  return `› ${call}\n${isError ? 'failed: ' : ''}${shown}`;
}
