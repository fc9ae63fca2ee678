import { pushTo } from '../text/ownValue';
import { placeKey } from '../model/keepit';
import { findCodeRanges } from '../keepits/codeRanges';
import type { EffectiveKeepit } from '../keepits/effectiveKeepits';
import { parseKeepits } from '../keepits/markerParser';
import { markerText } from '../keepits/weights';
import type { SourceMessage, SourceText } from '../material/types';
import { withoutSecrets } from '../text/secrets/cleanText';
import { privateRanges, type TextRange } from '../text/secrets/privateText';

const END = '##keepit:end##';

/** A keepit as it is put back, and what its span then holds when the text is read again. */
export interface KeepitBlock {
  readonly text: string;
  /** The content, byte for byte; for a fenced one, with its fence. */
  readonly span: string;
}

/**
 * Writes a keepit as a block of its own. Content that would not stand by itself, because it leaves a code fence open or holds what
 * would read as a marker, is put in a fence of its own: so no block can reach into another one.
 */
export function keepitBlock(weight: number, content: string): KeepitBlock {
  const plain = { text: `${markerText(weight)} ${content}\n${END}`, span: content };
  if (isReadBack(plain)) return plain;
  const fence = '~'.repeat(Math.max(3, longestTildes(content) + 1));
  const span = `${fence}\n${content}\n${fence}`;
  return { text: `${markerText(weight)}\n${span}\n${END}`, span };
}

/** Whether a block, with others after it, reads as the one keepit that it is. */
function isReadBack({ text, span }: KeepitBlock): boolean {
  const { spans, diagnostics } = parseKeepits(`${text}\n\n${markerText(0)} x`);
  return spans.length === 2 && spans[0]?.content === span && spans[1]?.content === 'x' && diagnostics.length === 0;
}

function longestTildes(text: string): number {
  let longest = 0;
  for (const { 0: run } of text.matchAll(/~+/g)) longest = Math.max(longest, run.length);
  return longest;
}

const MARKER = /##keepit(?:\d\.\d{2}|:end)##[ \t]?/gi;
const MARKER_START = /##(?=keepit)/gi;

/**
 * Makes a summarizer's text safe to stand among keepits: nothing in it reads as a marker, and no code fence stays open. Text without
 * either stays as it is.
 */
export function withoutMarkers(text: string): string {
  const bare = withoutMarkerTexts(text);
  const fence = openFence(bare); // looked for afterwards: what stood behind a marker may open one now
  return fence === undefined ? bare : `${bare}\n${fence}`;
}

