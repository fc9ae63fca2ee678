import { BLOCK_SEPARATOR } from '../versions/types';
import { GAP } from '../versions/digest';
import { keepitBlock, withoutMarkers, openFence } from '../versions/keepitBlock';
import { toolMarkdown } from '../versions/originalWords';
import { parseKeepits } from '../keepits/markerParser';
import type { KeepitMarker } from '../model/keepit';
import { withoutSecrets } from '../text/secrets/cleanText';
import { withoutPrivate } from '../text/secrets/privateText';
import { redactSecrets, type RedactedSecrets } from '../text/secrets/secrets';
import { shortId } from '../text/formats';
import type { ContextBlock, ContextSection, ContextTool, Piece, SourceSession } from './types';

const END = '##keepit:end##';

/** A piece with what it says. */
export interface ReadPiece extends CleanPiece {
  readonly piece: Piece;
}

type ToldPiece = Pick<ReadPiece, 'piece' | 'blocks'>;

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

/**
 * A session as a section: heading, keepits, and what its pieces say. Pinned keepits that its versions do not hold are put in; what was said in
 * the sections before is left out.
 */
export function contextSection(
  session: SourceSession,
  read: readonly ReadPiece[],
  { number, said, report, keepits: wanted, detail }: SectionOptions,
): ContextSection {
  for (const { secrets } of read) report.add(secrets);
  const held = new Set(read.flatMap(({ blocks }) => blocks.map(({ markerId }) => markerId)));
  const inText = new Set(read.some(({ piece }) => piece.versionId === 'original') ? markersIn(session, read) : []);
  const added = wanted.filter(({ markerId }) => !held.has(markerId) && !inText.has(markerId));
  const keepits = [
    ...added.flatMap((marker) => cleanBlock(markedBlock(marker), report)),
    ...read.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'keepit')),
  ];
  const toldKeepits = keepits.filter((block) => !said.has(block));
  const repeated = keepits.filter((block) => said.has(block));
  const bodies = read.map(({ piece, blocks }) => {
    const own = blocks.filter(({ kind }) => kind !== 'keepit');
    const told = withoutEmptyHeadings(own.filter((block) => !said.has(block)));
    const isTold = new Set(told);
    repeated.push(...own.filter((block) => !isTold.has(block)));
    return { piece, blocks: told };
  });
  said.add(toldKeepits);
  for (const { blocks } of read) said.add(blocks);
  const pieces = read.map(({ piece }) => piece);
  const frame = sectionFrame(session, pieces, { number, detail, opening: bodies[0]?.blocks[0]?.text });
  return {
    ref: session.ref,
    ...frame,
    keepits: toldKeepits,
    pieces: bodies.map((body) => linked(body, frame.footer === '' ? undefined : number)),
    repeated,
  };
}

interface SectionOptions {
  readonly number: number;
  readonly said: SaidBefore;
  readonly report: RedactionReport;
  /** Those that are to be in it, whatever its pieces hold. */
  readonly keepits: readonly KeepitMarker[];
  /** Where there is room for it, a section names its session, and where there is much, leads back to its transcript. */
  readonly detail: 'title' | 'session' | 'link';
}

/** What stands around a section. */
function sectionFrame(
  { ref, title, firstTimestamp, lastTimestamp, originalTokens, transcript }: SourceSession,
  pieces: readonly Piece[],
  {
    number,
    detail,
    opening = '',
  }: Pick<SectionOptions, 'number' | 'detail'> & { readonly opening?: string | undefined },
): Pick<ContextSection, 'heading' | 'title' | 'footer'> {
  const ids = pieces.flatMap(({ versionId }) => (versionId === 'fresh' ? [] : [versionId]));
  const what =
    pieces.length === 0
      ? ', only its keepits'
      : ids[0] === 'original'
        ? ', in full'
        : ids.length === 0
          ? ''
          : `, condensed from ${originalTokens} tokens (${ids.join(', ')})`;
  const isNamed = detail !== 'title';
  const isLinked = transcript !== undefined && detail === 'link';
  const link = isLinked ? ` ([transcript][s${number}])` : '';
  const named = oneLineTitle(title);
  const shown = isBeginning(opening, named) ? '' : ` · ${named}`;
  return {
    title: shown,
    heading: `# ${dates(firstTimestamp, lastTimestamp)}${shown}${isNamed ? ` · session ${shortId(ref.sessionId)}` : ''}${what}${link}`,
    footer: isLinked ? `[s${number}]: <${fileUrl(transcript)}>` : '',
  };
}

/** A section without the title: the section before has the same. */
export function untitled(section: ContextSection): ContextSection {
  const { heading, title } = section;
  return { ...section, heading: heading.replace(title, ''), title: '' };
}

/** A title that nobody gave is the beginning of the first request, which says it, or most of it where words are left out. */
function isBeginning(opening: string, title: string): boolean {
  const named = title.replace(/…$/, '');
  const [begun = ''] = unbroken(opening).split(` ${GAP} `, 1);
  return begun.startsWith(named) || (named.startsWith(begun) && begun.length >= named.length / 2);
}

