import {
  Disposable,
  DocumentLink,
  DocumentSymbol,
  EventEmitter,
  FoldingRange,
  FoldingRangeKind,
  Hover,
  languages,
  MarkdownString,
  Range,
  SymbolKind,
  type DocumentLinkProvider,
  type DocumentSymbolProvider,
  type FoldingRangeProvider,
  type HoverProvider,
  type Position,
  type TextDocument,
} from 'vscode';
import { anchorAt, type OutlineEntry } from '../../core/sessions/document/transcriptDocument';
import type { Feature } from '../feature';
import { commandIds, TRANSCRIPT_SCHEME } from '../ids';
import type { Settings } from '../settings';
import type { RenderedTranscript, TranscriptDocuments } from './transcriptDocuments';
import { targetOf, transcriptUri } from './transcriptUri';

const symbolKinds: Record<OutlineEntry['kind'], SymbolKind> = {
  turn: SymbolKind.Event,
  message: SymbolKind.String,
  compaction: SymbolKind.Constant,
  section: SymbolKind.Namespace,
  agent: SymbolKind.Class,
};

/** What editors ask about a transcript: outline and breadcrumbs, folding, links to sub-agents, where a line came from. */
export class TranscriptProviders
  implements Feature, DocumentSymbolProvider, FoldingRangeProvider, DocumentLinkProvider, HoverProvider
{
  readonly name = 'transcript outline and folding';
  private readonly foldsChanged = new EventEmitter<void>();
  readonly onDidChangeFoldingRanges = this.foldsChanged.event;

  constructor(
    private readonly documents: TranscriptDocuments,
    private readonly settings: Settings,
  ) {}

  register(): Disposable {
    const selector = { scheme: TRANSCRIPT_SCHEME };
    return Disposable.from(
      languages.registerDocumentSymbolProvider(selector, this, { label: 'Transcript' }),
      languages.registerFoldingRangeProvider(selector, this),
      languages.registerDocumentLinkProvider(selector, this),
      languages.registerHoverProvider(selector, this),
      this.documents.onDidChange(() => this.foldsChanged.fire()),
      this.foldsChanged,
    );
  }

  async provideDocumentSymbols(document: TextDocument): Promise<DocumentSymbol[]> {
    const rendered = await this.renderedOf(document);
    return rendered?.document.outline.map((entry) => symbolOf(entry, document)) ?? [];
  }

  /** Details are folded at the start because they pose as imports, which the language's defaults fold when it opens. */
  async provideFoldingRanges(document: TextDocument): Promise<FoldingRange[]> {
    const rendered = await this.renderedOf(document);
    const isFolded = this.settings.toolDetails === 'folded';
    return (rendered?.document.folds ?? [])
      .filter(({ end }) => end < document.lineCount)
      .map(({ start, end, kind }) =>
        kind === 'details' && isFolded
          ? new FoldingRange(start, end, FoldingRangeKind.Imports)
          : new FoldingRange(start, end),
      );
  }

  async provideDocumentLinks(document: TextDocument): Promise<DocumentLink[]> {
    const rendered = await this.renderedOf(document);
    if (rendered === undefined) return [];
    const { target, projectName } = rendered;
    return rendered.document.agentLinks.map(({ line, start, end, agentId }) => {
      const uri = transcriptUri({ ...target, agentId }, { project: projectName, title: `Sub-agent ${agentId}` });
      const link = new DocumentLink(new Range(line, start, line, end), uri);
      link.tooltip = 'Open the transcript of this sub-agent';
      return link;
    });
  }

  async provideHover(document: TextDocument, { line }: Position): Promise<Hover | undefined> {
    const rendered = await this.renderedOf(document);
    if (rendered === undefined) return undefined;
    const anchor = anchorAt(rendered.document, line);
    const isOwnLine = rendered.document.anchors.some((candidate) => candidate.line === line);
    if (anchor === undefined || !isOwnLine) return undefined;
    const text = new MarkdownString(undefined, true);
    text.isTrusted = { enabledCommands: [commandIds.openOriginal, commandIds.copyMessage] };
    const args = encodeURIComponent(JSON.stringify([{ uri: document.uri.toString(), line }]));
    text.appendMarkdown(
      `[$(go-to-file) Open Original at Line ${anchor.recordLine}](command:${commandIds.openOriginal}?${args}) · ` +
        `[$(copy) Copy Message](command:${commandIds.copyMessage}?${args})`,
    );
    return new Hover(text, document.lineAt(line).range);
  }

  private async renderedOf(document: TextDocument): Promise<RenderedTranscript | undefined> {
    const target = targetOf(document.uri);
    return target === undefined ? undefined : this.documents.get(target);
  }
}

function symbolOf(entry: OutlineEntry, document: TextDocument): DocumentSymbol {
  const last = document.lineCount - 1;
  const start = Math.min(entry.start, last);
  const whole = new Range(start, 0, Math.max(start, Math.min(entry.end, last)), Number.MAX_SAFE_INTEGER);
  const heading = document.lineAt(start).range;
  const symbol = new DocumentSymbol(
    entry.name,
    entry.detail,
    symbolKinds[entry.kind],
    document.validateRange(whole),
    heading,
  );
  symbol.children = entry.children.map((child) => symbolOf(child, document));
  return symbol;
}