function withoutMarkerTexts(text: string): string {
  if (!/##keepit/i.test(text)) return text;
  const { spans, diagnostics } = parseKeepits(text);
  return spans.length + diagnostics.length === 0 ? text : text.replace(MARKER, '').replace(MARKER_START, '#\u200b#');
}

/** The run of characters that closes the code fence which a text leaves open. */
export function openFence(text: string): string | undefined {
  const probe = `${text}\n\n`;
  const last = findCodeRanges(probe).at(-1);
  // Nothing but an open fence reaches over the blank line at the end.
  if (last?.end !== probe.length) return undefined;
  return /`{3,}|~{3,}/.exec(probe.slice(last.start))?.[0];
}

/** A secret may be known by the words before it alone. */
const CONTEXT_CHARS = 300;
const LEADING_MARKER = /^##keepit\d\.\d{2}##/i;

interface Place {
  readonly text: string;
  readonly hidden: readonly TextRange[];
}

/** What keepits mark, as it may be written: without secrets and private passages, also where only the words around tell what they are. */
export class KeepitContents {
  private readonly places = new Map<string, Place>();

  constructor(messages: readonly SourceMessage[]) {
    for (const { texts } of messages) {
      for (const { recordUuid: messageUuid, blockIndex, text } of texts)
        this.places.set(placeKey({ messageUuid, blockIndex }), { text, hidden: privateRanges(text) });
    }
  }

  /** '' where nothing of it may be written. */
  of(keepit: EffectiveKeepit): string {
    const { content } = keepit;
    const place = this.places.get(placeKey(keepit));
    const { text, hidden } = place ?? { text: content, hidden: [] };
    const { start, end } = place === undefined ? { start: 0, end: content.length } : keepit.position;
    const over = hidden.find((range) => range.start < start && range.end > start)?.end;
    const from = Math.min(end, over ?? start);
    const context = Math.max(over ?? 0, from - CONTEXT_CHARS);
    const before = withoutSecrets(text.slice(context, from));
    const whole = withoutSecrets(text.slice(context, end));
    const written = whole.slice(sharedLength(before, whole));
    // A span begins with its own marker; one that was marked by hand begins where the hand did, which may be at what looks like one.
    return (LEADING_MARKER.test(content) ? written : written.replace(LEADING_MARKER, '')).trim();
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  // What stands for a secret is whole or not there.
  const open = other.lastIndexOf('[redacted: ', length);
  return open !== -1 && !other.slice(open, length).includes(']') ? open : length;
}

const MARKER_LENGTH = '##keepit0.00##'.length;
const END_MARKER = /^##keepit:end##/i;
const PARAGRAPH = '\n\n';

/** A keepit, and how it is put back; without that for one that fades. */
interface PlacedKeepit {
  readonly keepit: EffectiveKeepit;
  readonly block?: KeepitBlock | undefined;
}

interface Cut {
  readonly start: number;
  readonly end: number;
}

/**
 * The messages as a summarizer may see them: surviving keepits are cut out, faded ones are ordinary text without their markers, private
 * passages and secrets are gone.
 */
export function cutMessages(messages: readonly SourceMessage[], keepits: readonly PlacedKeepit[]): SourceMessage[] {
  const survivors = new Map<string, Cut[]>();
  for (const { keepit, block } of keepits) {
    if (block === undefined) continue;
    const key = placeKey(keepit);
    pushTo(survivors, key, keepit.position);
  }
  return messages.map((message) => ({
    ...message,
    texts: message.texts.map((text) =>
      cutText(text, survivors.get(placeKey({ messageUuid: text.recordUuid, blockIndex: text.blockIndex })) ?? []),
    ),
  }));
}

function cutText(source: SourceText, survivors: readonly Cut[]): SourceText {
  const text = withoutSecrets(withoutCuts(source.text, [...survivors, ...markersIn(source.text)]));
  return text === source.text ? source : { ...source, text };
}

/** The markers themselves, and the ends of spans; what they mark is ordinary text, unless it is cut out. */
function markersIn(text: string): Cut[] {
  if (!/##keepit/i.test(text)) return [];
  const { spans, diagnostics } = parseKeepits(text);
  const ends = spans.flatMap(({ end }) => {
    const marker = END_MARKER.exec(text.slice(end, end + MARKER_LENGTH));
    return marker === null ? [] : [{ start: end, end: end + marker[0].length }];
  });
  const strays = diagnostics.filter(({ reason }) => reason === 'stray-end' || reason === 'empty');
  return [...spans.map(({ start }) => ({ start, end: start + MARKER_LENGTH })), ...ends, ...strays];
}

function withoutCuts(text: string, cuts: readonly Cut[]): string {
  let rest = '';
  let position = 0;
  for (const { start, end } of [...cuts].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start > position) rest = joined(rest, text.slice(position, start));
    position = Math.max(position, end);
  }
  return cuts.length === 0 ? text : joined(rest, text.slice(position)).trim();
}

/** What stood on both sides of a cut becomes two paragraphs, unless it was one line. */
function joined(before: string, after: string): string {
  if (before.trim() === '') return after;
  if (after.trim() === '') return before;
  return /\s$/.test(before) || /^\s/.test(after)
    ? `${before.trimEnd()}${PARAGRAPH}${after.trimStart()}`
    : `${before}${after}`;
}
