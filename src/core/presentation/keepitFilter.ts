import { weightPresets, type WeightPreset } from '../keepits/weights';
import { oneLine } from '../text/cleanText';
import type { KeepitRow } from './keepitRow';
import { wordMatcher } from './wordMatcher';

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

/** A test for rows; made once per filter. */
export function keepitMatcher({ text, least }: KeepitFilter): (row: KeepitRow) => boolean {
  const matches = wordMatcher(text);
  const floor = weightPresets.find(({ name }) => name === least)?.weight ?? 0;
  return ({ keepit, session }) => {
    if (keepit.effectiveWeight < floor) return false;
    return matches(`${keepit.content}\n${session.title}`);
  };
}

const NAMED_LENGTH = 40;

/** The filter in words, for a view's message: `“postgres”, important and above`. */
export function describeKeepitFilter({ text, least }: KeepitFilter): string {
  const words = text.trim() === '' ? '' : `“${oneLine(text, NAMED_LENGTH)}”`;
  const above = least === 'pinned' ? 'pinned' : `${least ?? ''} and above`;
  return [words, least === undefined ? '' : above].filter(Boolean).join(', ');
}
