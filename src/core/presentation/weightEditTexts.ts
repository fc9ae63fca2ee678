import type { WeightEdit } from '../sessions/weightWriter';

/** What a person reads before a weight is written into a transcript. */
export interface WeightEditTexts {
  readonly message: string;
  /** Several lines: the place, the words before and after, and what else happens. */
  readonly detail: string;
}

/** Nothing is written before this has been read and agreed to (seed 000, 5.4). */
export function weightEditTexts(edit: WeightEdit): WeightEditTexts {
  const { path, line, before, after, wordsBefore, wordsAfter, separatesOriginal } = edit;
  const words = (marker: string): string => [wordsBefore, marker, wordsAfter].filter((part) => part !== '').join(' ');
  const kept = separatesOriginal
    ? 'What memory has kept of this transcript shares its place on the disk: it gets a place of its own first, and stays as it is.'
    : 'What memory has kept of this transcript stays as it is.';
  return {
    message: `Write ${after} into Claude Code’s transcript?`,
    detail: [
      `${path}, line ${line}`,
      `Now: ${words(before)}`,
      `Then: ${words(after)}`,
      `Four characters are overwritten in place; nothing else changes. ${kept} This can be undone.`,
    ].join('\n\n'),
  };
}

/** `##keepit0.90## is in line 12 of e3580bc6.jsonl now.` */
export function weightWrittenText({ after, line, path }: WeightEdit): string {
  return `${after} is in line ${line} of ${path.replace(/^.*[\\/]/, '')} now.`;
}
