import {
  Disposable,
  DecorationRangeBehavior,
  OverviewRulerLane,
  Position,
  Range,
  ThemeColor,
  window,
  workspace,
  CodeLens,
  EventEmitter,
  Hover,
  languages,
  MarkdownString,
  type DecorationOptions,
  type TextEditor,
  type TextEditorDecorationType,
  type CodeLensProvider,
  type DocumentSelector,
  type HoverProvider,
  type TextDocument,
} from 'vscode';
import {
  allBands,
  decorationsIn,
  rulerMarks,
  withMargin,
  hoverOf,
  lensesOf,
  markableHeadings,
  problemLens,
  type BandDecorations,
  type Chip,
  type KeepitAction,
  type KeepitLens,
} from '../../core/sessions/view/keepitEditor';
import { MarkIndex, type KeepitMark, type LineRange, type MarkBand } from '../../core/sessions/view/keepitMarks';
import type { LinePosition } from '../../core/sessions/document/saidBlocks';
import type { Feature } from '../feature';
import type { Settings } from '../settings';
import { commandIds, MARKDOWN_LANGUAGES, TRANSCRIPT_SCHEME, VERSION_SCHEME, type CommandId } from '../ids';
import type { MarkSources, MarkedDocument } from './markSources';

/** Scrolling and typing come in bursts. */
const SETTLE_MS = 60;

interface BandTypes {
  readonly span: TextEditorDecorationType;
  readonly chip: TextEditorDecorationType;
  readonly ruler: TextEditorDecorationType;
}

interface EditorState {
  timer?: NodeJS.Timeout;
  /** Counts the attempts: a newer one supersedes an older one. */
  run: number;
  /** What the ruler shows: it is set anew only when the keepits changed, not at every scroll. */
  ruled?: readonly KeepitMark[];
  drawn: Set<MarkBand>;
}

const noIndex = new MarkIndex([]);
const nothing: BandDecorations = { spans: [], chips: [] };

/** Tints keepits in editors, those in sight only; the overview ruler shows all of them. */
export class MarkDecorations implements Feature {
  readonly name = 'keepit decorations';
  private readonly states = new WeakMap<TextEditor, EditorState>();
  private types: ReadonlyMap<MarkBand, BandTypes> | undefined;

  constructor(
    private readonly sources: MarkSources,
    private readonly settings: Settings,
  ) {}

  register(): Disposable {
    const all = () => {
      for (const editor of window.visibleTextEditors) this.schedule(editor);
    };
    all();
    return Disposable.from(
      window.onDidChangeVisibleTextEditors(all),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.schedule(textEditor)),
      workspace.onDidChangeTextDocument(({ document }) => {
        for (const editor of window.visibleTextEditors) if (editor.document === document) this.schedule(editor);
      }),
      this.sources.onDidChange(all),
      this.settings.onDidChange((names) => {
        if (names.has('keepitDecorations')) all();
      }),
      new Disposable(() => {
        for (const { span, chip, ruler } of this.types?.values() ?? []) Disposable.from(span, chip, ruler).dispose();
      }),
    );
  }

  private schedule(editor: TextEditor) {
    if (!this.sources.canHold(editor.document)) return;
    const state = this.states.get(editor) ?? { run: 0, drawn: new Set() };
    this.states.set(editor, state);
    clearTimeout(state.timer);
    state.timer = setTimeout(() => void this.draw(editor, state), SETTLE_MS);
  }

  private async draw(editor: TextEditor, state: EditorState) {
    const run = ++state.run;
    const { version } = editor.document;
    const marked = this.settings.showsKeepitDecorations ? await this.sources.get(editor.document) : undefined;
    if (run !== state.run || editor.document.version !== version) return;
    const index = marked?.index ?? noIndex;
    if (index.marks.length === 0 && this.types === undefined) return; // nothing has ever been drawn
    this.drawParts(editor, state, index);
    if (state.ruled !== index.marks) this.rule(editor, index.marks);
    state.ruled = index.marks;
  }

  /** Made when the first keepit is seen: most windows show none. */
  private bandTypes(): ReadonlyMap<MarkBand, BandTypes> {
    this.types ??= new Map(allBands.map((band) => [band, typesOf(band)]));
    return this.types;
  }

  private drawParts(editor: TextEditor, state: EditorState, index: MarkIndex) {
    const parts = editor.visibleRanges.map(({ start, end }) => ({ first: start.line, last: end.line }));
    const bands = decorationsIn(index, withMargin(parts));
    for (const [band, types] of this.bandTypes()) {
      const found = bands.get(band) ?? nothing;
      if (found === nothing && !state.drawn.has(band)) continue;
      editor.setDecorations(types.span, found.spans.map(rangeOf));
      editor.setDecorations(
        types.chip,
        found.chips.map((chip) => optionsOf(chip, band)),
      );
    }
    state.drawn = new Set(bands.keys());
  }

  private rule(editor: TextEditor, marks: readonly KeepitMark[]) {
    const bands = rulerMarks(marks);
    for (const [band, { ruler }] of this.bandTypes()) editor.setDecorations(ruler, bands.get(band)?.map(rangeOf) ?? []);
  }
}

function typesOf(band: MarkBand): BandTypes {
  const foreground = new ThemeColor(`keepit.${band}Foreground`);
  const closed = { rangeBehavior: DecorationRangeBehavior.ClosedClosed };
  return {
    span: window.createTextEditorDecorationType({
      ...closed,
      backgroundColor: new ThemeColor(`keepit.${band}Background`),
      borderWidth: '0 0 1px 0',
      borderStyle: band === 'inactive' ? 'dotted' : 'solid',
      borderColor: new ThemeColor('keepit.spanBorder'),
    }),
    chip: window.createTextEditorDecorationType({
      ...closed,
      color: foreground,
      opacity: '0.8',
      borderWidth: '1px',
      borderStyle: 'solid',
      borderRadius: '4px',
      borderColor: foreground,
      ...(band === 'inactive' && { textDecoration: 'line-through' }),
    }),
    ruler: window.createTextEditorDecorationType({
      overviewRulerColor: foreground,
      overviewRulerLane: OverviewRulerLane.Center,
    }),
  };
}

function optionsOf({ range, note }: Chip, band: MarkBand): DecorationOptions {
  if (note === undefined) return { range: rangeOf(range) };
  const drawn = {
    contentText: note.text,
    color: new ThemeColor(`keepit.${band}Foreground`),
    fontStyle: 'italic',
    margin: note.side === 'after' ? '0 0 0 0.5em' : '0 0.5em 0 0',
  };
  return { range: rangeOf(range), renderOptions: { [note.side]: drawn } };
}

export function rangeOf({ start, end }: LineRange): Range {
  return new Range(positionOf(start), positionOf(end));
}

function positionOf({ line, column }: LinePosition): Position {
  return new Position(line, column);
}

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

  constructor(private readonly sources: MarkSources) {}

  register(): Disposable {
    return Disposable.from(
      languages.registerCodeLensProvider(markedDocuments, this),
      languages.registerHoverProvider(markedDocuments, this),
      this.sources.onDidChange(() => this.lensesChanged.fire()),
      this.lensesChanged,
    );
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    if (document.uri.scheme === VERSION_SCHEME) return []; // what stands in a version cannot be changed there
    const marked = await this.sources.get(document);
    if (marked === undefined) return [];
    return [
      ...marked.marks.flatMap((mark) => this.lenses(document, marked, mark)),
      ...problemLenses(marked),
      ...messageLenses(document, marked),
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
