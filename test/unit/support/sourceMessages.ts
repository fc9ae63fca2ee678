import type { SourceMessage, SourceTool } from '../../../src/core/material/types';

/** A tool call as a test needs it. */
export function sourceTool(name: string, fields: Partial<SourceTool> = {}): SourceTool {
  return { name, target: '', input: {}, result: '', isError: false, afterText: 1, ...fields };
}

type SaidFields = Partial<Pick<SourceMessage, 'tools' | 'origin' | 'timestamp' | 'tokens'>>;

/** Messages for what compressing works on, numbered in the order in which they are given. */
export function sourceMessages(
  ...said: readonly (readonly [who: 'human' | 'claude', text: string, fields?: SaidFields])[]
): SourceMessage[] {
  return said.map(([who, text, fields = {}], index) => {
    const uuid = `message-${index}`;
    return {
      index,
      uuid,
      role: who === 'human' ? 'user' : 'assistant',
      origin: who === 'human' ? 'prompt' : 'assistant',
      texts: text === '' ? [] : [{ recordUuid: uuid, blockIndex: 0, text }],
      tools: [],
      tokens: 10,
      ...fields,
    };
  });
}

/** All that the messages hold, as one text. */
export function wholeText(messages: readonly SourceMessage[]): string {
  return messages
    .flatMap(({ texts, tools }) => [
      ...texts.map(({ text }) => text),
      ...tools.map(({ name, target, input, result }) =>
        [`${name} ${target}`, ...Object.values(input).map(String), result].join('\n\n'),
      ),
    ])
    .join('\n\n');
}
