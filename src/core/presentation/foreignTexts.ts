import type { FactView } from '../knowledge/facts/factViews';
import type { ForeignNoteText } from '../knowledge/notes/foreignNotes';
import { cleanLines } from '../text/cleanText';
import type { Formats } from '../text/formats';

/** What would be accepted. */
export interface Acceptable {
  readonly facts: readonly FactView[];
  readonly notes: readonly Pick<ForeignNoteText, 'file' | 'text'>[];
}

const kindTitles: readonly (readonly [FactView['kind'], string])[] = [
  ['rules', 'Rules'],
  ['solutions', 'Solutions'],
  ['core_logic', 'Core Logic'],
];

const HEAD = [
  '# Found in this project, not from you',
  '',
  'Claude is told of none of this before you accept it.',
  'Read all of it first: it may be made to mislead.',
  '',
];

/** All of it, word for word, for a person to read before they accept it. */
export function foreignPreview({ facts, notes }: Acceptable): string {
  const lists = kindTitles.flatMap(([kind, title]) => {
    const own = facts.filter((fact) => fact.kind === kind).map(({ content }) => `- ${cleanLines(content).join(' ')}`);
    return own.length === 0 ? [] : [`# ${title}`, '', ...own, ''];
  });
  const texts = notes.flatMap(({ file, text }) => [`# ${file}`, '', ...cleanLines(text.trimEnd()), '']);
  return `${[...HEAD, ...lists, ...texts].join('\n').trimEnd()}\n`;
}

/** `3 facts and 1 note`. */
export function acceptedText({ facts, notes }: Acceptable, formats: Formats): string {
  const parts = [
    ...(facts.length === 0 ? [] : [formats.plural(facts.length, 'fact')]),
    ...(notes.length === 0 ? [] : [formats.plural(notes.length, 'note')]),
  ];
  return parts.length === 0 ? 'Nothing' : parts.join(' and ');
}