/** A keepit as a block of its own. */
function markedBlock({ weight, content, messageUuid, markerId }: KeepitMarker): ContextBlock {
  return { kind: 'keepit', role: 'user', text: keepitBlock(weight, content).text, sources: [messageUuid], markerId };
}

/** Keepits that stand in the words of the original. */
function markersIn({ keepits }: SourceSession, pieces: readonly ToldPiece[]): string[] {
  const words = pieces.flatMap(({ blocks }) => blocks.flatMap(({ text }) => parseKeepits(text).spans));
  return keepits
    .filter(({ content }) => words.some((span) => span.content === content))
    .map(({ markerId }) => markerId);
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
function linked({ piece, blocks }: ToldPiece, number: number | undefined): ToldPiece {
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
  const line = unbroken(withoutMarkers(withoutSecrets(title)));
  if (line === '') return 'Untitled session';
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).trimEnd()}…`;
}

function unbroken(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A path as a link leads to it, on every system. */
function fileUrl(path: string): string {
  const slashes = path.replaceAll('\\', '/');
  return `file://${slashes.startsWith('/') ? '' : '/'}${encodeURI(slashes).replaceAll('#', '%23').replaceAll('?', '%3F')}`;
}

/** What a line begins with that would be something else behind other words: a quotation, a code block. */
const BLOCK_START = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:>|`{3}|~{3})/;

/** Words as they were said: it has to be told by whom. */
const VERBATIM: ReadonlySet<string> = new Set(['original', 'fresh']);

/** All that a section says, as Markdown: ends with a blank line, so that sections can be put one after the other. */
export function sectionMarkdown({ heading, footer, keepits, pieces }: Omit<ContextSection, 'repeated'>): string {
  let speaker: string | undefined;
  const body = pieces.flatMap(({ piece, blocks }) =>
    blocks.map((block) => {
      if (!VERBATIM.has(piece.versionId)) return block.text;
      const label = block.kind === 'note' ? undefined : labelOf(block.role, piece);
      if (block.tool !== undefined) return blockMarkdown(block);
      // What was said between two requests may have been left out.
      const isSame =
        label === undefined || (label === speaker && (block.role !== 'user' || piece.versionId !== 'fresh'));
      const prefix = isSame ? '' : BLOCK_START.test(block.text) ? label.trimEnd() + BLOCK_SEPARATOR : label;
      speaker = label;
      return prefix + blockMarkdown(block);
    }),
  );
  const all = [heading, ...keepits.map(({ text }) => text), ...body, footer];
  return `${all.filter((text) => text !== '').join(BLOCK_SEPARATOR)}${BLOCK_SEPARATOR}`;
}

/** In what was cut to a room every token counts. */
function labelOf(role: ContextBlock['role'], { versionId }: Piece): string {
  const name = role === 'user' ? 'User' : 'Claude';
  return versionId === 'fresh' ? `${name}: ` : `**${name}:** `;
}

/** What a block says, whoever says it. */
export function blockMarkdown({ text, tool }: ContextBlock): string {
  return tool === undefined ? text : toolMarkdown(tool);
}

/** What was taken out of texts because it gives access to something. */
export class RedactionReport {
  readonly #counts = new Map<string, number>();

  /** The text without secrets and without what is private. */
  clean(text: string): string {
    const { text: cleaned, secrets } = redactSecrets(withoutPrivate(text));
    this.add(secrets);
    return cleaned;
  }

  /** What was taken out of a text elsewhere. */
  add(secrets: readonly RedactedSecrets[]): void {
    for (const { kind, count } of secrets) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  get secrets(): RedactedSecrets[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count }));
  }
}

/** What a piece says, without secrets and without what is private, and what was taken out for that. */
export interface CleanPiece {
  readonly blocks: readonly ContextBlock[];
  readonly secrets: readonly RedactedSecrets[];
}

/** The blocks of a piece as they may be told. */
export function cleanPiece(blocks: readonly ContextBlock[]): CleanPiece {
  const report = new RedactionReport();
  const cleaned = blocks.flatMap((block) => cleanBlock(block, report));
  return { blocks: cleaned, secrets: report.secrets };
}

/** A block as it may be told; none when nothing is left of it. */
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

/** Text that leaves nothing open that would reach into what follows: no code fence, and no keepit. */
function closed(text: string): string {
  const fence = openFence(text);
  const whole = fence === undefined ? text : `${text}\n${fence}`;
  const { spans } = parseKeepits(whole);
  return spans.at(-1)?.end === whole.length ? `${whole}\n${END}` : whole;
}

/** A decoded JSON value with every text in it changed, however deep; keys stay. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  return typeof value === 'object' && value !== null ? withTextsOf(value, change) : value;
}

/** The same, of the fields of an object. */
function withTextsOf(fields: object, change: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, withTexts(value, change)]));
}
