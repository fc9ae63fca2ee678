import { harmless } from '../../core/claude/hooks/briefText';
import { foreignText } from '../../core/knowledge/foreignFiles';
import type { ForeignNoteText } from '../../core/knowledge/notes/foreignNotes';
import { NotebookError } from '../../core/knowledge/layerStore';
import type { NoteChange } from '../../core/knowledge/notes/noteFiles';
import type { SynthesizeRequest, SynthesizeResult } from '../../core/knowledge/notes/notebookService';
import { cleanLines } from '../../core/text/cleanText';
import { joinParts, shortId } from '../../core/text/formats';
import { NO_COST } from '../../core/versions/types';
import { moneyText } from '../../core/versions/view/versionTexts';
import { agree, command, writeNew } from '../command';
import type { CommandContext } from '../context';
import { argument, flag, option, text, textOfFile, theSession, whole, yes, asking } from '../fields';
import { linesOf, type Lines, type Page } from '../page';
import { changedText, type Style } from '../terminal';

const part = option(text, 'NAME', 'A part of the project with notes of its own');
const dryRun = flag('Only show what would change');

export const summarize = command({
  name: 'summarize',
  summary: 'Write the summary of a session into the notebook, or bring it up to date',
  details: [
    'What was decided and why, which rules were laid down, what was found out, what is left: _memory/conversations/<session-id>.md. What you write into that file stays. With --provider a model reads the session first, as `keepit read` has it; without, none is asked.',
  ],
  input: {
    session: theSession,
    scope: part,
    ...asking(['local', 'anthropic', 'claude-cli']),
    dryRun,
    yes: flag('Do not ask before a model is paid for', 'y'),
  },
  examples: ['summarize e3580bc6', 'summarize e3580bc6 --dry-run', 'summarize e3580bc6 --scope frontend'],
  async run({ session, scope, provider, model, maxCost: maxCostUsd, dryRun: isPreview }, context) {
    const { memory, confirm, signal } = context;
    let cost = NO_COST;
    if (provider !== undefined && provider !== 'local' && !isPreview) {
      const request = { provider, model, maxCostUsd };
      if (maxCostUsd === undefined && confirm !== undefined) {
        const { usd: costs } = (await memory.reading.estimate([session], request, signal)).cost;
        const question = `This asks a model and costs about ${moneyText(costs)}. Go on?`;
        await agree(question, session.sessionId, context, 'not-compressed');
      }
      const result = await memory.reading.read([session], request, undefined, signal);
      if (result.failed[0] !== undefined) throw result.failed[0].error;
      ({ cost } = result);
    }
    return { ...(await memory.notebook.summarize(session, { scope, isPreview }, signal)), cost, isWritten: !isPreview };
  },
  json: ({ sessionId, file, cost, isWritten, ...change }) => ({
    sessionId,
    file,
    ...changeDocument(change),
    isWritten,
    cost,
  }),
  text: (result, page) => changeText(result, page),
});

export const synthesize = command({
  name: 'synthesize',
  summary: 'Bring the memory of the project up to date with all summaries',
  details: [
    'Puts all summaries together in _memory/master.md: by theme, with what changed over time, what is open, and where the project is not as it was decided. Looks at README, _docs, the git log, the packages and files. What you write into that file stays. On a terminal it shows what would change and asks first.',
  ],
  input: {
    scope: part,
    full: flag('Also when nothing is new'),
    maxTokens: option(whole, 'N', 'Let go of the oldest points above this size, 8000 unless told'),
    dryRun,
    yes,
  },
  examples: ['synthesize', 'synthesize --dry-run', 'synthesize --full --yes'],
  async run({ scope, full: isFull, maxTokens, dryRun: isPreview }, context) {
    const { memory, confirm, signal } = context;
    const projectId = await context.scope.onlyProject();
    const request = { scope, isFull, maxTokens };
    const result =
      confirm !== undefined && !isPreview
        ? await synthesizeAsked(projectId, request, context)
        : await memory.notebook.synthesize(projectId, { ...request, isPreview }, signal);
    return { ...result, isWritten: !isPreview };
  },
  json: ({ file, sources, newSources, docs, tokens, pruned, isWritten, ...change }) => ({
    file,
    sources,
    newSources,
    docs,
    tokens,
    pruned,
    ...changeDocument(change),
    isWritten,
  }),
  text(result, page) {
    const { sources, newSources, docs, tokens, pruned } = result;
    const { plural } = page;
    return [
      harmless(linesOf(changeText(result, page)).join('\n')),
      page.quiet(
        joinParts([
          `${plural(sources.length, 'summary', 'summaries')}, ${newSources.length} new`,
          plural(docs.length, 'document'),
          plural(tokens, 'token'),
          pruned > 0 && `${plural(pruned, 'point')} let go of, see archive/master.md`,
        ]),
      ),
    ];
  },
});

