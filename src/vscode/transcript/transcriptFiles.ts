import { stat } from 'node:fs/promises';
import {
  Disposable,
  EventEmitter,
  FileChangeType,
  MarkdownString,
  workspace,
  DocumentLink,
  DocumentSymbol,
  FoldingRange,
  FoldingRangeKind,
  Hover,
  languages,
  Range,
  SymbolKind,
  type Uri,
  type DocumentLinkProvider,
  type DocumentSymbolProvider,
  type FoldingRangeProvider,
  type HoverProvider,
  type Position,
  type TextDocument,
} from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { Context, Uses } from '../context';
import type { Feature } from '../feature';
import { TRANSCRIPT_SCHEME, commandIds } from '../ids';
import { ReadOnlyFiles, type ShownFile } from '../readOnlyFiles';
import type { Settings } from '../settings';
import { anchorAt, type OutlineEntry } from '../../core/sessions/document/transcriptDocument';
import {
  keyOf,
  transcriptUri,
  type RenderedTranscript,
  type TranscriptDocuments,
  type TranscriptTarget,
  transcriptUris,
} from './transcriptDocuments';

const READ_ONLY =
  'A transcript is made for reading. “Keepit: Open Original at This Line” leads to the file that it shows.';

/** A live session is rendered again this long after it grew, and never for more than a fraction of the time. */
const GROWTH_DELAY_MS = 400;
const SHARE_OF_TIME = 5;

/**
 * Transcripts as read-only files: so editors reopen after a restart, know that nothing can be typed, keep their scroll
 * position while a session grows, and read again by themselves. A file is followed while an editor watches it.
 */
class TranscriptFiles extends ReadOnlyFiles<TranscriptTarget> implements Feature {
  readonly name = 'transcripts';
  private readonly watched = new Map<string, { target: TranscriptTarget; uri: Uri }>();

  constructor(private readonly context: Uses<'documents' | 'host' | 'settings' | 'log'>) {
    super(context.log, transcriptUris);
  }

  register(): Disposable {
    const { documents, settings } = this.context;
    return Disposable.from(
      this.registerFiles(READ_ONLY),
      documents.onDidChange((rendered) => this.announce(rendered)),
      settings.onDidChange((names) => {
        if (names.has('toolDetails')) void this.renewWatched();
      }),
      workspace.onDidCloseTextDocument(({ uri }) => {
        const target = transcriptUris.ref(uri);
        if (target !== undefined) documents.forget(target);
      }),
    );
  }

  /** Called while an editor shows the file: the session is followed as long. */
  override watch(uri: Uri): Disposable {
    const target = transcriptUris.ref(uri);
    if (target === undefined) return new Disposable(() => undefined);
    const follower = new Follower(target, this.context);
    this.watched.set(uri.toString(), { target, uri });
    follower.start();
    return new Disposable(() => {
      this.watched.delete(uri.toString());
      follower.dispose();
    });
  }

  protected show(target: TranscriptTarget): Promise<ShownFile> {
    return this.context.documents.get(target);
  }

  private announce({ target }: RenderedTranscript) {
    const events = [...this.watched.values()]
      .filter((watched) => keyOf(watched.target) === keyOf(target))
      .map(({ uri }) => ({ type: FileChangeType.Changed, uri }));
    if (events.length > 0) this.changed.fire(events);
  }

  private async renewWatched() {
    for (const { target } of this.watched.values()) await this.context.documents.renew(target);
  }
}

/** Renders a transcript again when its file has grown. */
class Follower implements Disposable {
  private following: Disposable | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isDisposed = false;
  /** Counts also while a rendering is under way, which may have read too early. */
  private growths = 0;

  constructor(
    private readonly target: TranscriptTarget,
    private readonly context: Uses<'documents' | 'host' | 'log'>,
  ) {}

  start(): void {
    void this.follow();
  }

  dispose(): void {
    this.isDisposed = true;
    this.following?.dispose();
    clearTimeout(this.timer);
  }

  private async follow() {
    const { documents, host, log } = this.context;
    try {
      const { file, readBytes } = await documents.get(this.target);
      const memory = await host.memory();
      if (this.isDisposed) return;
      this.following = memory.follow(file, () => this.schedule());
      // It may have grown while no editor showed it.
      if ((await stat(file)).size > readBytes) this.schedule();
    } catch (error) {
      log.warn(`A transcript is not followed: ${errorText(error)}`); // the editor shows why it could not be read
    }
  }

  /** A transcript of 100 MB takes longer to render: it is rendered less often. */
  private schedule() {
    this.growths += 1;
    if (this.timer !== undefined || this.isDisposed) return;
    const tookMs = this.context.documents.peek(this.target)?.tookMs ?? 0;
    const delayMs = Math.max(GROWTH_DELAY_MS, tookMs * SHARE_OF_TIME);
    this.timer = setTimeout(() => void this.renew(), delayMs);
  }

  private async renew() {
    const growthsBefore = this.growths;
    try {
      await this.context.documents.renew(this.target);
    } catch (error) {
      this.context.log.warn(`A transcript could not be rendered again: ${errorText(error)}`);
    }
    this.timer = undefined;
    if (this.growths > growthsBefore) this.schedule();
  }
}

const symbolKinds: Record<OutlineEntry['kind'], SymbolKind> = {
  turn: SymbolKind.Event,
  message: SymbolKind.String,
  compaction: SymbolKind.Constant,
  section: SymbolKind.Namespace,
  agent: SymbolKind.Class,
};

/** What editors ask about a transcript: outline and breadcrumbs, folding, links to sub-agents, where a line came from. */
class TranscriptProviders
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
      const uri = transcriptUri({ ...target, agentId }, projectName, `Sub-agent ${agentId}`);
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
    const target = transcriptUris.ref(document.uri);
    return target && this.documents.get(target);
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

/** Transcripts as documents, and what is done with them. */
export function transcriptFeatures(context: Context): Feature[] {
  const { documents, settings, transcripts } = context;
  return [new TranscriptFiles(context), new TranscriptProviders(documents, settings), transcripts];
}
