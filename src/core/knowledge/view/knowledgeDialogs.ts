import type { BuildResult } from '../layerBuilder';
import type { LayersStatus } from '../layersService';
import type { NoteChange } from '../notes/noteFiles';
import { joinParts, type Formats } from '../../text/formats';
import type { FactView } from '../facts/factViews';
import type { ForeignNoteText } from '../notes/foreignNotes';
import { cleanLines } from '../../text/cleanText';
import type { DialogText } from '../../sessions/view/memoryDialogs';

const PROMISES = [
  'Everything is found by code, no model is asked. Secrets are replaced, and what stands between <private> and </private> is left out. Transcripts stay as they are.',
  '“Keepit: Disable Keepit in This Project” undoes it; it deletes nothing.',
];

/** What *Enable Keepit in This Project* asks: says what will be written, and where, and what was `found` there that is not from the user. */
export function enableDialog(status: LayersStatus, displayName: string, found: string | undefined): DialogText {
  const { dir, files, notebook } = status;
  const lines = [
    'What you and Claude said is kept in layers, and the rules, solutions and decisions in it are listed. Written from now on:',
    '',
    dir,
    files.join(', '),
    '',
    notebook.dir,
    notebook.problem === undefined
      ? `${notebook.files.join(', ')}; only when you ask for a summary`
      : 'cannot be written to: there will be no summaries of sessions',
    '',
    ...gitLines(status),
    ...(found === undefined
      ? []
      : [
          `Found in this project, and not from you: ${found}. Claude is told of none of it. It is listed in the Knowledge view, where you can accept it.`,
          '',
        ]),
    ...PROMISES,
  ];
  return { title: `Enable Keepit in ${displayName}?`, detail: lines.join('\n') };
}

function gitLines({ excludeFile, excludeLine = '', notebook, isShared, location }: LayersStatus): string[] {
  if (location === 'home') return ['Nothing is written in the project’s own folder.', ''];
  if (excludeFile === undefined) return ['The folder is in no git repository.', ''];
  if (isShared) return ['Git sees these folders: they can be committed, and shared.', ''];
  const lines = joinParts([excludeLine, notebook.excludeLine ?? ''], ' and ');
  return [`Git is told to pass over them: ${lines} in ${excludeFile}`, ''];
}

/** Why nothing can be kept in the project's own folder, and what can be done instead. */
export function elsewhereDialog({ problem, dir }: LayersStatus, displayName: string): DialogText {
  const why =
    problem === 'no-folder'
      ? 'Its folder is not there any more, or not on this machine.'
      : `${dir} cannot be written to.`;
  return {
    title: `Keepit cannot write in ${displayName}`,
    detail: `${why}\nWhat is known of it can be kept in Keepit’s own folder instead.`,
  };
}

/** What *Disable Keepit in This Project* asks. */
export function disableDialog({ dir, notebook, location, isShared }: LayersStatus, displayName: string): DialogText {
  const isExcluded = location === 'project' && !isShared;
  const lines = [
    'Nothing more is written for this project. What is there stays until you delete it:',
    '',
    dir,
    notebook.dir,
    ...(isExcluded ? ['', 'Git sees these folders again.'] : []),
    '',
    'Enabling it again goes on where it left off.',
  ];
  return { title: `Disable Keepit in ${displayName}?`, detail: lines.join('\n') };
}

/** What came of a build, in one line. */
export function buildOutcome({ layered, failed, concepts, facts }: BuildResult, formats: Formats): string {
  const counts = [
    [facts.rules, formats.plural(facts.rules, 'rule')],
    [facts.solutions, formats.plural(facts.solutions, 'solution')],
    [facts.core_logic, `${formats.exact(facts.core_logic)} of core logic`],
    [concepts, formats.plural(concepts, 'concept')],
  ] as const;
  const known = joinParts(counts.filter(([count]) => count > 0).map(([, text]) => text));
  const read = layered.length === 0 ? 'Nothing was new.' : `${formats.plural(layered.length, 'session')} read.`;
  const lost = failed.length === 0 ? '' : ` ${formats.plural(failed.length, 'session')} could not be read.`;
  return `${read}${lost} ${known === '' ? 'Nothing is known yet.' : `Known: ${known}.`}`;
}

/** What came of summarizing so many sessions, in one line; those without an outcome were not come to. */
export function summarizeOutcome(outcomes: readonly NoteChange['outcome'][], asked: number, formats: Formats): string {
  const [only] = outcomes;
  if (asked === 1 && only !== undefined) {
    const done = { created: 'written', updated: 'brought up to date', unchanged: 'up to date already' } as const;
    return `Its summary is ${done[only]}.`;
  }
  const written = outcomes.filter((outcome) => outcome !== 'unchanged').length;
  const parts = [
    written > 0 || outcomes.length === 0 ? `${formats.plural(written, 'summary', 'summaries')} written` : '',
    written < outcomes.length ? `${formats.exact(outcomes.length - written)} up to date already` : '',
    outcomes.length < asked ? `${formats.exact(asked - outcomes.length)} not come to` : '',
  ];
  return `${joinParts(parts, ', ')}.`;
}

/** What would be accepted. */
interface Acceptable {
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