/** Shows what would be written, and writes just that. Where the notebook changes meanwhile, what would be written then is shown. */
async function synthesizeAsked(
  projectId: string,
  request: SynthesizeRequest,
  context: CommandContext,
): Promise<SynthesizeResult> {
  const { notebook } = context.memory;
  for (let before = ''; ; before = 'The notebook was changed meanwhile. Now this would be written:\n') {
    const { result, plan } = await notebook.propose(projectId, request, context.signal);
    if (plan === undefined) return result;
    const shown = hunkLines(result, { paint: (_tone, line) => line }).join('\n');
    if (result.outcome !== 'unchanged')
      await agree(`${before}${shown}\nWrite this to ${result.file}?`, result.file, context);
    try {
      await notebook.apply(projectId, plan, context.signal);
      return result;
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'changed') throw error;
    }
  }
}

function changeDocument({ outcome, before, after, hunks }: Omit<NoteChange, 'name'>): object {
  return { outcome, created: outcome === 'created', updated: outcome === 'updated', changes: hunks, before, after };
}

function changeText(change: NoteChange & { file: string; isWritten: boolean }, page: Page): Lines {
  const { outcome, file, isWritten, name } = change;
  const done = isWritten ? `✓ ${outcome}` : outcome === 'unchanged' ? outcome : `would be ${outcome}`;
  const id = /conversations\/([^/]+)\.md$/.exec(name)?.[1];
  return [joinParts([page.good(done), id && page.accent(shortId(id)), file], '  '), hunkLines(change, page.style)];
}

function hunkLines({ hunks }: NoteChange, style: Pick<Style, 'paint'>): string[] {
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    style.paint('accent', `@@ -${oldStart} +${newStart} @@`),
    ...changedText(lines, style),
  ]);
}

export const recall = command({
  name: 'recall',
  summary: 'Print the memory of the project',
  details: [
    '_memory/master.md as it is, but for tags by which its words could pose as Claude Code. With --json to the letter, and how old it is, and which summaries came after it.',
  ],
  input: { scope: part },
  examples: ['recall', 'recall --scope frontend', 'recall --json'],
  async run({ scope: ofPart }, { scope, memory }) {
    const projectId = await scope.onlyProject();
    const { notes } = await memory.layers.foreign(projectId);
    const foreign = foreignText({ facts: [], notes, sessions: [] });
    try {
      return { recalled: await memory.notebook.recall(projectId, { scope: ofPart }), foreign };
    } catch (error) {
      const isMissing = error instanceof NotebookError && error.reason === 'no-master';
      if (isMissing && foreign !== undefined) throw new NotebookError('foreign-master', foreign);
      throw error;
    }
  },
  json: ({ recalled }) => recalled,
  text: ({ recalled }) => harmless(cleanLines(recalled.text.trimEnd()).join('\n')),
  notice: ({ foreign }) =>
    foreign &&
    `left out, because it was found in this project and is not yours: ${foreign}. \`keepit notebook accept\` takes it over.`,
});

