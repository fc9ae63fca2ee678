import {
  Disposable,
  DocumentLink,
  FileChangeType,
  FoldingRange,
  languages,
  Range,
  ThemeColor,
  Uri,
  window,
  workspace,
  type DocumentLinkProvider,
  type FoldingRangeProvider,
  type TextDocument,
  type TextEditor,
} from 'vscode';
import * as z from 'zod/mini';
import type { SearchPage } from '../../core/search/view/searchList';
import type { Context } from '../context';
import { registerCommands, type Feature } from '../feature';
import { commandIds, SEARCH_SCHEME } from '../ids';
import { ReadOnlyFiles, type ShownFile, DocumentUris } from '../readOnlyFiles';
import type { Asked } from './askMemory';
import type { HitOpener } from './hitOpener';
import type { SearchPicker } from './searchPicker';

/** What was found, as a document. */
interface SearchDocument extends ShownFile {
  readonly page: SearchPage;
  readonly query: string;
}

const READ_ONLY = 'This is what was found. “Keepit: Search…” asks anew.';
const MOST_RECENT = 8;

/** What is asked, as the uri of a document says it. */
const askedUris = new DocumentUris(
  SEARCH_SCHEME,
  z.object({ line: z.string(), everywhere: z.optional(z.literal('1')) }),
);
const wantedSchema = z.object({ line: z.string() });
const actionSchema = z.object({ action: z.enum(['compose', 'mark', 'resume', 'keep']) });

