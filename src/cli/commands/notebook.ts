import type { MemoryService } from '../../core/memory';
import type { NoteChange } from '../../core/knowledge/notes/noteFiles';
import { NotebookError } from '../../core/knowledge/notes/notebookError';
import type { SummarizeRequest, SynthesizeRequest, SynthesizeResult } from '../../core/knowledge/notes/notebookService';
import { harmless } from '../../core/claude/hooks/harmless';
import { foreignText } from '../../core/knowledge/foreignFiles';
import type { ForeignNoteText } from '../../core/knowledge/notes/foreignNotes';
import { cleanLines } from '../../core/text/cleanText';
import { shortId, joinParts } from '../../core/text/formats';
import { moneyText } from '../../core/versions/view/versionTexts';
import { CliFailure } from '../cliErrors';
import { type Command, type CommandContext, type OptionSpec, type Page, flag, valued, writeNew } from '../command';
import { type CommandInput, maxCostOf } from '../commandInput';
import { projectOf } from '../projectOf';
import { changedText, type Style } from '../terminal';

const providers = ['local', 'anthropic', 'claude-cli'] as const;
const scopeOption: OptionSpec = valued('NAME', 'A part of the project with notes of its own');
const previewOption: OptionSpec = flag('Only show what would change');

export const summarize: Command = {
  name: 'summarize',
  group: 'Knowledge',
  summary: 'Write the summary of a session into the notebook, or bring it up to date',
  details: [
    'What was decided and why, which rules were laid down, what was found out, what is left: _memory/conversations/<session-id>.md. What you write into that file stays. Without --provider no model is asked.',
  ],
  args: [{ name: 'session', help: 'the session', arity: 'one' }],
  options: {
    scope: scopeOption,
    provider: valued('NAME', providers.join(', ')),
    model: valued('MODEL', 'A model, or its alias in the configuration'),
    'max-cost': valued('USD', 'Refuse to spend more'),
    'dry-run': previewOption,
    yes: flag('Do not ask before a model is paid for', 'y'),
  },
  examples: ['summarize e3580bc6', 'summarize e3580bc6 --dry-run', 'summarize e3580bc6 --scope frontend'],
  async run(input, context) {
    const { scope, memory, signal } = context;
    const ref = await scope.session(input.required(0), signal);
    const request = summaryRequest(input);
    if (request.provider !== undefined && request.provider !== 'local' && request.maxCostUsd === undefined) {
      await confirmCost(await memory.notebook.estimate(ref, request, signal), input, context);
    }
    const { sessionId, file, cost, ...change } = await memory.notebook.summarize(ref, request, signal);
    const isWritten = request.isPreview !== true;
    return {
      json: { sessionId, file, ...jsonOf(change), isWritten, cost },
      text: (page) => changeText({ ...change, file, isWritten }, page),
    };
  },
};

export const synthesize: Command = {
  name: 'synthesize',
  group: 'Knowledge',
  summary: 'Bring the memory of the project up to date with all summaries',
  details: [
    'Puts all summaries together in _memory/master.md: by theme, with what changed over time, what is open, and where the project is not as it was decided. Looks at README, _docs, the git log, the packages and files. What you write into that file stays. On a terminal it shows what would change and asks first.',
  ],
  options: {
    scope: scopeOption,
    full: flag('Also when nothing is new'),
    'max-tokens': valued('N', 'Let go of the oldest points above this size, 8000 unless told'),
    'dry-run': previewOption,
    yes: flag('Do not ask', 'y'),
  },
  examples: ['synthesize', 'synthesize --dry-run', 'synthesize --full --yes'],
  async run(input, { scope, memory, confirm, signal }) {
    const projectId = await projectOf(scope);
    const maxTokens = input.count('max-tokens');
    const request = { scope: input.text('scope'), isFull: input.has('full'), maxTokens };
    const isPreview = input.has('dry-run');
    const { notebook } = memory;
    const isAsked = confirm !== undefined && !input.has('yes') && !isPreview;
    const result = isAsked
      ? await synthesizeAsked(notebook, { projectId, request, confirm }, signal)
      : await notebook.synthesize(projectId, { ...request, isPreview }, signal);
    const { file, sources, newSources, docs, tokens, pruned, ...change } = result;
    const figures = { sources, newSources, docs, tokens, pruned };
    return {
      json: { file, ...figures, ...jsonOf(change), isWritten: !isPreview },
      text: (page) =>
        [
          harmless(changeText({ ...change, file, isWritten: !isPreview }, page)),
          page.style.paint(
            'quiet',
            `${page.formats.plural(sources.length, 'summary', 'summaries')}, ${newSources.length} new · ${page.formats.plural(docs.length, 'document')} · ${page.formats.plural(tokens, 'token')}${pruned === 0 ? '' : ` · ${page.formats.plural(pruned, 'point')} let go of, see archive/master.md`}`,
          ),
        ].join('\n'),
    };
  },
};

