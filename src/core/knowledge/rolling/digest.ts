import type { NoteSection } from '../notes/noteDocument';

/** What a digest tells of. */
export interface DigestOrigin {
  readonly sessionId: string;
  /** The last message that is in it, and when that was said. */
  readonly uuid: string;
  readonly at: string;
}

const MARK = /<!-- keepit (\S+) (\S+) (\S*) -->/g;

/** What of a session is new, as a piece of `memory.md`. */
export function digestText(sections: readonly NoteSection[], { sessionId, uuid, at }: DigestOrigin): string {
  const blocksOf = (heading: string): string[] =>
    sections.find((section) => section.heading === heading)?.blocks.map(({ text }) => text) ?? [];
  const files = blocksOf('## Related Files/Artifacts').map((text) => text.slice(2));
  const context = blocksOf('## Context').join(' ');
  const lines = [
    `## ${at.slice(0, 16).replace('T', ' ')} UTC, session ${sessionId}`,
    `<!-- keepit ${sessionId} ${uuid} ${at} -->`,
    '',
    `Asked: ${context}`,
    '',
    ...sections
      .filter(({ heading }) => heading === '## Tracking Points')
      .flatMap(({ blocks }) => blocks.map(({ text }) => text)),
    ...(files.length === 0 ? [] : ['', `Files: ${files.join(', ')}`]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** How far sessions are in a memory, by the digests that stand in it: what counts when an index was not written any more. */
export function digestsIn(memory: string): Map<string, DigestOrigin> {
  const found = new Map<string, DigestOrigin>();
  for (const [, sessionId = '', uuid = '', at = ''] of memory.matchAll(MARK))
    found.set(sessionId, { sessionId, uuid, at });
  return found;
}
