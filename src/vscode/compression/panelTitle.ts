import { oneLine } from '../../core/text/cleanText';

const TAB_LENGTH = 40;

/** What the tab of a panel says: a title may be as long as a sentence. */
export function panelTitle(title: string): string {
  return `Compress: ${oneLine(title, TAB_LENGTH)}`;
}
