import { placeKey } from '../model/keepit';
import { parseKeepits } from '../keepits/markerParser';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { JudgedKeepit } from './compressionPlan';
import type { SourceMessage, SourceText } from '../material/types';

interface Cut {
  readonly start: number;
  readonly end: number;
}

const MARKER_LENGTH = '##keepit0.00##'.length;
const END_MARKER = /^##keepit:end##/i;
const PARAGRAPH = '\n\n';

/**
 * The messages as a summarizer may see them: surviving keepits are cut out, faded ones are ordinary text without their markers, private
 * passages and secrets are gone.
 */
export function cutMessages(messages: readonly SourceMessage[], keepits: readonly JudgedKeepit[]): SourceMessage[] {
  const survivors = new Map<string, Cut[]>();
  for (const { keepit, block } of keepits) {
    if (block === undefined) continue;
    const key = placeKey(keepit);
    survivors.set(key, [...(survivors.get(key) ?? []), keepit.position]);
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