/** *Search…*: the list, and what it found as a document that stays. What both need is loaded with the first search. */
export class SearchFeature
  extends ReadOnlyFiles<AskedHere>
  implements Feature, DocumentLinkProvider, FoldingRangeProvider
{
  readonly name = 'search';
  private readonly documents = new Map<string, Promise<SearchDocument>>();
  private readonly hit = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor('editor.findMatchHighlightBackground'),
    borderColor: new ThemeColor('editor.findMatchHighlightBorder'),
  });
  private readonly heading = window.createTextEditorDecorationType({ fontWeight: 'bold' });
  private recent: readonly string[] = [];
  private picker: SearchPicker | undefined;
  private versions = Date.now();

  constructor(private readonly context: Context) {
    super(context.log, askedUris);
  }

  register(): Disposable {
    const selector = { scheme: SEARCH_SCHEME };
    return Disposable.from(
      registerCommands(this.context.notifier, {
        search: (args) => this.search(args),
        fileHistory: ([first]) => this.ofFile(first),
        searchAction: ([first]) => this.act(first),
        openHit: ([first]) => this.openHit(first),
      }),
      this.registerFiles(READ_ONLY),
      languages.registerDocumentLinkProvider(selector, this),
      languages.registerFoldingRangeProvider(selector, this),
      window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) void this.tint(editor);
      }),
      this.hit,
      this.heading,
    );
  }

  override watch(uri: Uri): Disposable {
    return new Disposable(() => this.documents.delete(uri.toString()));
  }

  async provideDocumentLinks({ uri, lineCount }: TextDocument): Promise<DocumentLink[]> {
    const found = await this.documentOf(uri);
    return (found?.page.links ?? [])
      .filter(({ line }) => line < lineCount)
      .map(({ line, hit }) => {
        const { kind, projectId, id, sessionId, messageUuid } = hit;
        const args = [{ kind, projectId, id, sessionId, messageUuid, query: found?.query }];
        const target = Uri.parse(`command:${commandIds.openHit}?${encodeURIComponent(JSON.stringify(args))}`);
        const link = new DocumentLink(new Range(line, INDENT, line, Number.MAX_SAFE_INTEGER), target);
        link.tooltip = 'Open it in its session';
        return link;
      });
  }

  async provideFoldingRanges({ uri }: TextDocument): Promise<FoldingRange[]> {
    const found = await this.documentOf(uri);
    return (found?.page.folds ?? []).map(({ start, end }) => new FoldingRange(start, end));
  }

  protected show(asked: AskedHere): Promise<SearchDocument> {
    const key = uriOf(asked).toString();
    const document = this.documents.get(key) ?? this.make(asked);
    this.documents.set(key, document);
    document.catch(() => this.documents.delete(key)); // the next one who asks tries again
    return document;
  }

  private async make({ line, everywhere }: AskedHere): Promise<SearchDocument> {
    const asked = { line, isEverywhere: everywhere !== undefined };
    const [{ askMemory }, { searchPage }] = await Promise.all([
      import('./askMemory'),
      import('../../core/search/view/searchList'),
    ]);
    const found = await askMemory(this.context, asked);
    const shown = { ...found, notes: [...found.problems, ...found.notes] };
    const page = searchPage(asked.line, found.groups, shown, this.context.formats);
    return { page, query: found.query, bytes: new TextEncoder().encode(page.text), version: ++this.versions };
  }

  /** What the words of a selection, a document of results or a caller ask for; else what was searched for last. */
  private async search(args: readonly unknown[]) {
    const [{ SearchPicker }, opener] = await Promise.all([import('./searchPicker'), this.opener()]);
    const editor = window.activeTextEditor;
    const open = editor && askedUris.ref(editor.document.uri);
    const line = wantedSchema.safeParse(args[0]).data?.line ?? open?.line ?? selectedWords(editor);
    const asked = { line, isEverywhere: open?.everywhere !== undefined };
    const options = { opener, recent: this.recent, keep: (kept: Asked) => this.keep(kept) };
    const picker = new SearchPicker(this.context, options, asked);
    this.picker = picker;
    const searched = await picker.show();
    if (this.picker === picker) this.picker = undefined;
    if (searched !== '')
      this.recent = [searched, ...this.recent.filter((one) => one !== searched)].slice(0, MOST_RECENT);
  }

  /** What was said where a file was read or changed: of a menu's file, or the one that is open. */
  private async ofFile(first: unknown) {
    const uri = first instanceof Uri ? first : window.activeTextEditor?.document.uri;
    if (uri?.scheme !== 'file') {
      void this.context.notifier.tell('Open a file first, or choose one in the Explorer.');
      return;
    }
    const file = workspace.asRelativePath(uri, false);
    await this.search([{ line: `file:${/\s/.test(file) ? `"${file}"` : file} ` }]);
  }

  private act(first: unknown) {
    const wanted = actionSchema.safeParse(first);
    if (wanted.success) this.picker?.act(wanted.data.action);
  }

  private async keep({ line, isEverywhere }: Asked) {
    const uri = uriOf({ line, everywhere: isEverywhere ? '1' : undefined });
    this.documents.delete(uri.toString());
    this.changed.fire([{ type: FileChangeType.Changed, uri }]);
    await window.showTextDocument(uri, { preview: false });
  }

  /** By a link, or by the line that the cursor is in. */
  private async openHit(first: unknown) {
    const { hitSchema } = await import('./hitOpener');
    const named = hitSchema.safeParse(first);
    const query = z.object({ query: z.string() }).safeParse(first).data?.query ?? '';
    if (named.success) {
      await (await this.opener()).open(named.data, query);
      return;
    }
    const editor = window.activeTextEditor;
    if (editor === undefined) return;
    const found = await this.documentOf(editor.document.uri);
    const { line } = editor.selection.active;
    const link = found?.page.links.findLast((one) => one.line === line || one.line === line - 1);
    if (link !== undefined) await (await this.opener()).open(link.hit, found?.query ?? '');
  }

  private async opener(): Promise<HitOpener> {
    const { HitOpener } = await import('./hitOpener');
    return new HitOpener(this.context);
  }

  private async documentOf(uri: Uri): Promise<SearchDocument | undefined> {
    const asked = askedUris.ref(uri);
    return asked && this.show(asked);
  }

  private async tint(editor: TextEditor) {
    const found = await this.documentOf(editor.document.uri);
    if (found === undefined) return;
    const { page } = found;
    editor.setDecorations(
      this.hit,
      page.marks.map(({ line, start, end }) => new Range(line, start, line, end)),
    );
    const whole = (line: number): Range => new Range(line, 0, line, Number.MAX_SAFE_INTEGER);
    editor.setDecorations(this.heading, [0, ...page.folds.map(({ start }) => start)].map(whole));
  }
}

/** Links begin behind what rows are set in by. */
const INDENT = 2;

type AskedHere = NonNullable<ReturnType<typeof askedUris.ref>>;

function uriOf(asked: AskedHere): Uri {
  return askedUris.of(asked, `Search: ${asked.line}`);
}

/** Of one line: more is looked for by nobody. */
function selectedWords(editor: TextEditor | undefined): string {
  if (editor === undefined || !editor.selection.isSingleLine) return '';
  return editor.document.getText(editor.selection).trim();
}
