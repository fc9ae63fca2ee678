import { parseKeepits } from '../keepits/markerParser';
import { placeMark, type DocumentMarks } from './keepitMarks';
import { firstWhere, type LinePosition } from '../sessions/document/saidBlocks';

/** The markers of a document of the user's own: notes, prompts, instructions in Markdown. Linear. */
export function textMarks(text: string): DocumentMarks {
  if (!/##keepit/i.test(text)) return { marks: [], problems: [] };
  const locate = locator(text);
  const { spans, diagnostics } = parseKeepits(text);
  return {
    marks: spans.map((span) =>
      placeMark(text, span, { weight: span.weight, ownWeight: span.weight, state: 'live', origin: 'text' }, locate),
    ),
    problems: diagnostics.map(({ start, end, problem, suggestion }) => {
      return { range: { start: locate(start), end: locate(end) }, problem, suggestion };
    }),
  };
}

/** Where offsets of a text stand, in lines that end with `\n` or `\r\n`. */
function locator(text: string): (offset: number) => LinePosition {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    const line = firstWhere(starts, (start) => start > offset) - 1;
    return { line, column: offset - (starts[line] ?? 0) };
  };
}
