import {
  CodeLens,
  Disposable,
  EventEmitter,
  Hover,
  languages,
  MarkdownString,
  Position,
  Range,
  type CodeLensProvider,
  type DocumentSelector,
  type HoverProvider,
  type TextDocument,
} from 'vscode';
import {
  hoverOf,
  lensesOf,
  markableHeadings,
  problemLens,
  type KeepitAction,
  type KeepitLens,
} from '../../core/presentation/keepitEditor';
import type { KeepitMark } from '../../core/presentation/keepitMarks';
import type { Feature } from '../feature';
import { commandIds, MARKDOWN_LANGUAGES, TRANSCRIPT_SCHEME, VERSION_SCHEME, type CommandId } from '../ids';
import type { Settings } from '../settings';
import { rangeOf } from './markDecorations';
import type { MarkedDocument, MarkSources } from './markSources';

const actions: Record<KeepitAction, CommandId> = {
  changeWeight: commandIds.changeWeight,
  pin: commandIds.pinKeepit,
  unpin: commandIds.unpinKeepit,
  remove: commandIds.removeKeepit,
  restore: commandIds.restoreKeepit,
  markMessage: commandIds.markMessage,
};

/** Documents that may hold keepits. */
export const markedDocuments: DocumentSelector = [
  { scheme: TRANSCRIPT_SCHEME },
  { pattern: '**/*.jsonl' },
  ...MARKDOWN_LANGUAGES.map((language) => ({ language })),
];

/** The small print above keepits and messages, and what a hover over a keepit says. */
export class MarkProviders implements Feature, CodeLensProvider, HoverProvider {
  readonly name = 'keepit lenses and hovers';
  private readonly lensesChanged = new EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;

  constructor(
    private readonly sources: MarkSources,
    private readonly settings: Settings,
  ) {}

  register(): Disposable {
    return Disposable.from(
      languages.registerCodeLensProvider(markedDocuments, this),
      languages.registerHoverProvider(markedDocuments, this),
      this.sources.onDidChange(() => this.lensesChanged.fire()),
      this.settings.onDidChange((names) => {
        if (names.has('keepitLenses') || names.has('messageLenses')) this.lensesChanged.fire();
      }),
      this.lensesChanged,
    );
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    if (document.uri.scheme === VERSION_SCHEME) return []; // what stands in a version cannot be changed there
    const { showsKeepitLenses, showsMessageLenses } = this.settings;
    if (!showsKeepitLenses && !showsMessageLenses) return [];
    const marked = await this.sources.get(document);
    if (marked === undefined) return [];
    return [
      ...(showsKeepitLenses ? marked.marks.flatMap((mark) => this.lenses(document, marked, mark)) : []),
      ...(showsKeepitLenses ? problemLenses(marked) : []),
      ...(showsMessageLenses ? messageLenses(document, marked) : []),
    ];
  }

  async provideHover(document: TextDocument, { line, character }: Position): Promise<Hover | undefined> {
    if (document.uri.scheme === VERSION_SCHEME) return undefined;
    const marked = await this.sources.get(document);
    const mark = marked?.index.at({ line, column: character });
    if (marked === undefined || mark === undefined) return undefined;
    const text = new MarkdownString(hoverOf(mark, marked.fate), true);
    const links = linksOf(lensesOf(mark, marked.fate).slice(1), argumentOf(document, mark)); // the hover says what the first one says
    text.isTrusted = { enabledCommands: links.map(({ command }) => command) };
    text.appendMarkdown(`\n\n${links.map(({ markdown }) => markdown).join(' · ')}`);
    return new Hover(text, rangeOf(mark.range));
  }

  private lenses(document: TextDocument, marked: MarkedDocument, mark: KeepitMark): CodeLens[] {
    const { start } = rangeOf(mark.range);
    const range = new Range(start, start);
    return lensesOf(mark, marked.fate).map(
      ({ title, tooltip, action }) =>
        new CodeLens(range, {
          title,
          tooltip,
          command: actions[action],
          arguments: [argumentOf(document, mark)],
        }),
    );
  }
}

/** Quick fixes are not offered in editors that cannot be written in: transcripts have them above the marker. */
function problemLenses({ problems, source }: MarkedDocument): CodeLens[] {
  if (source === undefined) return [];
  return problems.flatMap((problem) => {
    const lens = problemLens(problem);
    if (lens === undefined) return [];
    const { start } = rangeOf(problem.range);
    const command = {
      ...lens,
      command: commandIds.markSelection,
      arguments: [{ session: source, request: problem.fix }],
    };
    return [new CodeLens(new Range(start, start), command)];
  });
}

function messageLenses(document: TextDocument, { transcript, marks }: MarkedDocument): CodeLens[] {
  if (transcript === undefined) return [];
  return markableHeadings(transcript, marks).map((line) => {
    const command = {
      title: '$(bookmark)\u00a0Mark as keepit',
      tooltip: 'Keep all that was said in this message. The transcript stays as it is.',
      command: actions.markMessage,
      arguments: [{ uri: document.uri.toString(), line }],
    };
    return new CodeLens(new Range(line, 0, line, 0), command);
  });
}

/** What a command needs to find the mark again. */
function argumentOf(document: TextDocument, { ref, range }: KeepitMark): unknown {
  if (ref !== undefined) return { keepit: ref };
  return { uri: document.uri.toString(), ...range.start };
}

/** Each action once, as a link; only these commands can be called from the hover. */
function linksOf(lenses: readonly KeepitLens[], argument: unknown): { command: CommandId; markdown: string }[] {
  const passed = encodeURIComponent(JSON.stringify([argument]));
  return lenses.map(({ title, action }) => {
    const command = actions[action];
    return { command, markdown: `[${title}](command:${command}?${passed})` };
  });
}
