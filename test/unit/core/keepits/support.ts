import {
  effectiveKeepits,
  type EffectiveKeepit,
  withAddition,
  type Overlay,
  findKeepits,
} from '../../../../src/core/keepits/effectiveKeepits';
import { findSpans, type MarkRequest } from '../../../../src/core/keepits/markSpan';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import type { Conversation, Message } from '../../../../src/core/transcript/types';
import { conversation, message, textBlock } from '../../support/conversations';

export const SESSION = { projectId: 'p1', sessionId: 's1' };

export const NOW = '2026-01-20T10:00:00.000Z';

/** A conversation of one message per text, by the human and the assistant in turn; a list is a message of several blocks. */
export function said(...texts: readonly (string | readonly string[])[]): Conversation {
  const messages = texts.map((text, index): Message => {
    const blocks = [text].flat().map(textBlock);
    const uuid = `message-${index}`;
    const [first, ...others] = blocks;
    const own = first === undefined ? [] : [{ ...first, uuid }, ...others];
    const role = index % 2 === 0 ? 'user' : 'assistant';
    return message({ role, uuid, lineUuids: own.map((block) => block.uuid), blocks: own });
  });
  return conversation(messages);
}

/** The conversation that a transcript holds. */
export function read(transcript: { toString(): string }): Conversation {
  const reader = new TranscriptReader({ estimator: { estimate: () => 0, sample: () => 0 } });
  reader.feed(new TextEncoder().encode(transcript.toString()));
  return reader.conversation();
}

/** All keepits of a conversation with these changes. */
export function keepitsOf(of: Conversation, overlay?: Overlay): EffectiveKeepit[] {
  return effectiveKeepits(SESSION, findKeepits(of), overlay);
}

/** Marks words; gives the changed overlay and the new keepit. */
export function mark(of: Conversation, request: MarkRequest, weight = 0.8, overlay: Overlay = []) {
  const [span, ...others] = findSpans(of, request);
  if (span === undefined || others.length > 0) throw new TypeError('One span is expected here');
  const added = withAddition(overlay, span, { weight, all: keepitsOf(of, overlay), nowIso: NOW });
  const keepit = keepitsOf(of, added.overlay).find(({ markerId }) => markerId === added.markerId);
  if (keepit === undefined) throw new TypeError('The new keepit is not there');
  return { overlay: added.overlay, keepit };
}

/** What a keepit is checked by. */
export function seen({ content, effectiveWeight, state }: EffectiveKeepit): readonly [string, number, string] {
  return [content, effectiveWeight, state];
}
