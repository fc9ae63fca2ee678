import type { HookActivity } from '../model/hookActivity';
import { cleanLines } from '../text/cleanText';
import { joinParts, timeOf, type Formats } from '../text/formats';
import { capturedText, formatTook, kindName } from './insideWords';
import { windowHint } from './windowHint';

/** What one hook did, as Markdown to be read and copied. `given` has the whole of what it gave, by the keys of pieces. */
export function firingDocument(
  firing: HookActivity,
  title: string,
  formats: Formats,
  given: ReadonlyMap<string, string> = new Map(),
): string {
  const { event, source, at, tookMs, injected, note, problem } = firing;
  const atMs = timeOf(at);
  const when = atMs === undefined ? at : formats.dateTime(atMs);
  const captured = capturedText(firing, formats);
  return [
    `# ${joinParts([event, source])}`,
    '',
    `${oneLineOf(title)}, ${when}. It took ${formatTook(tookMs)}.`,
    ...(problem === undefined ? [] : ['', `**Problem**: ${oneLineOf(problem)}`]),
    ...(note === undefined ? [] : ['', windowHint(oneLineOf(note))]),
    ...(captured === '' ? [] : ['', `${captured.charAt(0).toUpperCase()}${captured.slice(1)}.`]),
    ...(injected === undefined ? ['', 'Nothing was given to the session.'] : givenLines(injected, formats, given)),
    '',
  ].join('\n');
}

function givenLines(
  { tokens, units, pieces }: NonNullable<HookActivity['injected']>,
  formats: Formats,
  given: ReadonlyMap<string, string>,
): string[] {
  const size = `${formats.plural(tokens, 'token')}, ${formats.plural(units, 'character')}`;
  const isCut = pieces.some(({ key, preview = '' }) => preview.endsWith('…') && !given.has(key ?? ''));
  const lines = ['', `Keepit gave the session ${size}${isCut ? '. Of some pieces only the beginning is known:' : ':'}`];
  for (const piece of pieces) {
    const from = piece.from === undefined ? '' : `, from ${oneLineOf(piece.from)}`;
    lines.push('', `## ${kindName(piece.kind)}: ${formats.plural(piece.tokens, 'token')}${from}`);
    const text = given.get(piece.key ?? '') ?? piece.preview;
    if (text !== undefined) lines.push('', ...cleanLines(text).map((line) => `> ${line}`));
  }
  return lines;
}

function oneLineOf(text: string): string {
  return cleanLines(text).join(' ');
}