export const recall: Command = {
  name: 'recall',
  group: 'Knowledge',
  summary: 'Print the memory of the project',
  details: [
    '_memory/master.md as it is, but for tags by which its words could pose as Claude Code. With --json to the letter, and how old it is, and which summaries came after it.',
  ],
  options: { scope: scopeOption },
  examples: ['recall', 'recall --scope frontend', 'recall --json'],
  async run(input, { scope, memory }) {
    const projectId = await projectOf(scope);
    const { notes } = await memory.layers.foreign(projectId);
    const count = foreignText({ facts: [], notes, sessions: [] });
    try {
      const recalled = await memory.notebook.recall(projectId, { scope: input.text('scope') });
      const notice =
        count &&
        `left out, because it was found in this project and is not yours: ${count}. \`keepit notebook accept\` takes it over.`;
      return { json: recalled, text: () => harmless(cleanLines(recalled.text.trimEnd()).join('\n')), notice };
    } catch (error) {
      const isMissing = error instanceof NotebookError && error.reason === 'no-master';
      if (isMissing && count !== undefined) throw new NotebookError('foreign-master', count);
      throw error;
    }
  },
};

export const notebookAccept: Command = {
  name: 'notebook accept',
  group: 'Knowledge',
  summary: 'Take over notes that were found in the project',
  details: [
    'Notes in _memory and beside the layers that this memory did not write, as after a clone or a pull. Until then no session is told of them. --dry-run prints what they say; on a terminal it is shown before you are asked. `keepit fact confirm` accepts facts.',
  ],
  options: {
    'dry-run': flag('Only show what would be taken over'),
    yes: flag('Do not ask', 'y'),
  },
  examples: ['notebook accept --dry-run', 'notebook accept'],
  async run(input, { scope, memory, confirm }) {
    const projectId = await projectOf(scope);
    const notes = await memory.notebook.foreign(projectId);
    const isPreview = input.has('dry-run');
    if (notes.length > 0 && confirm !== undefined && !input.has('yes') && !isPreview) {
      const question = `${noteTexts(notes)}\n\nTake over ${notes.length === 1 ? 'this note' : 'these notes'}?`;
      if (!(await confirm(question))) throw new CliFailure('kept', projectId);
    }
    const { accepted, changed } = isPreview
      ? { accepted: [], changed: [] }
      : await memory.notebook.accept(projectId, notes);
    return {
      json: { foreign: notes, accepted: accepted.map(shownNote), changed: changed.map(shownNote) },
      text: ({ style }) => {
        if (notes.length === 0) return 'There are no notes here that are not yours.';
        if (isPreview) return noteTexts(notes);
        return [
          ...accepted.map(({ file }) => `${style.paint('good', '✓ accepted')}  ${file}`),
          ...changed.map(({ file }) => `${style.paint('warning', 'changed meanwhile, and not accepted')}  ${file}`),
        ].join('\n');
      },
    };
  },
};

function shownNote({ room, name, file }: ForeignNoteText): object {
  return { room, name, file };
}

function noteTexts(notes: readonly ForeignNoteText[]): string {
  return notes.map(({ file, text }) => [`── ${file}`, ...cleanLines(text.trimEnd())].join('\n')).join('\n\n');
}

export const notebookExport: Command = {
  name: 'notebook export',
  group: 'Knowledge',
  summary: 'Write the notebook into one file',
  details: ['All notes of all scopes, with a checksum. Without --out it goes to stdout.'],
  options: { out: valued('FILE', 'A file that is not there yet', 'o') },
  examples: ['notebook export --out notes.json', 'notebook export > notes.json'],
  async run(input, { scope, memory }) {
    const archive = await memory.notebook.export(await projectOf(scope));
    const out = input.text('out');
    if (out === undefined) return { json: { archive }, text: () => archive.trimEnd() };
    await writeNew(out, archive);
    return { json: { file: out }, text: ({ style }) => `${style.paint('good', '✓ written')}  ${out}` };
  },
};

