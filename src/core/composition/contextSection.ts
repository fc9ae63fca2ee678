import { BLOCK_SEPARATOR } from '../compression/blockText';
import { keepitBlock, openFence, withoutMarkers } from '../compression/keepitBlock';
import { parseKeepits } from '../keepit/markerParser';
import type { KeepitMarker } from '../model/keepit';
import { withoutPrivate } from '../safety/privateText';
import { redactSecrets, type RedactedSecrets } from '../safety/secrets';
import { withTextsOf } from '../safety/withTexts';
import type { ContextBlock, ContextSection, ContextTool, Piece, SourceSession } from './types';

/** A piece with what it says, as it was read. */
export interface ReadPiece {
  readonly piece: Piece;
  readonly blocks: readonly ContextBlock[];
}

/** What has been said in the sections before, so that a resumed session does not say it again. */
export class SaidBefore {
  readonly #messages = new Set<string>();
  /** Ids and texts: a keepit that came back in a composition has another id, and the same words. */
  readonly #keepits = new Set<string>();

  /** Whether all that a block tells of has been told; a block without a source is always new. */
  has({ sources, markerId, text }: ContextBlock): boolean {
    if (markerId !== undefined) return this.#keepits.has(markerId) || this.#keepits.has(text);
    return sources.length > 0 && sources.every((uuid) => this.#messages.has(uuid));
  }

  add(blocks: Iterable<ContextBlock>): void {
    for (const { sources, markerId, text } of blocks) {
      if (markerId !== undefined) this.#keepits.add(markerId).add(text);
      // A keepit is one sentence of its message: the rest of it has not been said by that.
      else {
        for (const uuid of sources) this.#messages.add(uuid);
        // An original says its keepits in its own words.
        for (const { weight, content } of parseKeepits(text).spans)
          this.#keepits.add(keepitBlock(weight, content).text);
      }
    }
  }
}

/** What was taken out of texts because it gives access to something. */
export class RedactionReport {
  readonly #counts = new Map<string, number>();

  /** The text without secrets and without what is private. */
  clean(text: string): string {
    const { text: cleaned, secrets } = redactSecrets(withoutPrivate(text));
    for (const { kind, count } of secrets) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    return cleaned;
  }

  get secrets(): RedactedSecrets[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count }));
  }
}

/**
 * A session as a section: heading, keepits, and what its pieces say. Pinned keepits that its versions do not hold are put in; what was said in
 * the sections before is left out.
 */
export function contextSection(
  session: SourceSession,
  read: readonly ReadPiece[],
  { number, said, report }: { number: number; said: SaidBefore; report: RedactionReport },
): ContextSection {
  const pieces = read.map(({ piece, blocks }) => ({
    piece,
    blocks: blocks.flatMap((block) => cleanBlock(block, report)),
  }));
  const held = new Set(pieces.flatMap(({ blocks }) => blocks.map(({ markerId }) => markerId)));
  const inText = new Set(read.some(({ piece }) => piece.versionId === 'original') ? markersIn(session, pieces) : []);
  const added = session.pinned.filter(({ markerId }) => !held.has(markerId) && !inText.has(markerId));
  const keepits = [
    ...added.flatMap((marker) => cleanBlock(pinnedBlock(marker), report)),
    ...pieces.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'keepit')),
  ].filter((block) => !said.has(block));
  const bodies = pieces.map(({ piece, blocks }) => ({
    piece,
    blocks: withoutEmptyHeadings(blocks.filter((block) => block.kind !== 'keepit' && !said.has(block))),
  }));
  said.add(keepits);
  for (const { blocks } of pieces) said.add(blocks);
  const { heading, footer } = sectionFrame(
    session,
    pieces.map(({ piece }) => piece),
    number,
  );
  return {
    ref: session.ref,
    heading,
    footer,
    keepits,
    pieces: bodies.map((body) => linked(body, footer === '' ? undefined : number)),
  };
}

/** What stands around a section: its size can be counted before anything is read. */
export function sectionFrame(
  { ref, title, firstTimestamp, lastTimestamp, originalTokens, transcript }: SourceSession,
  pieces: readonly Piece[],
  number: number,
): { heading: string; footer: string } {
  const ids = pieces.map(({ versionId }) => versionId);
  const what =
    ids.length === 0
      ? 'only what was pinned in it'
      : ids[0] === 'original'
        ? 'in full'
        : `condensed from ${originalTokens} tokens (${ids.join(', ')})`;
  const link = transcript === undefined ? '' : `; [transcript][s${number}]`;
  return {
    heading: `# ${dates(firstTimestamp, lastTimestamp)} · ${oneLineTitle(title)}\n\nSession ${ref.sessionId}, ${what}${link}.`,
    footer: transcript === undefined ? '' : `[s${number}]: <${fileUrl(transcript)}>`,
  };
}

