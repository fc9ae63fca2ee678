import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import { weightName } from '../../core/keepits/weights';
import { oneLine } from '../../core/text/cleanText';
import { shortId } from '../../core/text/formats';
import { keepitNote } from '../../core/presentation/keepitTexts';
import type { KeepitListing } from '../../core/sessions/results';
import type { Answer, Command, Page } from '../command';
import { renderTable, type Cell, type Column } from '../table';
import { failedLines, failureOf } from './register';

const WORDS_LENGTH = 200;

const columns: readonly Column[] = [
  { title: 'Keepit' },
  { title: 'Weight', align: 'right' },
  { title: 'Preset' },
  { title: 'Session' },
  { title: 'Words', isFlexible: true },
  { title: 'Note' },
];

const problemColumns: readonly Column[] = [
  { title: 'Message' },
  { title: 'At', align: 'right' },
  { title: 'Session' },
  { title: 'Problem', isFlexible: true },
  { title: 'Write instead' },
];

export const keepits: Command = {
  name: 'keepits',
  group: 'Keepits',
  summary: 'List what is marked never to be lost, and how heavily',
  details: [
    'With a session: its keepits, whether it is in memory or not. Without one: those of all sessions in memory of the project; sessions without a marker are not opened.',
    'Keepits that were removed, that a rewind has left behind, or whose words are gone do not count and are listed apart; so are markers with a mistake in them.',
  ],
  args: [{ name: 'session', help: 'the session', arity: 'optional' }],
  options: {},
  examples: ['keepits', 'keepits e3580bc6', 'keepits --all-projects --json'],
  async run(input, { scope, memory, onProgress, signal }): Promise<Answer> {
    const word = input.args[0];
    const listing =
      word === undefined
        ? await memory.projectKeepits(await scope.projectId(), onProgress, signal)
        : await memory.keepits(await scope.session(word, signal), signal);
    return {
      json: listing,
      text: (page) => listingText(listing, word === undefined, page),
      failure: failureOf(listing.failed),
    };
  },
};

function listingText(
  { keepits: live, inactive, diagnostics, failed }: KeepitListing,
  isMixed: boolean,
  page: Page,
): string {
  const { style, width } = page;
  const table = (some: readonly EffectiveKeepit[]): string[] =>
    renderTable(
      columns,
      some.map((keepit) => keepitCells(keepit, isMixed)),
      { style, width },
    );
  const where = isMixed ? 'in the sessions that are in memory here' : 'in this session';
  const sections = [live.length === 0 ? [`There are no keepits ${where}.`] : table(live)];
  if (inactive.length > 0) sections.push([style.paint('strong', 'These do not count:'), ...table(inactive)]);
  if (diagnostics.length > 0) {
    const rows = diagnostics.map((diagnostic) => problemCells(diagnostic, isMixed));
    const heading = style.paint('strong', 'Markers with a mistake, which do not count either:');
    sections.push([heading, ...renderTable(problemColumns, rows, { style, width })]);
  }
  if (failed.length > 0) sections.push(failedLines(failed, page));
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

/** The session is named where the keepits are of several. */
function keepitCells(keepit: EffectiveKeepit, isMixed: boolean): Cell[] {
  return [
    { text: shortId(keepit.markerId), tone: 'accent' },
    { text: keepit.effectiveWeight.toFixed(2) },
    { text: weightName(keepit.effectiveWeight) },
    { text: isMixed ? shortId(keepit.sessionId) : '' },
    { text: oneLine(keepit.content, WORDS_LENGTH) },
    { text: keepitNote(keepit), tone: 'quiet' },
  ];
}

function problemCells(
  { messageUuid, start, problem, suggestion, sessionId }: KeepitListing['diagnostics'][number],
  isMixed: boolean,
): Cell[] {
  return [
    { text: messageUuid, tone: 'accent' },
    { text: String(start) },
    { text: isMixed ? shortId(sessionId) : '' },
    { text: problem },
    { text: suggestion === '' ? 'nothing' : suggestion },
  ];
}
