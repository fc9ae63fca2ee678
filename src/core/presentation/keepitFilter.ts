import { weightPresets, type WeightPreset } from '../keepit/weights';
import { oneLine } from './cleanText';
import type { KeepitRow } from './keepitTree';

/** What a list of keepits is narrowed to. */
export interface KeepitFilter {
  /** Words that must all occur in what is marked or in the session's title, in any letter case; '' for all. */
  readonly text: string;
  /** Only those that weigh at least as much as this preset. */
  readonly least: WeightPreset['name'] | undefined;
}

export const noKeepitFilter: KeepitFilter = { text: '', least: undefined };

/** Whether the filter narrows anything. */
export function isFilteringKeepits({ text, least }: KeepitFilter): boolean {
  return text.trim() !== '' || least !== undefined;
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** A test for rows; made once per filter. */
export function keepitMatcher({ text, least }: KeepitFilter): (row: KeepitRow) => boolean {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const floor = weightPresets.find(({ name }) => name === least)?.weight ?? 0;
  return ({ keepit, session }) => {
    if (keepit.effectiveWeight < floor) return false;
    if (words.length === 0) return true;
    const content = fold(`${keepit.content}\n${session.title}`);
    return words.every((word) => content.includes(word));
  };
}

const NAMED_LENGTH = 40;

/** The filter in words, for a view's message: `“postgres”, important and above`. */
export function describeKeepitFilter({ text, least }: KeepitFilter): string {
  const words = text.trim() === '' ? '' : `“${oneLine(text, NAMED_LENGTH)}”`;
  const above = least === 'pinned' ? 'pinned' : `${least ?? ''} and above`;
  return [words, least === undefined ? '' : above].filter(Boolean).join(', ');
}
