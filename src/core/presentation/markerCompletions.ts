import { markerText, weightPresets } from '../keepits/weights';
import { parseKeepits } from '../keepits/markerParser';
import type { DecayContext } from '../sessions/results';
import { decayRows, outcomeWords, presetTitle } from './keepitOutlook';

/** A marker that is offered while somebody writes. */
export interface MarkerCompletion {
  readonly label: string;
  readonly detail: string;
  /** Markdown. */
  readonly documentation: string;
  readonly insert: string;
}

/** What is replaced: the beginning of a marker before the cursor. */
export interface CompletionRange {
  readonly start: number;
  readonly completions: readonly MarkerCompletion[];
}

const BEGUN = /(?:^|[^#])(##(?:k(?:e(?:e(?:p(?:i(?:t(?:\d(?:\.\d{0,2})?|:e?n?d?)?)?)?)?)?)?)?)$/i;
/** The signs that close a marker begin no other. */
const CLOSED = /##keepit[^#\s]*##$/i;
const END = '##keepit:end##';

/** The markers that can complete what stands before the cursor in its line; undefined where no marker has been begun. */
export function markerCompletions(
  line: string,
  textBefore: string,
  config: DecayContext['config'],
): CompletionRange | undefined {
  const begun = BEGUN.exec(line)?.[1];
  if (begun === undefined || CLOSED.test(line)) return undefined;
  const markers = weightPresets.map(({ name, weight }) => {
    const rows = decayRows(weight, config).map(({ where, outcome }) => `- ${where}: ${outcomeWords[outcome]}`);
    return {
      label: markerText(weight),
      detail: presetTitle(name),
      documentation: `What follows is **${name}**, up to the next marker or the end of the text.\n\n${rows.join('\n')}`,
      insert: `${markerText(weight)} `,
    };
  });
  const end = {
    label: END,
    detail: 'End of the keepit',
    documentation: 'What follows is not marked.',
    insert: END,
  };
  const before = textBefore.slice(0, textBefore.length - begun.length);
  return { start: line.length - begun.length, completions: isOpen(before) ? [end, ...markers] : markers };
}

/** Whether a marked span reaches to the end of a text. */
function isOpen(text: string): boolean {
  return parseKeepits(`${text}x`).spans.at(-1)?.end === text.length + 1;
}