export const notebookAccept = command({
  name: 'notebook accept',
  summary: 'Take over notes that were found in the project',
  details: [
    'Notes in _memory and beside the layers that this memory did not write, as after a clone or a pull. Until then no session is told of them. --dry-run prints what they say; on a terminal it is shown before you are asked. `keepit fact confirm` accepts facts.',
  ],
  input: { dryRun: flag('Only show what would be taken over'), yes },
  examples: ['notebook accept --dry-run', 'notebook accept'],
  async run({ dryRun: isPreview }, context) {
    const { scope, memory } = context;
    const projectId = await scope.onlyProject();
    const foreign = await memory.notebook.foreign(projectId);
    if (isPreview) return { foreign, accepted: [], changed: [] };
    const these = foreign.length === 1 ? 'this note' : 'these notes';
    if (foreign.length > 0) await agree(`${noteTexts(foreign)}\n\nTake over ${these}?`, projectId, context);
    return { foreign, ...(await memory.notebook.accept(projectId, foreign)) };
  },
  json: ({ foreign, accepted, changed }) => ({
    foreign,
    accepted: accepted.map(shownNote),
    changed: changed.map(shownNote),
  }),
  text({ foreign, accepted, changed }, { good, warning }, { dryRun: isPreview }) {
    if (foreign.length === 0) return 'There are no notes here that are not yours.';
    if (isPreview) return noteTexts(foreign);
    return [
      accepted.map(({ file }) => `${good('✓ accepted')}  ${file}`),
      changed.map(({ file }) => `${warning('changed meanwhile, and not accepted')}  ${file}`),
    ];
  },
});

function shownNote({ room, name, file }: ForeignNoteText): object {
  return { room, name, file };
}

function noteTexts(notes: readonly ForeignNoteText[]): string {
  return notes.map((note) => [`── ${note.file}`, ...cleanLines(note.text.trimEnd())].join('\n')).join('\n\n');
}

export const notebookExport = command({
  name: 'notebook export',
  summary: 'Write the notebook into one file',
  details: ['All notes of all scopes, with a checksum. Without --out it goes to stdout.'],
  input: { out: option(text, 'FILE', 'A file that is not there yet', 'o') },
  examples: ['notebook export --out notes.json', 'notebook export > notes.json'],
  async run({ out }, { scope, memory }): Promise<{ archive: string } | { file: string }> {
    const archive = await memory.notebook.export(await scope.onlyProject());
    if (out === undefined) return { archive };
    await writeNew(out, archive);
    return { file: out };
  },
  text: (result, { good }) => ('archive' in result ? result.archive.trimEnd() : `${good('✓ written')}  ${result.file}`),
});

export const notebookImport = command({
  name: 'notebook import',
  summary: 'Take an exported notebook in',
  details: [
    'Nothing is overwritten: where a note is there already with other words, nothing is taken in unless you say how.',
  ],
  input: {
    file: argument(textOfFile, 'as `notebook export` wrote it'),
    merge: flag('Keep what is there'),
    replace: flag('Move what is there into the archive'),
  },
  examples: ['notebook import notes.json', 'notebook import notes.json --merge'],
  async run({ file, merge, replace }, { scope, memory, wrong }) {
    if (merge && replace) throw wrong('--merge and --replace exclude one another.');
    const mode = merge ? 'merge' : replace ? 'replace' : undefined;
    return memory.notebook.import(await scope.onlyProject(), file, mode);
  },
  text({ added, replaced, kept, unchanged }, { good }) {
    const line =
      (done: string) =>
      (name: string): string =>
        `${good(done)}  ${name}`;
    return [
      added.map(line('✓ added')),
      replaced.map(({ name, archivedAs }) => line('✓ replaced')(`${name} (was moved to ${archivedAs})`)),
      kept.map(line('kept as it was')),
      unchanged.map(line('the same')),
    ];
  },
});
