import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionStats } from '../../../../src/core/transcript/sessionStats';
import { TranscriptReader, type TailMode } from '../../../../src/core/transcript/transcriptReader';
import type { Conversation } from '../../../../src/core/transcript/types';
import type { TokenEstimator } from '../../../../src/core/text/tokens/tokenCounter';

/** One token per four characters; fractions on purpose. */
export const quarterTokens: TokenEstimator = {
  estimate: (text) => text.length / 4,
  sample: (text) => text.length / 4,
};

/** A hand-written transcript, one trap each. */
export function fixture(name: string): Uint8Array {
  return readFileSync(path.join('test', 'fixtures', 'transcripts', name));
}

/** Cuts bytes into chunks of the given sizes, used round robin. */
export function* chunks(bytes: Uint8Array, sizes: readonly number[] = [bytes.length || 1]): Generator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const end = Math.min(bytes.length, at + Math.max(1, sizes[i % sizes.length] ?? 1));
    yield bytes.slice(at, end);
    at = end;
  }
}

/** Reads bytes in full, in chunks of the given sizes. */
export function read(bytes: Uint8Array, sizes?: readonly number[], tail: TailMode = 'read'): Conversation {
  const reader = new TranscriptReader({ estimator: quarterTokens });
  for (const chunk of chunks(bytes, sizes)) reader.feed(chunk);
  return reader.conversation(tail);
}

/** The figures of bytes, in chunks of the given sizes. */
export function summarize(bytes: Uint8Array, sizes?: readonly number[], tail: TailMode = 'read'): SessionStats {
  const reader = new TranscriptReader({ estimator: quarterTokens, detail: 'counts' });
  for (const chunk of chunks(bytes, sizes)) reader.feed(chunk);
  return reader.stats(tail);
}

/** Transcript lines of records. */
export function jsonl(...records: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** What was said, for comparing at a glance. */
export function said(conversation: Pick<Conversation, 'messages'>): string[] {
  return conversation.messages.map(({ role, text }) => `${role}: ${text}`);
}