export const notebookImport: Command = {
  name: 'notebook import',
  group: 'Knowledge',
  summary: 'Take an exported notebook in',
  details: [
    'Nothing is overwritten: where a note is there already with other words, nothing is taken in unless you say how.',
  ],
  args: [{ name: 'file', help: 'as `notebook export` wrote it', arity: 'one' }],
  options: {
    merge: flag('Keep what is there'),
    replace: flag('Move what is there into the archive'),
  },
  examples: ['notebook import notes.json', 'notebook import notes.json --merge'],
  async run(input, { scope, memory }) {
    if (input.has('merge') && input.has('replace')) throw input.wrong('--merge and --replace exclude one another.');
    const mode = input.has('merge') ? 'merge' : input.has('replace') ? 'replace' : undefined;
    const result = await memory.notebook.import(await projectOf(scope), await input.fileText(input.required(0)), mode);
    const lines = [
      ...result.added.map((name) => ['✓ added', name] as const),
      ...result.replaced.map(({ name, archivedAs }) => ['✓ replaced', `${name} (was moved to ${archivedAs})`] as const),
      ...result.kept.map((name) => ['kept as it was', name] as const),
      ...result.unchanged.map((name) => ['the same', name] as const),
    ];
    return {
      json: result,
      text: ({ style }) => lines.map(([done, name]) => `${style.paint('good', done)}  ${name}`).join('\n'),
    };
  },
};

/** Shows what would be written, and writes just that. Where the notebook changes meanwhile, what would be written then is shown. */
async function synthesizeAsked(
  notebook: MemoryService['notebook'],
  {
    projectId,
    request,
    confirm,
  }: { projectId: string; request: SynthesizeRequest; confirm: NonNullable<CommandContext['confirm']> },
  signal: AbortSignal,
): Promise<SynthesizeResult> {
  for (let before = ''; ; before = 'The notebook was changed meanwhile. Now this would be written:\n') {
    const { result, plan } = await notebook.propose(projectId, request, signal);
    if (plan === undefined) return result;
    const shown = hunkLines(result, { paint: (_tone, text) => text }).join('\n');
    const isAgreed =
      result.outcome === 'unchanged' || (await confirm(`${before}${shown}\nWrite this to ${result.file}?`));
    if (!isAgreed) throw new CliFailure('kept', result.file);
    try {
      await notebook.apply(projectId, plan, signal);
      return result;
    } catch (error) {
      if (!(error instanceof NotebookError) || error.reason !== 'changed') throw error;
    }
  }
}

function summaryRequest(input: CommandInput): SummarizeRequest {
  return {
    scope: input.text('scope'),
    provider: input.oneOf('provider', providers),
    model: input.text('model'),
    maxCostUsd: maxCostOf(input),
    isPreview: input.has('dry-run'),
  };
}

async function confirmCost({ usd }: { usd: number }, input: CommandInput, { confirm }: CommandContext) {
  if (confirm === undefined || input.has('yes')) return;
  if (!(await confirm(`This asks a model and costs about ${moneyText(usd)}. Go on?`))) {
    throw new CliFailure('not-compressed', input.required(0));
  }
}

function jsonOf({ outcome, before, after, hunks }: NoteChange): object {
  return { outcome, created: outcome === 'created', updated: outcome === 'updated', changes: hunks, before, after };
}

function changeText(change: NoteChange & { file: string; isWritten: boolean }, page: Page): string {
  const { outcome, file, isWritten, name } = change;
  const done = isWritten ? `✓ ${outcome}` : outcome === 'unchanged' ? outcome : `would be ${outcome}`;
  const id = /conversations\/([^/]+)\.md$/.exec(name)?.[1];
  const head = [page.style.paint('good', done), id === undefined ? '' : page.style.paint('accent', shortId(id)), file];
  return [joinParts(head, '  '), ...hunkLines(change, page.style)].join('\n');
}

function hunkLines({ hunks }: NoteChange, style: Pick<Style, 'paint'>): string[] {
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    style.paint('accent', `@@ -${oldStart} +${newStart} @@`),
    ...changedText(lines, style),
  ]);
}
