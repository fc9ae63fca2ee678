import type { Message } from '../transcript/types';
import { ToolError } from './toolError';

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