/** A pinned keepit as a block of its own. */
export function pinnedBlock({ weight, content, messageUuid, markerId }: KeepitMarker): ContextBlock {
  return { kind: 'keepit', role: 'user', text: keepitBlock(weight, content).text, sources: [messageUuid], markerId };
}

function cleanBlock(block: ContextBlock, report: RedactionReport): ContextBlock[] {
  if (block.tool !== undefined) return [{ ...block, tool: cleanTool(block.tool, report) }];
  const text = report.clean(block.text).trim();
  const isEmpty = text === '' || (block.kind === 'keepit' && parseKeepits(text).spans.length === 0);
  return isEmpty ? [] : [{ ...block, text: closed(text) }];
}

function cleanTool(tool: ContextTool, report: RedactionReport): ContextTool {
  const input = withTextsOf(tool.input, (text) => report.clean(text));
  return { ...tool, input, result: report.clean(tool.result) };
}

const END = '##keepit:end##';

/** Text that leaves nothing open that would reach into what follows: no code fence, and no keepit. */
function closed(text: string): string {
  const fence = openFence(text);
  const whole = fence === undefined ? text : `${text}\n${fence}`;
  const { spans } = parseKeepits(whole);
  return spans.at(-1)?.end === whole.length ? `${whole}\n${END}` : whole;
}

/** Pinned keepits that stand in the words of the original. */
function markersIn({ pinned }: SourceSession, pieces: readonly ReadPiece[]): string[] {
  const words = pieces.flatMap(({ blocks }) => blocks.flatMap(({ text }) => parseKeepits(text).spans));
  return pinned.filter(({ content }) => words.some((span) => span.content === content)).map(({ markerId }) => markerId);
}

/** A heading whose whole episode was said before would stand over nothing. */
function withoutEmptyHeadings(blocks: readonly ContextBlock[]): ContextBlock[] {
  return blocks.filter(({ kind }, at) => {
    const next = blocks[at + 1];
    return kind !== 'heading' || (next !== undefined && next.kind !== 'heading');
  });
}

const RANGE = /\((messages? \d[\d–]*)\)$/;

/** The messages that a heading names become a link to them. */
function linked({ piece, blocks }: ReadPiece, number: number | undefined): ReadPiece {
  if (number === undefined) return { piece, blocks };
  return {
    piece,
    blocks: blocks.map((block) =>
      block.kind === 'heading' ? { ...block, text: block.text.replace(RANGE, `([$1][s${number}])`) } : block,
    ),
  };
}

function dates(first: string, last: string): string {
  const [from, to] = [first.slice(0, 10), last.slice(0, 10)];
  if (from === '' && to === '') return 'Undated';
  return from === to || from === '' || to === '' ? to || from : `${from} to ${to}`;
}

const TITLE_LENGTH = 120;

function oneLineTitle(title: string): string {
  const line = withoutMarkers(redactSecrets(withoutPrivate(title)).text)
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return 'Untitled session';
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).trimEnd()}…`;
}

/** A path as a link leads to it, on every system. */
function fileUrl(path: string): string {
  const slashes = path.replaceAll('\\', '/');
  return `file://${slashes.startsWith('/') ? '' : '/'}${encodeURI(slashes).replaceAll('#', '%23').replaceAll('?', '%3F')}`;
}

/** All that a section says, as Markdown: ends with a blank line, so that sections can be put one after the other. */
export function sectionMarkdown({ heading, footer, keepits, pieces }: ContextSection): string {
  let speaker: string | undefined;
  const body = pieces.flatMap(({ piece, blocks }) =>
    blocks.map((block) => {
      if (piece.versionId !== 'original') return block.text;
      const label = block.role === 'user' ? '**User:** ' : '**Claude:** ';
      const prefix = label === speaker || block.tool !== undefined ? '' : label;
      if (block.tool === undefined) speaker = label;
      return block.tool === undefined ? `${prefix}${block.text}` : toolMarkdown(block.tool);
    }),
  );
  const all = [heading, ...keepits.map(({ text }) => text), ...body, footer];
  return `${all.filter((text) => text !== '').join(BLOCK_SEPARATOR)}${BLOCK_SEPARATOR}`;
}

/** A tool call and its answer, readable, and not to be taken for words of anybody. */
function toolMarkdown({ name, input, result, isError }: ContextTool): string {
  const call = fenced(`${name} ${JSON.stringify(input)}`, 'tool');
  return result === '' ? call : `${call}\n\n${fenced(result, isError ? 'error' : 'result')}`;
}

function fenced(text: string, language: string): string {
  const runs = [...text.matchAll(/~{3,}/g)].map(({ 0: run }) => run.length);
  const fence = '~'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
